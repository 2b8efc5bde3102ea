import { outputLine } from "../../api/output/line.ts";
import type { Exact, OutputFields } from "../../api/output/outputs.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import { present } from "../../base/schema.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { CONFIG_FLAGS } from "../../config/flags.ts";
import { loadSettings } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { MENDS, outlineOf } from "../../jobs/review_loop/loops.ts";
import { formatTestCommand } from "../../jobs/test_command.ts";
import { plural } from "../../journal/words/words.ts";
import { defineCommand } from "../console/command.ts";
import { configSource } from "../environment.ts";

type Loop = Exact<OutputFields["loop"]>;

const NO_JOB = { introduction: "", exploreSummary: "", scenarioTest: "" };

/** `panewright show-roles`: the loop that a configuration names, with its agents. */
export const command = defineCommand({
  arguments: [{ name: "CONFIG", description: "the configuration file (panewright.jsonc where none is named)" }],
  flags: CONFIG_FLAGS,
  async run({ flags, global, positionals: [path] }, io) {
    const loaded = await loadSettings(await configSource(io, { flags, path }));
    const { agents, loop: { maxReviewCycles, maxRounds, projectTestCmd, shape } } = toRunPlan({
      ...loaded,
      job: NO_JOB,
    });
    const loop: Loop = {
      ...{ loop: shape, maxRounds, mends: MENDS },
      roles: outlineOf(shape).map(({ name: role, gives, back }) => ({
        ...{ role, gives, provider: agents[role].provider.id, driver: roleDriverOf(agents[role]) },
        ...present({ model: agents[role].model, back, maxCycles: gives === "review" ? maxReviewCycles : undefined }),
      })),
      ...present({ testCommand: projectTestCmd === undefined ? undefined : formatTestCommand(projectTestCmd) }),
    };
    io.stdout(global.json ? outputLine("loop", loop) : loopText(loop));
    return 0;
  },
});

function loopText({ loop, maxRounds, mends, roles, testCommand }: Loop): string {
  const agentOf = ({ driver, model, provider }: Loop["roles"][number]) =>
    sanitizeLine(`${provider}${model === undefined ? "" : ` ${model}`}, ${driver}`);
  const width = (of: readonly string[]) => Math.max(...of.map(({ length }) => length));
  const [names, agents] = [width(roles.map(({ role }) => role)), width(roles.map(agentOf))];
  const next = maxRounds === 1 ? "fails: so does the run" : `fails: ${mends}, in the next round`;
  const rows = roles.map((role, index) => {
    const { back, gives, maxCycles } = role;
    const what = gives === "work"
      ? "hands its work on"
      : gives === "review"
      ? `REVISE: ${back}, in at most ${plural(maxCycles ?? 1, "cycle")}`
      : next;
    return `  ${index + 1}  ${role.role.padEnd(names)}  ${agentOf(role).padEnd(agents)}  ${what}\n`;
  });
  const last = testCommand === undefined ? [] : [
    `  ${roles.length + 1}  ${"test command".padEnd(names)}  ${sanitizeLine(testCommand).padEnd(agents)}  ${next}\n`,
  ];
  return [`${loop}, at most ${plural(maxRounds, "round")}\n`, ...rows, ...last].join("");
}
