import { UsageError } from "../../base/errors.ts";
import { makeOwnFolder, NO_STATE_FOLDER, STATE_FOLDER_HINT, stateFolder } from "../../base/ports/state_folder.ts";
import { type Fleet, readLabels, readWorkerRules, startWorker } from "../../fleet/mod.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { defineCommand, integerFlag, Interruption, numberFlag, textFlag } from "../console/command.ts";
import { FLEET_FLAG, withFleet } from "../fleet/open_fleet.ts";
import { rulesPath, workerMachine } from "../fleet/worker_machine.ts";

const MIB = 1024 * 1024;

/** `panewright worker`: works on jobs of a fleet. */
export const command = defineCommand({
  flags: {
    fleet: FLEET_FLAG,
    name: textFlag("NAME", "its name among the workers (default: the machine's)"),
    label: textFlag("NAME=VALUE", "a label that jobs may want", { repeatable: true }),
    slots: integerFlag("N", "how many jobs it works on at a time (default: 1)"),
    accept: textFlag("FILE", "what it takes (default: worker.jsonc of the config folder)"),
    "min-memory": integerFlag("MIB", "take no further job with less memory than this (default: 512)"),
    "max-load": numberFlag("N", "take no further job while more processes than this want each core (default: 4)"),
  },
  async run({ flags }, io) {
    const state = stateFolder((name) => io.env(name));
    if (state === undefined) throw new UsageError(`Cannot work: ${NO_STATE_FOLDER}`, { hint: STATE_FOLDER_HINT });
    const rules = readWorkerRules(flags.accept ?? rulesPath((name) => io.env(name)) ?? "worker.jsonc");
    const labels = { os: Deno.build.os, arch: Deno.build.arch, ...readLabels(flags.label ?? []) };
    const { slots = 1 } = flags;
    if (slots < 1) throw new UsageError(`Cannot work on ${slots} jobs at a time: it must be at least 1`);
    const name = flags.name ??
      (sanitizeLine(Deno.hostname()).replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 64) || "worker");
    const gates = { minMemory: (flags["min-memory"] ?? 512) * MIB, maxLoad: flags["max-load"] ?? 4 };
    const act = async (fleet: Fleet) => {
      const machine = workerMachine(io, gates);
      machine.log(`worker ${name} of ${fleet.credentials.server}: ${slots} ${slots === 1 ? "slot" : "slots"}`);
      // The first signal drains; what comes after it ends this process at once, as for every command.
      await startWorker({
        ...{ ...machine, fleet, name, labels, slots, rules },
        // Beside the state folder, which agents in a sandbox do not see.
        folder: `${await realPathOf(state)}-fleet/${name}`,
        draining: io.signal,
      });
      return io.signal.reason instanceof Interruption && io.signal.reason.signalName !== "SIGTERM"
        ? io.signal.reason.exitCode
        : 0;
    };
    return await withFleet(flags.fleet, { io, act });
  },
});

async function realPathOf(state: string): Promise<string> {
  makeOwnFolder(state);
  return await Deno.realPath(state);
}
