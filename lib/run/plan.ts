import type { Argv } from "../base/settings.ts";
import type { EvidencePlan } from "../evidence/settings.ts";
import type { OnAnswer } from "../base/terms.ts";
import type { Caps } from "./caps.ts";
import type { Contract, ContractChange } from "./contract.ts";
import type { NoProgressLimits } from "./no_progress.ts";
import type { NotificationPlan } from "./notify/plan.ts";
import type { Prices } from "./prices.ts";

/** What a run has of its plan, whatever its job. */
export interface RunPlan {
  /** Absolute path of the folder in which the agents work. */
  readonly workdir: string;
  readonly caps: Caps;
  /** What tokens cost. */
  readonly prices?: Prices;
  /** How much of the same it may do. @default {{}} as much as it does */
  readonly noProgress?: NoProgressLimits;
  /** Command patterns of what agents may leave running until the run ends. @default {[]} */
  readonly leaveRunning?: readonly string[];
  /** Limits of time that can be raised as caps can, in seconds by their names. @default {{}} */
  readonly timeLimits?: Readonly<Record<string, number>>;
  readonly notifications?: NotificationPlan;
  /** What comes of an answer while nobody executes it. @default "resume" for a run that has no terminal, else "keep" */
  readonly onAnswer?: OnAnswer;
  /** What workspaces have besides the files of their commits. */
  readonly workspace?: WorkspacePlan;
  /** What of a PASS is looked into. @default nothing is */
  readonly evidence?: EvidencePlan;
  /** What it was made of, and what its commands name. */
  readonly contract?: Contract;
}

/** What is done with work that has passed in a workspace. */
export const DELIVERIES = ["leave", "branch", "commit", "pull_request"] as const;

/** What a workspace gets when it is made, and what is done with its work. */
export interface WorkspacePlan {
  /** @default "leave" */
  readonly deliver?: typeof DELIVERIES[number];
  /** What git ignores and is brought along, in the syntax of `.gitignore`. */
  readonly share: readonly string[];
  /** How much all workspaces of this person may take on the disk. */
  readonly maxDiskBytes?: number;
  readonly setup?: {
    readonly command: string | Argv;
    /** What it depends on; with none, it is done in each workspace anew. */
    readonly files: readonly string[];
    readonly timeLimitSeconds: number;
  };
}

/** A run's contract, while it is executed. */
export interface BoundRun {
  readonly contract: Contract;
  /** Tells what has been changed since the run began, each change once. */
  tellChanges(): void;
}

/** Shows a person what is not as it was when the run began, and throws unless that is accepted. */
export type AcceptChanges = (changes: readonly ContractChange[]) => Promise<void>;
