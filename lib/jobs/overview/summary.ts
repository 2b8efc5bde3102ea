import type { Role } from "../../roles.ts";
import type { TerminalStatus } from "../../screen/status.ts";
import type { ExecOutcome, Usage } from "../pipeline/facts.ts";
import type { RunOutcome } from "../review_loop/facts.ts";
import type { AgentPane, SessionState } from "../review_loop/run_state.ts";

/** What a run's journal tells about it, without the texts of its responses. Plain data; all times are ISO 8601. */
export type RunSummary = ReviewSummary | ExecSummary;

/** What both kinds of runs have. */
export interface SummaryHead {
  readonly workdir: string;
  /** Absolute path of the config file; null where there was none. */
  readonly configFile: string | null;
  readonly startedAt: string;
  /** When the process that executes it, or executed it last, began. */
  readonly executedSince: string;
  /** When the last record was written. */
  readonly lastAt: string;
  /** What the agents are to do, in a line. */
  readonly about: string;
  readonly question: AskedQuestion | undefined;
}

/** A run of `panewright run`. */
export interface ReviewSummary extends SummaryHead {
  readonly job: "run";
  /** 0 before the first one. */
  readonly round: number;
  readonly maxRounds: number;
  readonly activity: ReviewActivity;
  readonly counts: ReviewCounts;
  readonly session: SessionState | undefined;
  readonly agents: Readonly<Partial<Record<Role, SummarisedAgent>>>;
  readonly finished: Finished<RunOutcome> | undefined;
}

/** A run of `panewright exec`. */
export interface ExecSummary extends SummaryHead {
  readonly job: "exec";
  readonly tasksPassed: number;
  /** The task that is worked on, or that was worked on last. */
  readonly task: SummarisedTask | undefined;
  readonly usage: Usage;
  readonly finished: Finished<ExecOutcome> | undefined;
}

/** How a run ended, until it is resumed. */
export interface Finished<Outcome> {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly at: string;
}

/** A question, or a dialog, that nobody has answered yet. */
export interface AskedQuestion {
  /** Missing where only the agent's pane takes the answer. */
  readonly id: string | undefined;
  /** The role, or the step, that asks. */
  readonly by: string;
  readonly text: string;
  readonly askedAt: string;
}

/** What a review loop did at its last record. */
export type ReviewActivity =
  | { readonly kind: "none" }
  | { readonly kind: "starting"; readonly waitingFor: readonly Role[]; readonly since: string }
  | {
    readonly kind: "turn";
    readonly role: Role;
    /** 0 for the tester. */
    readonly cycle: number;
    readonly since: string;
    readonly status: { readonly is: TerminalStatus; readonly since: string } | undefined;
  }
  | { readonly kind: "tests"; readonly since: string };

/** How often things have happened in a review loop. */
export interface ReviewCounts {
  readonly turns: number;
  readonly responses: number;
  readonly reminders: number;
  /** Dialogs that the policy answered; those that a person answered are in neither. */
  readonly acceptedDialogs: number;
  readonly declinedDialogs: number;
}

/** A role's agent. */
export interface SummarisedAgent {
  readonly provider: string;
  readonly sessionId: string | undefined;
  /** Undefined while it is starting. */
  readonly pane: AgentPane | undefined;
}

/** A task and the step that it is at. */
export interface SummarisedTask {
  readonly file: string;
  readonly pipeline: string;
  readonly steps: readonly string[];
  /** Counts from 1; one more than there are steps once all have passed. */
  readonly step: number;
  readonly attempts: number;
  /** Relative to the run's folder; of the last attempt. */
  readonly attemptFolder: string | undefined;
  /** What the step waits for next, by the state's own word. */
  readonly stage: string;
}
