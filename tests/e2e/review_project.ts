import { present } from "../../lib/base/schema.ts";
import type { CliName } from "../support/clis.ts";
import { CODEX_LOGGED_OUT } from "../support/codex_home.ts";
import { type CliProject, cliProject, type CliProjectOptions } from "./cli_project.ts";
import { createReviewModel, type ReviewModel } from "./review_model.ts";

/** A project with a job for five agents, its tests, and a model that plays their roles. */
export interface ReviewProject extends CliProject {
  readonly model: ReviewModel;
}

/** What differs from a project that is ready to run. */
export interface ReviewProjectOptions
  extends Partial<Pick<CliProjectOptions, "provider" | "also" | "panewright" | "respond" | "files" | "claude">> {
  /** @default {"ready"} what Codex shows when it starts: its composer, or one of two screens that want a person */
  readonly start?: "ready" | "trust" | "login";
  /** @default {false} whether Codex asks before each command, and may not write without it */
  readonly guarded?: boolean;
  /** @default {300} milliseconds that the model thinks before each step */
  readonly thinkMs?: number;
  /** Keys of the configuration besides those that make it run. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** Sets up a project for a run of the review loop with five real agents, of Codex unless another provider is named. */
export async function reviewProject(options: ReviewProjectOptions = {}): Promise<ReviewProject> {
  const { provider = "codex", start = "ready", guarded = false, files, config, thinkMs, ...more } = options;
  const model = createReviewModel(answerOf, { ...present({ thinkMs }), escalate: guarded });
  const project = await cliProject({
    provider,
    respond: model.respond,
    ...more,
    codex: {
      trusted: start !== "trust",
      ...(guarded ? { approvalPolicy: "on-request", sandboxMode: "read-only" } : {}),
    },
    files: {
      "job.md": JOB,
      "check.sh": CHECK,
      "panewright.jsonc": { ...configOf(provider), ...config },
      ...files,
    },
  });
  if (start === "login") await Deno.writeTextFile(`${project.env["CODEX_HOME"]}/config.toml`, CODEX_LOGGED_OUT);
  return { ...project, model };
}

function configOf(provider: CliName) {
  return {
    provider,
    providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
    prompt_file: "job.md",
    project_test_cmd: ["sh", "check.sh"],
    handoff: { poll_seconds: 0.5 },
  };
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
