import { assert, assertEquals, assertMatch } from "@std/assert";
import { startCliServer } from "../lab/cli_server.ts";
import type { Turn } from "../lab/steps.ts";
import { writeCliHome } from "../support/cli_home.ts";
import { type CliName, installCli } from "../support/clis.ts";
import { panewrightFromSource, parseEvents } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";
import { JOB } from "./codex_project.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";

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
      const panewright = await panewrightFromSource();
      const cli = await installCli(provider);
      await using sandbox = await createSandbox();
      const { project } = sandbox;
      let isTame = false;
      await using server = startCliServer(provider, {
        respond({ prompts }) {
          if (!isTame) return SPINS;
          // An agent that is told to continue has the prompt in an earlier message.
          const target = prompts.map(responseTargetOf).findLast((one) => one !== undefined);
          return target === undefined
            ? [{ do: "say", text: "It is done." }]
            : workTurn(target, { response: "I looked.\n\nRESULT: PASS" }, { thinkMs: 50 });
        },
      });
      const baseUrl = server.baseUrl();
      const env = {
        ...sandbox.env,
        ...panewright.env,
        ...await writeCliHome(sandbox, { provider, version: cli.version, baseUrl }),
      };
      await Deno.writeTextFile(`${project}/job.md`, JOB);
      await Deno.writeTextFile(`${project}/task.md`, "Make it pass.\n");
      const config = {
        provider,
        providers: {
          [provider]: { command: cli.argv, args: provider === "codex" ? [] : ["--allowedTools", "Bash"] },
        },
        prompt_file: "job.md",
        start_agent: "tester",
        handoff: { poll_seconds: 0.5 },
        limits: { max_same_command: LIMIT },
        pipelines: { main: [{ name: "build", prompt: "self", check: { type: "none" } }] },
      };
      await Deno.writeTextFile(`${project}/panewright.jsonc`, JSON.stringify(config));
      // Codex takes no other folder in `exec`.
      assertEquals((await runProgram(["git", "init", "-q"], { cwd: project, env, timeoutMs: 10_000 })).code, 0);
      const start = (...args: readonly string[]) =>
        runProgram([...panewright.argv, ...args, "--json"], { cwd: project, env, timeoutMs: 120_000 });
      const replies = () => server.log.entries.filter(({ event }) => event === "busy").length;

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
