import type { ModelRequest } from "../lab/script.ts";
import type { Step, Turn } from "../lab/steps.ts";
import type { CliName } from "../support/clis.ts";
import type { CliProject } from "./cli_project.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";
import { reviewProject } from "./review_project.ts";

/** How the model server refuses a request. */
export type Refusal = Omit<Extract<Step, { do: "refuse" }>, "do" | "times">;

/** How the model server breaks the stream of an answer off. */
export type Broken = Omit<Extract<Step, { do: "break" }>, "do">;

/** What a stage is set up with. */
export interface OneTurnOptions {
  readonly provider: CliName;
  /** What each prompt is answered with, in their order; those after them are worked on. */
  readonly refusals?: readonly (() => Refusal | Broken | "hang")[];
  /** What is run before the response is written. */
  readonly commands?: readonly string[];
  /** How the first turn that is worked on ends once its response is written, in place of its last sentence. */
  readonly failsAtLast?: Refusal | "hang";
  /** Whether the first prompt is answered without a response file. @default {false} */
  readonly forgetsOnce?: boolean;
  /** Further variables of Claude Code's settings. */
  readonly claudeEnv?: Readonly<Record<string, string>>;
  /** Keys of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A job of one turn for a real CLI, whose model server may refuse prompts. */
export interface OneTurnStage extends CliProject {
  /** All that the person typed in the conversation of the last request. */
  conversation(): string;
}

/** What only the prompt of the turn says. */
export const PROMPT_MARK = "check.sh reads greeting.txt, which is not there yet.";

/** Sets the stage: the tester has the only turn. */
export async function setUpOneTurn(options: OneTurnOptions): Promise<OneTurnStage> {
  const { provider, refusals = [] } = options;
  let asked = 0;
  let last: readonly string[] = [];
  const respond = ({ prompts }: ModelRequest): Turn => {
    last = prompts;
    const refusal = refusals[asked++];
    // A client tries again by itself as often as it likes.
    if (refusal !== undefined) {
      const how = refusal();
      if (how === "hang") return [{ do: "hang" }];
      return "status" in how ? [{ do: "refuse", times: 20, ...how }] : [{ do: "break", ...how }];
    }
    if (options.forgetsOnce === true && asked === 1) return [{ do: "say", text: "I have looked at all of it." }];
    const target = responseTargetOf(prompts.at(-1) ?? "");
    if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
    const work = workTurn(target, {
      commands: options.commands ?? [],
      response: "RESULT: PASS\nIt is as it should be.",
    });
    const { failsAtLast } = options;
    if (failsAtLast === undefined) return work;
    return [
      ...work.slice(0, -1),
      failsAtLast === "hang" ? { do: "hang" } : { do: "refuse", times: 20, ...failsAtLast },
    ];
  };
  const { limits, handoff, ...config } = options.config ?? {};
  const project = await reviewProject({
    provider,
    respond,
    claude: { settings: { env: { CLAUDE_CODE_MAX_RETRIES: "0", ...options.claudeEnv } } },
    config: {
      project_test_cmd: undefined,
      start_agent: "tester",
      limits: { max_rounds: 1, ...limits as object },
      handoff: { poll_seconds: 0.5, error_retry_seconds: 0.5, ...handoff as object },
      ...config,
    },
  });
  return { ...project, conversation: () => last.join("\n") };
}
