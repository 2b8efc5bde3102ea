import { basename, dirname } from "@std/path/posix";
import { giveAnswer } from "../../api/control/give_answer.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { selfCommand } from "../../base/ports/self.ts";
import { byteSize } from "../../journal/words/words.ts";
import { trustStorePath } from "../../config/trust/store.ts";
import { credentialsPath, isTrustedSomewhere, systemLeaseClock, type WorkerOptions } from "../../fleet/mod.ts";
import type { CliIo } from "../console/command.ts";
import { passedEnvironment } from "../environment.ts";

type Environment = (name: string) => string | undefined;

/** Where it stands what workers of this machine take: `panewright/worker.jsonc` of the config folder. */
export function rulesPath(env: Environment): string | undefined {
  const beside = credentialsPath((name) => name === "PANEWRIGHT_FLEET" ? undefined : env(name));
  return beside === undefined ? undefined : `${dirname(beside)}/worker.jsonc`;
}

export interface Gates {
  /** Less memory than this, and no further job is taken. Bytes. */
  readonly minMemory: number;
  /** More processes ready to run for each core, and no further job is taken. */
  readonly maxLoad: number;
}

/** What a worker does with this machine. */
export function workerMachine(
  { env, envNames, stderr }: Pick<CliIo, "env" | "envNames" | "stderr">,
  { maxLoad, minMemory }: Gates,
): Pick<
  WorkerOptions,
  "panewright" | "environment" | "giveAnswer" | "refuses" | "isFull" | "log" | "clock" | "leaseClock"
> {
  return {
    panewright: selfCommand(["--allow-all"]),
    environment(secrets) {
      const own = passedEnvironment({ env, envNames }, secrets);
      // What a run is to do is in its job; that somebody trusts it was looked at here.
      return { PANEWRIGHT_SANDBOX: "auto", ...own, PANEWRIGHT_ISOLATION: "none", PANEWRIGHT_TRUST: "1" };
    },
    async giveAnswer(folder, { isModels, ...given }) {
      await giveAnswer(folder, { ...given, by: isModels ? "mcp" : "command" }, {
        requireTrust: () => Promise.resolve(),
      });
    },
    async refuses({ config, rule }) {
      if (rule.configs === "any" || lstatOrUndefined(config) === undefined) return undefined;
      if (await isTrustedSomewhere(config, trustStorePath(env))) return undefined;
      return `nobody has trusted its ${
        basename(config)
      } on this machine: trust it in a checkout there, with "panewright trust"`;
    },
    isFull() {
      const { available } = Deno.systemMemoryInfo();
      const load = (Deno.loadavg()[0] ?? 0) / navigator.hardwareConcurrency;
      const full = available < minMemory
        ? `${byteSize(available)} of memory are left`
        : load > maxLoad
        ? `the load is ${load.toFixed(1)} for each core`
        : undefined;
      return Promise.resolve(full);
    },
    log: (line) => stderr(`${new Date().toISOString()} ${line}\n`),
    clock: systemClock,
    leaseClock: systemLeaseClock(),
  };
}
