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
  readonly auth_method?: string | undefined;
}

export type PackSubjectSource = Pick<AcpSubjectSource, "from"> & {
  readonly path?: readonly string[] | undefined;
  readonly form?: AcpSubjectSource["form"] | undefined;
};

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
  readonly model?: AcpModelSwitch | undefined;
  readonly ask_mode?: {
    readonly id?: string | undefined;
    readonly options?: Readonly<Record<string, string>> | undefined;
    readonly asks_before: readonly AcpActingKind[];
    readonly asks_before_changes?: readonly AcpActingKind[] | undefined;
  } | undefined;
  readonly tools?:
    | readonly {
      readonly name?: string | undefined;
      readonly kind?: AcpToolKind | undefined;
      readonly as: DialogKind;
      readonly subject: PackSubjectSource;
      readonly cwd?: PackSubjectSource | undefined;
      readonly cwd_in_content?: string | undefined;
    }[]
    | undefined;
  readonly questions?: "answers_by_index" | undefined;
  readonly usage?: readonly AcpUsageSource[] | undefined;
  readonly resume?: readonly AcpResumeWay[] | undefined;
  readonly start_seconds?: number | undefined;
  readonly failures?:
    | readonly {
      readonly class: FailureClass;
      readonly code?: string | undefined;
      readonly words?: string | undefined;
    }[]
    | undefined;
  readonly notes?: readonly string[] | undefined;
}
