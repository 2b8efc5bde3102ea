import type { AutonomyLevel } from "../../journal/exec/fields.ts";
import type { DialogPlan } from "../../turn/desk/decision.ts";
import type { StepProvider } from "../../agents/provider.ts";
import type { SandboxRequest } from "../../agents/sandbox.ts";
import type { Caps } from "../../run/caps.ts";
import type { NoProgressLimits } from "../../run/no_progress.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import type { Prices } from "../../run/prices.ts";
import type { TestCommand } from "../test_command.ts";
import type { Next } from "../flow.ts";
import type { ExecSettings } from "./settings.ts";

/** Everything that `panewright exec` needs to know besides its task; what the configuration comes down to. */
export interface ExecPlan extends DialogPlan {
  /** The steps of each pipeline, in the order of the configuration. */
  readonly pipelines: Readonly<Record<string, readonly StepPlan[]>>;
  readonly defaultPipeline: string | undefined;
  readonly settings: ExecSettings;
  /** What a run may use. */
  readonly caps: Caps;
  /** What tokens cost. */
  readonly prices?: Prices;
  /** How much of the same it may do. @default {{}} as much as it does */
  readonly noProgress?: NoProgressLimits;
  /** What the sandbox of each agent's CLI is asked for; missing where agents start as their CLI's settings say. */
  readonly sandbox?: SandboxRequest;
  readonly notifications?: NotificationPlan;
}

/** The file with a step's prompt. */
interface PromptFile {
  readonly kind: "file";
  /** Absolute. */
  readonly path: string;
  /** Its text where it was read before: what an agent writes there meanwhile does not count. */
  readonly text?: string;
}

/** One step of a pipeline. */
export interface StepPlan {
  readonly name: string;
  /** The task's own text, or the absolute path of a file with the step's prompt. */
  readonly prompt: { readonly kind: "self" } | PromptFile;
  readonly provider: StepProvider;
  /** Program and leading arguments in place of the provider's own. */
  readonly command?: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  /** What must hold after the step, in this order. */
  readonly checks: readonly CheckPlan[];
  /** How often a failed attempt is repeated. */
  readonly retry: number;
  /** Where the pipeline continues after the step, where that is not the next step in order. */
  readonly next?: Next;
  /** Globs, relative to the working directory, of the files that the step may change; any file without them. */
  readonly allowWrite?: readonly string[];
  readonly autonomyLevel?: AutonomyLevel;
  /** What all attempts of the step together may use. */
  readonly caps?: Caps;
  /** Seconds that one attempt may take. */
  readonly timeLimitSeconds: number;
}

/** What must hold after a step. */
export type CheckPlan =
  | { readonly type: "none" }
  /** The agent's last message is a review, and approves. */
  | { readonly type: "review" }
  /** All of these files must be there; relative paths start from the working directory. */
  | { readonly type: "fileExists"; readonly paths: readonly string[] }
  | {
    readonly type: "shell";
    readonly command: TestCommand;
    readonly expect: "pass" | "fail";
    readonly timeLimitSeconds: number;
  };
