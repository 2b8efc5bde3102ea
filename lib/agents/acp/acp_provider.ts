import type { DialogKind } from "../../screen/dialog.ts";
import type { LaunchPlan } from "../launch_plan.ts";
import type { SetupLook } from "../setup.ts";

export interface AcpLaunchRequest {
  readonly workdir: string;
  /** Program and leading arguments, instead of the pack's own program. The pack's arguments are still added. */
  readonly command?: readonly [string, ...string[]] | undefined;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: string | undefined;
}

export const ACP_TOOL_KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
] as const;

export type AcpToolKind = (typeof ACP_TOOL_KINDS)[number];

export const ACP_ACTING_KINDS = ["execute", "edit", "delete", "move"] as const satisfies readonly AcpToolKind[];

export type AcpActingKind = (typeof ACP_ACTING_KINDS)[number];

export interface AcpAskMode {
  readonly id?: string;
  readonly options?: Readonly<Record<string, string>>;
  /**
   * What the agent never does in this mode without having asked: a tool call of such a kind that completes without a
   * request for permission ends the run.
   */
  readonly asksBefore: readonly AcpActingKind[];
  /**
   * What it asks before only where it believes that something would change: `ls -la` runs unasked. A rule that needs
   * every call judged cannot be kept with such an agent.
   */
  readonly asksBeforeChanges: readonly AcpActingKind[];
}

export type AcpModelSwitch =
  | { readonly by: "argument"; readonly name: string }
  | { readonly by: "variable"; readonly name: string }
  | { readonly by: "session_model" }
  | { readonly by: "config_option"; readonly id: string };

export interface AcpSubjectSource {
  readonly from: "input" | "meta" | "locations" | "diffs" | "title";
  readonly path: readonly string[];
  /**
   * - `text`: a string
   * - `texts`: a string, or a list of them, one a line
   * - `argv`: a list of strings that is a command; `sh -c` and its like count as their script
   * - `keys`: the keys of an object, one a line
   *
   * @default {"text"}
   */
  readonly form: "text" | "texts" | "argv" | "keys";
}

/** How an exact request is made of a tool call: the first that fits, and whose subject is there, counts. */
export interface AcpToolInput {
  readonly name?: string;
  readonly kind?: AcpToolKind;
  readonly as: DialogKind;
  readonly subject: AcpSubjectSource;
  /** Where it names the folder in which it would run. */
  readonly cwd?: AcpSubjectSource;
  readonly cwdInContent?: RegExp;
}

/**
 * Where an agent tells what it used. What is of the session begins anew with each process of it, also where it was
 * loaded or resumed (Copilot 1.0.102, claude-agent-acp 0.100.0).
 */
export type AcpUsageSource =
  /**
   * `usage` of the reply to a prompt: tokens of the turn, or of the session so far. That total is taken to begin anew
   * with each process, as GitHub Copilot CLI's does (1.0.102), also after `session/load`: of one that counts on, what
   * was there before counts twice, so that a cap is reached too early and never too late
   */
  | { readonly from: "prompt"; readonly of: "turn" | "session" }
  | { readonly from: "quota"; readonly of: "turn" | "session" }
  | { readonly from: "message"; readonly of: "request" }
  | { readonly from: "cost"; readonly of: "session" };

/** A way to continue a session in a new process; `load` plays what was said before once more. */
export type AcpResumeWay = "resume" | "load";

export interface AcpProvider {
  launch(request: AcpLaunchRequest): LaunchPlan;
  readonly env?: Readonly<Record<string, string>>;
  authMethod(look: Pick<SetupLook, "env" | "readText" | "kindOf">): string | undefined;
  readonly loginHint?: string;
  readonly askMode?: AcpAskMode;
  /** Missing where the model cannot be chosen. */
  readonly model?: AcpModelSwitch;
  readonly tools: readonly AcpToolInput[];
  readonly questions?: "answers_by_index";
  readonly usage: readonly AcpUsageSource[];
  readonly tellsTokens: boolean;
  /** In order of preference; each is used only where the agent offers it. Empty: always a new session. */
  readonly resume: readonly AcpResumeWay[];
  /** How long it may take until it has answered `initialize`, in seconds: big CLIs are slow on a busy machine. */
  readonly startSeconds: number;
}

/**
 * Whether an agent asks before it does anything that changes something or runs something: only then can each of its
 * calls be judged.
 */
export function asksBeforeAll({ askMode }: Pick<AcpProvider, "askMode">): boolean {
  return ACP_ACTING_KINDS.every((kind) => askMode?.asksBefore.includes(kind));
}
