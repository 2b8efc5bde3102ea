import { outputLine } from "../../api/output/line.ts";
import type { Exact, OutputFields } from "../../api/output/outputs.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import { present } from "../../base/schema.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { CONFIG_FLAGS } from "../../config/flags.ts";
import { loadSettings } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { mendsIn, outlineOf } from "../../jobs/review_loop/shapes.ts";
import { formatTestCommand } from "../../jobs/test_command.ts";
import { plural } from "../../journal/words/words.ts";
import { defineCommand } from "../console/command.ts";
import { configSource } from "../environment.ts";
import { agentOf } from "../../jobs/review_loop/plan.ts";

type Loop = Exact<OutputFields["loop"]>;

const NO_JOB = { introduction: "", exploreSummary: "", scenarioTest: "" };

/** `panewright show-roles`: the loop that a configuration names, with its agents. */
export const command = defineCommand({
  arguments: [{ name: "CONFIG", description: "the configuration file (panewright.jsonc where none is named)" }],
  flags: CONFIG_FLAGS,
  async run({ flags, global, positionals: [path] }, io) {
    const loaded = await loadSettings(await configSource(io, { flags, path }));
    const plan = toRunPlan({ ...loaded, job: NO_JOB });
    const { maxReviewCycles, maxRounds, projectTestCmd, shape } = plan.loop;
    const loop: Loop = {
      ...{ loop: shape, maxRounds, mends: mendsIn(plan.loop) ?? "" },
      roles: outlineOf(plan.loop).map(({ name: role, gives, back }) => {
        const agent = agentOf(plan, role);
        return {
          ...{ role, gives, provider: agent.provider.id, driver: roleDriverOf(agent) },
          ...present({
            model: agent.model,
            back,
            attempts: agent.attempts?.count,
            isolation: agent.isApart === true ? "workspace" as const : undefined,
            maxCycles: gives === "review" ? maxReviewCycles : undefined,
          }),
        };
      }),
      ...present({ testCommand: projectTestCmd === undefined ? undefined : formatTestCommand(projectTestCmd) }),
    };
    io.stdout(global.json ? outputLine("loop", loop) : loopText(loop));
    return 0;
  },
});

function loopText({ loop, maxRounds, mends, roles, testCommand }: Loop): string {
  const next = maxRounds === 1 ? "fails: so does the run" : `fails: ${mends}, in the next round`;
  const ends = { work: () => "hands its work on", review: reviewText, test: () => next };
  const rows = roles.map((role) => {
    const { attempts, driver, gives, isolation, model, provider } = role;
    const agent = `${provider}${model === undefined ? "" : ` ${model}`}, ${driver}`;
    const how = [
      agent,
      ...attempts === undefined ? [] : [`${attempts} attempts`],
      ...isolation === undefined ? [] : ["apart"],
    ];
    return [role.role, how.join(", "), ends[gives](role)];
  });
  const all = testCommand === undefined ? rows : [...rows, ["test command", testCommand, next]];
  const width = (at: number) => Math.max(...all.map((row) => row[at]?.length ?? 0));
  const lines = all.map(([name = "", agent = "", what], index) =>
    sanitizeLine(`  ${index + 1}  ${name.padEnd(width(0))}  ${agent.padEnd(width(1))}  ${what}`) + "\n"
  );
  return [`${loop}, at most ${plural(maxRounds, "round")}\n`, ...lines].join("");
}

function reviewText({ back, maxCycles = 1 }: Loop["roles"][number]): string {
  return `REVISE: ${back}, in at most ${plural(maxCycles, "cycle")}`;
}
