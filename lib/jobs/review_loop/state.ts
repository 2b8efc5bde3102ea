import type { Job } from "../../journal/loop/fields.ts";
import type { RunRecords } from "../../journal/loop/state.ts";
import type { Role } from "../../base/roles.ts";
import type { TestCommandResult } from "../test_command.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { ExistingNames } from "../../base/text/paths_in.ts";
import type { ReviewLoopSettings } from "./settings.ts";

/** What stays the same during a loop. Plain data. */
export interface LoopContext {
  readonly workdir: string;
  readonly job: Job;
  readonly settings: ReviewLoopSettings;
}

/** A role that writes something which a reviewer looks at. */
export type AuthorRole = "analyst" | "programmer";
/** A role that reviews. */
export type ReviewerRole = "analyst_review" | "programmer_review";

/** What the loop waits for next. */
export type LoopStage =
  /** The response to a role's prompt. */
  | { readonly kind: "work"; readonly role: Role; readonly cycle: number }
  /** The verdict that the role's last response did not state; it is asked for once. */
  | { readonly kind: "verdict"; readonly role: ReviewerRole | "tester"; readonly cycle: number }
  /** The result of the project's test command. */
  | { readonly kind: "test_command"; readonly testerVerdict: "PASS" | "FAIL"; readonly note: string | undefined }
  | { readonly kind: "finished"; readonly outcome: "pass" | "fail"; readonly reason: string };

/** What a failed round leaves for the next one. */
interface TestEvidence {
  readonly round: number;
  /** The tester's response; empty where there was none. */
  readonly report: string;
  /** The archived files with it, absolute. */
  readonly files: readonly string[];
  readonly command: TestCommandResult | undefined;
  /** Why the round failed, where the tester did not say FAIL itself. */
  readonly note: string | undefined;
}

/** What a role has answered. */
export interface LoopResponse {
  readonly text: string;
  /** The archived file with it, absolute; missing where it was not archived. */
  readonly file?: string | undefined;
  /** What of its words exists in the working directory, where that was looked up. */
  readonly names?: ExistingNames | undefined;
}

/** Where a loop stands: all that is needed to continue from here. Plain data, so that it survives JSON. */
export interface LoopState {
  readonly round: number;
  readonly stage: LoopStage;
  /** The last response of each role. */
  readonly outputs: Readonly<Partial<Record<Role, string>>>;
  /** What belongs to them. */
  readonly sources: Readonly<Partial<Record<Role, Source>>>;
  /** The last review of each author's work that asks for changes, and what panewright adds to it. */
  readonly feedback: Readonly<Partial<Record<AuthorRole, Feedback>>>;
  /** The roles that have had a prompt, so that the next one may be shorter. */
  readonly prompted: readonly Role[];
  readonly testEvidence: TestEvidence | undefined;
  /** The project's test command, as people read it, once it could be run; missing before that. */
  readonly testCommandRan?: string;
  /** What the programmer reported in the rounds before this one. */
  readonly earlierChanges: readonly EarlierChanges[];
}

/** What belongs to the last response of a role, which may be of two files: the second has only the verdict. */
export interface Source {
  /** Absolute. */
  readonly files: readonly string[];
  readonly names: ExistingNames;
}

/** A review that asks for changes. */
interface Feedback {
  readonly text: string;
  /** The archived files with it, absolute. */
  readonly files: readonly string[];
  /** Why an approval was not accepted, or a verdict had to be assumed. */
  readonly note: string | undefined;
}

/** The programmer's last report of an earlier round. */
interface EarlierChanges {
  readonly round: number;
  readonly report: string;
  /** The archived files with it, absolute. */
  readonly files: readonly string[];
}

/** One prompt to one role. */
export interface Turn {
  /** Unique in a run and readable: `r1-analyst-c1`, `r2-tester`, `r1-analyst_review-c2-verdict`. */
  readonly id: string;
  readonly role: Role;
  readonly round: number;
  /** 1 for the first exchange between an author and its reviewer; 0 for the tester. */
  readonly cycle: number;
  /** `verdict` asks a reviewer or the tester for the verdict that was missing. */
  readonly kind: "work" | "verdict";
}

/** A state and what happened on the way to it. */
export interface Transition {
  readonly state: LoopState;
  readonly events: readonly ReviewFact[];
}

/** Where a run of the review loop stands by its journal: all that another process needs to resume it. Plain data. */
export interface RunState extends RunRecords {
  readonly head: RunRecords["head"] & { readonly settings: ReviewLoopSettings };
  readonly loop: LoopState;
  /** What the state machine has to tell, and the journal does not hold yet. */
  readonly untold: readonly ReviewFact[];
}
