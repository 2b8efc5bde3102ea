import type { FailureClass } from "../../base/terms.ts";
import type { DialogKind } from "../../screen/dialog.ts";
import type {
  AcpActingKind,
  AcpModelSwitch,
  AcpResumeWay,
  AcpSubjectSource,
  AcpToolKind,
  AcpUsageSource,
} from "../acp/acp_provider.ts";

/** What shows that somebody is logged in; it must all be there. */
export interface PackLogin {
  /** Names of variables that must be set: keys are named, never valued. */
  readonly variables?: readonly string[] | undefined;
  /** A file that must be there: absolute, or below `~/`, `$NAME/` or `${NAME:-~/folder}/`. */
  readonly file?: string | undefined;
  /** The protocol's authentication method to call with this login; without it, none is called. */
  readonly auth_method?: string | undefined;
}

/** {@linkcode AcpSubjectSource} as a pack has it: what is left out has its default. */
export type PackSubjectSource = Pick<AcpSubjectSource, "from"> & {
  readonly path?: readonly string[] | undefined;
  readonly form?: AcpSubjectSource["form"] | undefined;
};

/** An agent as one file describes it: the form of `packs/*.jsonc`, and of the files that `agents` names. */
export interface Pack {
  /** What people call it. */
  readonly label: string;
  /** What is looked up on PATH; without it, the configuration must name a `command`. */
  readonly program?: string | undefined;
  readonly npm_package?: string | undefined;
  /** How it is installed, as a full sentence; by default by npm, where it has a package. */
  readonly install_hint?: string | undefined;
  /** What makes the program speak the protocol on its standard input and output. */
  readonly args?: readonly string[] | undefined;
  /** Variables that it is always started with. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Arguments that print the version. @default {["--version"]} */
  readonly version_args?: readonly string[] | undefined;
  /** The first version that is known to work, as three numbers. */
  readonly min_version?: string | undefined;
  /** The first major version of Node.js that it runs on. */
  readonly min_node?: number | undefined;
  /** Any of these. Missing: it needs none, or nothing is known of it. */
  readonly login?: readonly PackLogin[] | undefined;
  /** Arguments with which the program exits with 0 when somebody is logged in. */
  readonly login_status_args?: readonly string[] | undefined;
  /** Files below the working folder that may hold a login of which those arguments know nothing. */
  readonly login_settings?: readonly string[] | undefined;
  /** How a person logs in, as a full sentence. */
  readonly login_hint?: string | undefined;
  /** The variables that lead it to a model server of one's own. */
  readonly model_server?: {
    readonly url?: string | undefined;
    readonly key?: string | undefined;
    readonly model?: string | undefined;
  } | undefined;
  readonly model?: AcpModelSwitch | undefined;
  readonly ask_mode?: {
    readonly id?: string | undefined;
    readonly options?: Readonly<Record<string, string>> | undefined;
    readonly asks_before: readonly AcpActingKind[];
    /** @default {[]} */
    readonly asks_before_changes?: readonly AcpActingKind[] | undefined;
  } | undefined;
  readonly tools?:
    | readonly {
      readonly name?: string | undefined;
      readonly kind?: AcpToolKind | undefined;
      readonly as: DialogKind;
      readonly subject: PackSubjectSource;
      readonly cwd?: PackSubjectSource | undefined;
      /** A regular expression that finds the folder in the words of the call's content, as its first group. */
      readonly cwd_in_content?: string | undefined;
    }[]
    | undefined;
  /** How it takes the answers to questions that it puts as requests for a permission. */
  readonly questions?: "answers_by_index" | undefined;
  readonly usage?: readonly AcpUsageSource[] | undefined;
  readonly resume?: readonly AcpResumeWay[] | undefined;
  /** @default {60} */
  readonly start_seconds?: number | undefined;
  /** What it says of turns that failed; the first that holds counts. Patterns are regular expressions. */
  readonly failures?:
    | readonly {
      readonly class: FailureClass;
      readonly code?: string | undefined;
      readonly words?: string | undefined;
    }[]
    | undefined;
  /** What a person should know of it, as full sentences. */
  readonly notes?: readonly string[] | undefined;
}
