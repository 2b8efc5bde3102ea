import { startOpenAiServer } from "../lab/openai_server.ts";
import type { ModelServer } from "../lab/model_server.ts";
import type { Respond } from "../lab/script.ts";
import { installCli } from "../support/clis.ts";
import { CODEX_LOGGED_OUT, writeCodexHome } from "../support/codex_home.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { createSandbox, type Sandbox } from "../support/sandbox.ts";
import { createReviewModel, type ReviewModel } from "./review_model.ts";

/** A project with a job, its tests, a Codex that talks to our model, and a panewright configuration. */
export interface CodexProject extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly server: ModelServer;
  readonly model: ReviewModel;
  /** The environment in which a person would start panewright. */
  readonly env: Readonly<Record<string, string>>;
}

/** What differs from a project that is ready to run. */
export interface CodexProjectOptions {
  readonly panewright: PanewrightCommand;
  /** @default {"ready"} what Codex shows when it starts: its composer, or one of two screens that want a person */
  readonly start?: "ready" | "trust" | "login";
  /** A model that does something else than to play the review loop. */
  readonly respond?: Respond;
  /** @default {false} whether Codex asks before each command, and may not write without it */
  readonly guarded?: boolean;
  /** @default {300} milliseconds that the model thinks before each step */
  readonly thinkMs?: number;
  /** Keys of the configuration besides those that make it run. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Sets up a project for a run of the review loop with five real Codex agents. */
export async function setUpCodexProject(options: CodexProjectOptions): Promise<CodexProject> {
  await using stack = new AsyncDisposableStack();
  const codex = await installCli("codex");
  const sandbox = stack.use(await createSandbox());
  const model = createReviewModel(answerOf, {
    ...(options.thinkMs === undefined ? {} : { thinkMs: options.thinkMs }),
    escalate: options.guarded ?? false,
  });
  const server = stack.use(startOpenAiServer({ respond: options.respond ?? model.respond }));
  const { project } = sandbox;
  const folder = `${sandbox.root}/codex-home`;
  const start = options.start ?? "ready";
  const codexEnv = await writeCodexHome({
    folder,
    project,
    baseUrl: server.baseUrl(),
    trusted: start !== "trust",
    ...(options.guarded ? { approvalPolicy: "on-request", sandboxMode: "read-only" } : {}),
  });
  if (start === "login") await Deno.writeTextFile(`${folder}/config.toml`, CODEX_LOGGED_OUT);

  await Deno.writeTextFile(`${project}/job.md`, JOB);
  await Deno.writeTextFile(`${project}/check.sh`, CHECK);
  await Deno.writeTextFile(`${project}/panewright.jsonc`, configText(options.config));
  const env = {
    ...sandbox.env,
    ...options.panewright.env,
    ...codexEnv,
    PATH: `${codex.binFolder}:${sandbox.env.PATH}`,
  };
  const resources = stack.move();
  return { sandbox, server, model, env, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

function configText(more: Readonly<Record<string, unknown>> = {}): string {
  const config = {
    provider: "codex",
    prompt_file: "job.md",
    project_test_cmd: ["sh", "check.sh"],
    handoff: { poll_seconds: 0.5 },
    ...more,
  };
  return `// A job for five Codex agents.\n${JSON.stringify(config)}\n`;
}

/** The job. */
export const JOB = `Greet the world.

*** ORIGINAL EXPLORE SUMMARY ***
check.sh reads greeting.txt, which is not there yet.

*** SCENARIO TEST ***
greeting.txt holds the line "hello, world".
`;

/** The test command of the project. */
export const CHECK = `found=$(cat greeting.txt)
if [ "$found" != "hello, world" ]; then
  echo "greeting.txt holds '$found'"
  exit 1
fi
`;

/** The greeting is wrong in the first round, which the tester does not see but the project's test command does. */
export function answerOf(responseName: string, turn: number): { commands?: readonly string[]; response: string } {
  switch (responseName) {
    case "analyst_summary":
      return { commands: ["cat check.sh"], response: `Plan ${turn}: write greeting.txt, then run check.sh.` };
    case "programmer_summary": {
      const greeting = turn <= 2 ? "hello, wrld" : "hello, world";
      return {
        commands: [`echo '${greeting}' > greeting.txt`],
        response: `Change ${turn}: greeting.txt says ${greeting}.`,
      };
    }
    case "test_result":
      return { commands: ["ls"], response: `I looked at greeting.txt, it is there.\n\nRESULT: PASS` };
    default:
      return { response: reviewResponse(turn % 2 === 0 ? "APPROVED" : "REVISE") };
  }
}

/** A review with what an approval needs. */
export function reviewResponse(verdict: "APPROVED" | "REVISE"): string {
  return `REVIEW_RESULT: ${verdict}
REVIEW_NOTES:
- The plan is complete and correct for \`greeting.txt\` and \`check.sh\`.
- The scenario "hello, world" is covered by check.sh.
- Run \`check.sh\` after writing \`greeting.txt\`.
`;
}
