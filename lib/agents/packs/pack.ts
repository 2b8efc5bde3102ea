import type { DialogKind } from "../../screen/dialog.ts";
import type { FailureTable } from "../failure.ts";
import type { ObeyedFiles } from "../obeys.ts";
import type { WholeSupport } from "../whole_support.ts";
import type { AcpActingKind, AcpToolKind } from "../acp/tool_kinds.ts";

/** What shows that somebody is logged in; it must all be there. */
export interface PackLogin {
  /** Names of variables that must be set: keys are named, never valued. */
  readonly variables?: readonly string[] | undefined;
  /** A file that must be there: absolute, or below `~/`, `$NAME/` or `${NAME:-~/folder}/`. */
  readonly file?: string | undefined;
  readonly auth_method?: string | undefined;
}

/** Where something stands in a tool call. */
export interface AcpSubjectSource {
  readonly from: "input" | "meta" | "locations" | "diffs" | "title";
  readonly path?: readonly string[] | undefined;
  /**
   * - `text`: a string
   * - `texts`: a string, or a list of them, one a line
   * - `argv`: a list of strings that is a command; `sh -c` and its like count as their script
   * - `keys`: the keys of an object, one a line
   *
   * @default {"text"}
   */
  readonly form?: "text" | "texts" | "argv" | "keys" | undefined;
}

/** How an exact request is made of a tool call: the first that fits, and whose subject is there, counts. */
export interface AcpToolInput {
  readonly name?: string | undefined;
  readonly kind?: AcpToolKind | undefined;
  readonly as: DialogKind;
  readonly subject: AcpSubjectSource;
  /** Where it names the folder in which it would run. */
  readonly cwd?: AcpSubjectSource | undefined;
  /** A regular expression whose first group is that folder. */
  readonly cwd_in_content?: string | undefined;
  /** The fields of its input that change nothing about what is decided, and those of `_meta`, as `_meta.NAME`. */
  readonly beside?: readonly string[] | undefined;
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

export type PackSandbox = Omit<WholeSupport, "adapt" | "trustClone">;

/** An agent as one file describes it: the form of `packs/*.jsonc`, and of the files that `agents` names. */
export interface Pack {
  readonly label: string;
  /** What is looked up on PATH; without it, the configuration must name a `command`. */
  readonly program?: string | undefined;
  readonly npm_package?: string | undefined;
  readonly install_hint?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly version_args?: readonly string[] | undefined;
  readonly min_version?: string | undefined;
  readonly min_node?: number | undefined;
  readonly login?: readonly PackLogin[] | undefined;
  readonly login_status_args?: readonly string[] | undefined;
  /** Files below the working folder that may hold a login of which those arguments know nothing. */
  readonly login_settings?: readonly string[] | undefined;
  readonly login_hint?: string | undefined;
  readonly model_server?: {
    readonly url?: string | undefined;
    readonly key?: string | undefined;
    readonly model?: string | undefined;
  } | undefined;
  /** Missing where the model cannot be chosen. */
  readonly model?:
    | { readonly by: "argument" | "variable"; readonly name: string }
    | { readonly by: "session_model" }
    | { readonly by: "config_option"; readonly id: string }
    | undefined;
  readonly ask_mode?: {
    readonly id?: string | undefined;
    readonly options?: Readonly<Record<string, string>> | undefined;
    /**
     * What the agent never does in this mode without having asked: a tool call of such a kind that completes without a
     * request for permission ends the run.
     */
    readonly asks_before: readonly AcpActingKind[];
    /**
     * What it asks before only where it believes that something would change: `ls -la` runs unasked. A rule that needs
     * every call judged cannot be kept with such an agent.
     */
    readonly asks_before_changes?: readonly AcpActingKind[] | undefined;
  } | undefined;
  readonly tools?: readonly AcpToolInput[] | undefined;
  readonly questions?: "answers_by_index" | undefined;
  readonly usage?: readonly AcpUsageSource[] | undefined;
  /**
   * The ways to continue a session in a new process, in order of preference; each is used only where the agent offers
   * it. `load` plays what was said before once more. Missing: always a new session.
   */
  readonly resume?: readonly ("resume" | "load")[] | undefined;
  /** How long it may take until it has answered `initialize`: big CLIs are slow on a busy machine. */
  readonly start_seconds?: number | undefined;
  readonly failures?: FailureTable | undefined;
  /** What it obeys of a working directory, or the id of an agent that obeys the same. @default all that is known */
  readonly obeys?: ObeyedFiles | string | undefined;
  /** How it works in a sandbox around it, or the id of a CLI that keeps its state in the same way. */
  readonly sandbox?: PackSandbox | string | undefined;
  readonly notes?: readonly string[] | undefined;
}
