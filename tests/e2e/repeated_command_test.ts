import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Turn } from "../lab/steps.ts";
import type { CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { cliProject } from "./cli_project.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";
import { JOB } from "./review_project.ts";

/** How often a command may be repeated here. */
const LIMIT = 6;
const COMMAND = "echo it still fails";

/** A model that has one idea, and has it again and again. */
const SPINS: Turn = Array.from({ length: 200 }, () => [
  { do: "wait", ms: 400 } as const,
  { do: "shell", command: COMMAND } as const,
]).flat();

for (const provider of ["codex", "claude_code"] as const satisfies readonly CliName[]) {
  for (const job of ["run", "exec"] as const) {
    Deno.test(`max_same_command, ${job}, ${provider}: it is told what it repeats and how often; --raise continues`, async () => {
      let isTame = false;
      await using project = await cliProject({
        provider,
        isRepository: true,
        onPath: "itself",
        respond({ prompts }) {
          if (!isTame) return SPINS;
          // An agent that is told to continue has the prompt in an earlier message.
          const target = prompts.map(responseTargetOf).findLast((one) => one !== undefined);
          return target === undefined
            ? [{ do: "say", text: "It is done." }]
            : workTurn(target, { response: "I looked.\n\nRESULT: PASS" }, { thinkMs: 50 });
        },
        files: {
          "job.md": JOB,
          "task.md": "Make it pass.\n",
          "panewright.jsonc": {
            provider,
            providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
            prompt_file: "job.md",
            start_agent: "tester",
            handoff: { poll_seconds: 0.5 },
            limits: { max_same_command: LIMIT },
            pipelines: { main: [{ name: "build", prompt: "self", check: { type: "none" } }] },
          },
        },
      });
      const { replies, sandbox } = project;
      const start = (...args: readonly string[]) => project.run(...args, "--json");

      const stopped = await start(...(job === "run" ? ["run"] : ["exec", "task.md"]));
      assertEquals(stopped.code, 3, stopped.stderr + stopped.stdout);
      const who = job === "run" ? "tester" : "main/build";
      const told = new RegExp(
        `the cap max_same_command \\(${LIMIT}\\) is reached: ${who} ran one command (\\d+) times in a row, with the same ` +
          `output, and no file changed: ${COMMAND}\\n`,
      );
      assertMatch(stopped.stderr, told);
      const times = Number(told.exec(stopped.stderr)?.[1]);
      assert(times >= LIMIT && times <= replies(), `${times} of ${replies()} replies`);
      assert(replies() < 60, `${replies()} replies were asked for`);
      const end = parseEvents(stopped.stdout).find(({ type }) => type === "run_finished") as Finished | undefined;
      assertMatch(end?.resumeCommand ?? "", new RegExp(` --raise '?max_same_command=${2 * LIMIT}'?$`));
      await sandbox.assertNothingLeft();

      const asked = replies();
      const refused = await start("resume");
      assertEquals([refused.code, replies()], [3, asked], refused.stderr);
      isTame = true;
      const resumed = await start("resume", "--raise", `max_same_command=${2 * LIMIT}`);
      assertEquals(resumed.code, 0, resumed.stderr + resumed.stdout);
    });
  }
}

/** What of the end of a run is looked at here. */
interface Finished {
  readonly type: string;
  readonly resumeCommand?: string;
}
