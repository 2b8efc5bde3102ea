import type { DialogKind } from "../../screen/dialog.ts";
import type { LaunchPlan } from "../launch_plan.ts";
import type { SetupLook } from "../setup.ts";

/** What an agent over the Agent Client Protocol (ACP) is to be started with. */
export interface AcpLaunchRequest {
  /** Absolute path of the folder that the agent works in. */
  readonly workdir: string;
  /** Program and leading arguments, instead of the pack's own program. The pack's arguments are still added. */
  readonly command?: readonly [string, ...string[]] | undefined;
  /** Arguments added after the pack's own. @default {[]} */
  readonly args?: readonly string[];
  /** Variables set for the agent, besides those of the pack and those that it inherits. @default {{}} */
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: string | undefined;
}

/** The kinds of the protocol's tool calls. */
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

/** What a tool call does, as the agent says. */
export type AcpToolKind = (typeof ACP_TOOL_KINDS)[number];

/** The kinds of tool calls that change something, or run something. */
export const ACP_ACTING_KINDS = ["execute", "edit", "delete", "move"] as const satisfies readonly AcpToolKind[];

/** What a tool call that acts does. */
export type AcpActingKind = (typeof ACP_ACTING_KINDS)[number];

/** The way of working in which an agent asks before it acts. */
export interface AcpAskMode {
  /**
   * The id of the session's mode, which is set and read back; missing where the pack's arguments or variables see to
   * it, and the protocol has nothing to read back.
   */
  readonly id?: string;
  /** Config options of the session that are set and read back as well, by their ids. @default {{}} */
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

/** How the model is chosen. `argument` and `variable` are the work of {@linkcode AcpProvider.launch}. */
export type AcpModelSwitch =
  | { readonly by: "argument"; readonly name: string }
  | { readonly by: "variable"; readonly name: string }
  /** `session/set_model` */
  | { readonly by: "session_model" }
  /** `session/set_config_option` with the option of this id */
  | { readonly by: "config_option"; readonly id: string };

/** Where a tool call says what exactly it is about to do. */
export interface AcpSubjectSource {
  /**
   * - `input`: a field of `rawInput`
   * - `meta`: a field of `_meta`
   * - `locations`: the paths of `locations`
   * - `diffs`: the paths of the diffs in `content`
   * - `title`: the title, where the agent is known to put the exact text there and nothing else
   */
  readonly from: "input" | "meta" | "locations" | "diffs" | "title";
  /** The path of keys to the field, for `input` and `meta`. @default {[]} */
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
  /** The tool's own name, as `name` of the tool call has it; any where it is missing. */
  readonly name?: string;
  /** Any where it is missing. */
  readonly kind?: AcpToolKind;
  /** What the request is about: `command`, `file_edit`, … */
  readonly as: DialogKind;
  /** Where its subject is; where none of them is there, a person decides. */
  readonly subject: AcpSubjectSource;
  /** Where it names the folder in which it would run. */
  readonly cwd?: AcpSubjectSource;
  /**
   * What finds that folder in the words of its content, as its first group; where it finds none, the request is not
   * understood.
   */
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
  /** `_meta.quota` of the reply to a prompt: tokens by model */
  | { readonly from: "quota"; readonly of: "turn" | "session" }
  /** `_meta.usage` of a piece of the agent's message: tokens of one request to the model */
  | { readonly from: "message"; readonly of: "request" }
  /** `cost` of `usage_update`: of the session so far; its `used` is the size of the context, no use */
  | { readonly from: "cost"; readonly of: "session" };

/** A way to continue a session in a new process; `load` plays what was said before once more. */
export type AcpResumeWay = "resume" | "load";

/** What is known of an agent that speaks the Agent Client Protocol: how it is driven. */
export interface AcpProvider {
  /**
   * How it is started.
   *
   * @throws {UsageError} where it has no program of its own and none was named, or it cannot be given a model
   */
  launch(request: AcpLaunchRequest): LaunchPlan;
  /** Variables that it is always started with, besides those of the request. @default {{}} */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The method of `authenticate` that is called before a session is opened: the one of the first login that files and
   * variables show; `undefined` where none is to be called.
   */
  authMethod(look: Pick<SetupLook, "env" | "readText" | "kindOf">): string | undefined;
  /** How a person logs in, as a full sentence; missing where that is not known. */
  readonly loginHint?: string;
  /** Missing where it is not known that it asks before it acts: then nothing is set, and nothing promised. */
  readonly askMode?: AcpAskMode;
  /** Missing where the model cannot be chosen. */
  readonly model?: AcpModelSwitch;
  /** What it asks is read by these; where none fits, a person decides. */
  readonly tools: readonly AcpToolInput[];
  /**
   * How it takes the answers to questions that it puts as requests for a permission, with the input of Claude Code's
   * `AskUserQuestion`: beside the outcome, by their places. Missing where it puts none so, or takes no answers.
   */
  readonly questions?: "answers_by_index";
  /** The first that is there tells of tokens, `cost` of the cost. Empty where it tells nothing. */
  readonly usage: readonly AcpUsageSource[];
  /** Whether one of these tells of tokens. */
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
