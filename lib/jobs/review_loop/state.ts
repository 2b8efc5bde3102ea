import type { Job } from "../../journal/loop/fields.ts";
import type { RunRecords } from "../../journal/loop/state.ts";
import type { Role } from "../../base/roles.ts";
import type { TestCommandResult } from "../test_command.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { ExistingNames } from "../../base/text/paths_in.ts";
import type { ReviewLoopSettings } from "./settings.ts";

export interface LoopContext {
  readonly workdir: string;
  readonly job: Job;
  readonly settings: ReviewLoopSettings;
}

export type LoopStage =
  | { readonly kind: "work"; readonly role: Role; readonly cycle: number }
  | { readonly kind: "verdict"; readonly role: Role; readonly cycle: number }
  | { readonly kind: "test_command"; readonly testerVerdict: "PASS" | "FAIL"; readonly note: string | undefined }
  | { readonly kind: "finished"; readonly outcome: "pass" | "fail"; readonly reason: string };

interface TestEvidence {
  readonly round: number;
  readonly report: string;
  /** The archived files with it, absolute. */
  readonly files: readonly string[];
  readonly command: TestCommandResult | undefined;
  readonly note: string | undefined;
}

export interface LoopResponse {
  readonly text: string;
  /** The archived file with it, absolute; missing where it was not archived. */
  readonly file?: string | undefined;
  readonly names?: ExistingNames | undefined;
}

/** Where a loop stands: all that is needed to continue from here. Plain data, so that it survives JSON. */
export interface LoopState {
  readonly round: number;
  readonly stage: LoopStage;
  readonly outputs: Readonly<Partial<Record<Role, string>>>;
  readonly sources: Readonly<Partial<Record<Role, Source>>>;
  readonly feedback: Readonly<Partial<Record<Role, Feedback>>>;
  /** The roles that have had a prompt, so that the next one may be shorter. */
  readonly prompted: readonly Role[];
  readonly testEvidence: TestEvidence | undefined;
  /** The project's test command, as people read it, once it could be run; missing before that. */
  readonly testCommandRan?: string;
  readonly earlierChanges: readonly EarlierChanges[];
}

export interface Source {
  readonly files: readonly string[];
  readonly names: ExistingNames;
}

export interface Feedback {
  readonly text: string;
  /** The archived files with it, absolute. */
  readonly files: readonly string[];
  readonly note: string | undefined;
  readonly by: Role;
  /** The round in which the work went on without an approval. */
  readonly openIn?: number;
}

interface EarlierChanges {
  readonly round: number;
  readonly report: string;
  /** The archived files with it, absolute. */
  readonly files: readonly string[];
}

export interface Turn {
  readonly id: string;
  readonly role: Role;
  readonly round: number;
  readonly cycle: number;
  /** `verdict` asks a reviewer or the tester for the verdict that was missing. */
  readonly kind: "work" | "verdict";
}

export interface Transition {
  readonly state: LoopState;
  readonly events: readonly ReviewFact[];
}

export interface RunState extends RunRecords {
  readonly head: RunRecords["head"] & { readonly settings: ReviewLoopSettings };
  readonly loop: LoopState;
  readonly untold: readonly ReviewFact[];
}
