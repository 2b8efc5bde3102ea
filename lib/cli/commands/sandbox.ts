import { removeTree } from "../../base/ports/own_files.ts";
import { agentsOf, workerNameOf } from "../../jobs/fallback.ts";
import { agentsOfRoles } from "../../config/agent_plans.ts";
import type { WholeAgent } from "../../agents/whole_agent.ts";
import { CONFIG_FLAGS } from "../../config/flags.ts";
import { UsageError } from "../../base/errors.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { runInForeground } from "../../base/ports/process.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { boundsOf } from "../../jobs/whole_bounds.ts";
import { openWholeSandbox } from "../../jobs/whole_sandbox.ts";
import { ownFolders } from "../../sandbox/own_folders.ts";
import type { SandboxSpec } from "../../sandbox/spec.ts";
import { agentsFolderOf } from "../../run/state_names.ts";
import { defineCommand } from "../console/command.ts";
import { warnAt } from "../environment.ts";
import { loadExecConfig } from "../exec_config.ts";
import { outputLine } from "../../api/output/line.ts";

const ACTIONS = ["show", "run"];

/** `panewright sandbox`: what a sandbox around the agents of this folder lets through, and a look around in it. */
export const command = defineCommand({
  arguments: [
    { name: "ACTION", description: ACTIONS.join(" or "), choices: ACTIONS, required: true },
    { name: "COMMAND", description: "for run: the command, after --", rest: true, text: true },
  ],
  flags: CONFIG_FLAGS,
  async run({ flags, global, positionals: [action = "", ...argv] }, io) {
    if (!ACTIONS.includes(action)) {
      throw new UsageError(`Cannot do "${action}" with the sandbox${didYouMean(action, ACTIONS)}`, {
        hint: `ACTION is ${ACTIONS.join(" or ")}.`,
      });
    }
    const { plan, loaded } = await loadExecConfig(
      io,
      { pipelineNeeded: false, programsNeeded: false, flags },
      warnAt(io),
    );
    const { workdir, sandbox } = plan;
    const { sandbox_network: network, sandbox_env: variables, permissions: { writable } } = loaded.config;
    const steps = Object.entries(plan.pipelines).flatMap(([pipeline, all]) =>
      all.map((step) => [`${pipeline}/${step.name}`, step] as const)
    );
    const roles = Object.entries(agentsOfRoles(loaded));
    // Without one around them, agents may do what their CLIs let them.
    const workers = sandbox?.whole === undefined
      ? []
      : [...roles, ...steps].flatMap(([name, own]) =>
        agentsOf<WholeAgent>(own).map((agent, index) => [workerNameOf(name, index), agent] as const)
      );
    const name = `look-${crypto.randomUUID().slice(0, 8)}`;
    const around = {
      ...{ workdir, writable, name },
      // What carries its mark is ended with it: no other one's.
      folder: { path: `${workdir}/.panewright/${name}` },
      whole: { network, variables },
    };
    if (action === "show") {
      const bounds = await boundsOf(new Map<string, WholeAgent>(workers), around);
      const all = [undefined, ...bounds.states.keys()].map((worker) => ({ ...bounds.of(worker), hosts: bounds.hosts }));
      io.stdout(
        all.map((one) => global.json ? outputLine("sandbox", jsonOf(one)) : textOf(one)).join(global.json ? "" : "\n"),
      );
      return 0;
    }
    const [program, ...args] = argv;
    if (program === undefined) {
      throw new UsageError("Cannot run a command in the sandbox: none is named", {
        hint: "Name it after --: panewright sandbox run -- sh",
      });
    }
    const refused: string[] = [];
    await using _folder = {
      [Symbol.asyncDispose]: () => removeTree(agentsFolderOf(around.name) ?? "").catch(() => {}),
    };
    await using open = await openWholeSandbox(new Map(), {
      ...around,
      ...{ clock: systemClock, signal: io.signal },
      onRefusal: ({ what }) => refused.push(what),
      onGone: () => {},
    });
    if ("notOpened" in open) throw new TypeError("A sandbox that is asked for by name has nothing in its place");
    const inside = await open.commands.confine({ argv: [program, ...args], env: {}, cwd: workdir });
    const code = await runInForeground({ ...inside, signal: io.signal });
    await open.disarmGit("command");
    // The kernel's words may come a moment after the program's end.
    await systemClock.sleep(LATE_WORDS_MS, io.signal).catch(() => {});
    if (refused.length > 0) io.stderr(`refused: ${refused.join("; ")}\n`);
    return code;
  },
});

const LATE_WORDS_MS = 100;

type Bounds = SandboxSpec & { readonly hosts: readonly string[] };

function jsonOf({ name, writable, readOnly, hidden, hosts, variables }: Bounds) {
  return { name, writable, own: ownFolders(writable), read_only: readOnly, hidden, hosts, variables };
}

function textOf({ name, writable, readOnly, hidden, hosts, variables }: Bounds): string {
  const rows = {
    "writes": writable,
    "has its own": ownFolders(writable),
    "only reads": readOnly,
    "does not see": hidden,
    "reaches": hosts,
    "gets": [variables.join(" ")],
  };
  const lines = Object.entries(rows).map(([title, all]) =>
    `  ${title.padEnd(12)}  ${all.length === 0 ? "nothing" : all.join("\n".padEnd(17))}`
  );
  const title = name === "command" ? "the project's commands: test command, checks" : name;
  return `${title}\n${lines.join("\n")}\n`;
}
