import type { ReportItem, ReportRef } from "../../journal/items/source.ts";
import type { TokenUsage } from "../../base/usage.ts";
import type { Condition } from "../../run/condition.ts";
import type { Activity, Counts, Done, GivenAnswer, Level, Warning } from "../../journal/progress.ts";
import type { WaitingDialog } from "../../journal/waiting.ts";
import type { WorkerStatus } from "../../journal/workers.ts";
import type { JobId, RunEnd } from "../../journal/run_facts.ts";

/** The version of what is below, `v` in a document: it grows when a field goes, or means something else. */
export const REPORT_VERSION = 1;

/**
 * A run as it is reported: the same for a file, a page that follows it, and a program. Plain data; all times are ISO 8601
 * (UTC). Texts of agents are in it as they are, but without secrets and cut to a length: whoever shows one shows it as
 * text.
 */
export interface Report {
  readonly header: ReportHeader;
  /** By the record that made them, oldest first. */
  readonly items: readonly ReportItem[];
}

/** What a page needs that asks for nothing: a report and all its details. */
export interface ReportDocument extends Report {
  readonly v: typeof REPORT_VERSION;
  /** When it was made, and by which version. */
  readonly madeAt: string;
  readonly madeBy: string;
  /** By `ref`; one that was left out, for the size of it all, has a `problem` that says so. */
  readonly details: Readonly<Record<string, ReportDetail>>;
  /** What was left out of the details, in words, to be shown where everybody sees it; missing where nothing was. */
  readonly leftOut?: string;
}

/** What has changed in a report: its header as it is now, and items that are new or take the place of those before. */
export interface ReportIncrement {
  /** The last record that is taken in. */
  readonly sequence: number;
  readonly header: ReportHeader;
  /** To be put in the place of the item with the same id; new ones belong after all others. */
  readonly items: readonly ReportItem[];
}

/** How a run is, and what is said of it as a whole. */
export interface ReportHeader {
  /** The last record that is taken in: its number in the journal, from 1; 0 before the first. */
  readonly sequence: number;
  readonly runId: string;
  /** Missing before the first record. */
  readonly job?: JobId;
  readonly workdir: string;
  /** What the agents are to do: in a line, and as it was given. */
  readonly about: string;
  readonly task: string;
  /** In one word, and whether a process executes the run. */
  readonly condition: Condition;
  readonly executed: boolean;
  /** How it ended, until it is resumed; missing where it did not. */
  readonly outcome?: RunEnd;
  /** Why it ended so, or why it stands still: a sentence or some; empty where there is nothing to say. */
  readonly why: string;
  /** Resumes it; missing where there is nothing to resume. */
  readonly resumeCommand?: string;
  readonly startedAt: string;
  /** When the process that executes it, or executed it last, began. */
  readonly executedSince: string;
  readonly lastAt: string;
  readonly endedAt?: string;
  /** Where in its job it is, and in words: `round 2 of 8, cycle 1, programmer`. */
  readonly place: readonly Level[];
  readonly placeText: string;
  /** What happens at this moment. */
  readonly activity?: Activity;
  /** One for the run itself, then one a role or a step, in the order in which they first had something to do. */
  readonly lanes: readonly ReportLane[];
  /** The agents, in the order in which they were started. */
  readonly workers: readonly ReportWorker[];
  /** What waits for a person. */
  readonly waiting?: ReportWaiting;
  /** What waits for a person besides; missing where nothing does. */
  readonly alsoWaiting?: readonly ReportWaiting[];
  /** What was decided by people, or in their place; oldest first. */
  readonly answers: readonly GivenAnswer[];
  /** What was finished, oldest first. */
  readonly done: readonly Done[];
  readonly counts: Counts;
  /** Tokens by role or step and model; the names of steps are those of their caps: `main/build`. */
  readonly tokens: readonly ReportTokens[];
  /** What it all has cost, by the prices of a day; missing where there are no prices, and before the end. */
  readonly cost?: { readonly total: number; readonly pricesOf: string };
  readonly audit?: ReportAudit;
  /** The last warnings, oldest first. */
  readonly warnings: readonly Warning[];
  /** Lines of the journal that are not there any more, or cannot be read. */
  readonly gaps: readonly ReportGap[];
  /** Why the journal cannot be read to its end; the report is then of what comes before. */
  readonly problem?: string;
  /** The version that executed it last, as far as that is known. */
  readonly panewright?: string;
}

/** A lane of the timeline. */
export interface ReportLane {
  /** What items name: `run`, a role, or a step's name. */
  readonly id: string;
  readonly kind: "run" | "role" | "step";
  readonly title: string;
}

/** An agent. */
export interface ReportWorker {
  /** The role, or the name of the step; its lane. */
  readonly name: string;
  readonly provider: string;
  readonly status: WorkerStatus;
  readonly statusText: string;
  readonly since: string;
  /** What it can be watched by while the run is executed: its pane, or rows of what it does. */
  readonly shows: "pane" | "activity" | "nothing";
}

/** A question, or a dialog, that nobody has answered yet. */
export interface ReportWaiting {
  /** Names it in an answer; missing where only the agent's pane takes one. */
  readonly id?: string;
  /** The role, or the step, that asks. */
  readonly by: string;
  readonly text: string;
  readonly askedAt: string;
  /**
   * What an answer is: `permission`: yes or no; `question`: a text; `choices`: an option of each of `dialog.questions`;
   * `none`: nothing can be said from here.
   */
  readonly answer: "permission" | "question" | "choices" | "none";
  /** Whether it has an answer that the run has not taken yet. */
  readonly answered: boolean;
  /** Whether only a person may answer it, and no model. */
  readonly reserved: boolean;
  /** What was seen: an answer that names it counts for nothing else. */
  readonly fingerprint?: string;
  readonly dialog?: WaitingDialog;
}

/** All that waits for a person, the first one first. */
export function waitingOf(
  { waiting, alsoWaiting = [] }: Pick<ReportHeader, "waiting" | "alsoWaiting">,
): readonly ReportWaiting[] {
  return waiting === undefined ? [] : [waiting, ...alsoWaiting];
}

/** Tokens of one model that one role or step has used. */
export interface ReportTokens extends TokenUsage {
  readonly worker: string;
  readonly model: string;
  /** What the worker has cost in all; missing where that is not known. */
  readonly cost?: number;
}

/** What the check of the audit log says. */
export interface ReportAudit {
  /**
   * - `intact`: the chain is whole, and ends where the journal and the copy in the state folder say
   * - `broken`: it is not as it was written; `unknown`: that cannot be told; `none`: there is no log
   */
  readonly verdict: "intact" | "broken" | "unknown" | "none";
  /** In words, as a full sentence. */
  readonly text: string;
  /** How many records can be trusted, and the hash of the last. */
  readonly records: number;
  readonly head?: string;
}

/** Lines of the journal that are missing, from 1; both ends belong to it. */
export interface ReportGap {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** What a {@linkcode ReportRef} names. */
export interface ReportDetail extends ReportRef {
  /** A screen has rows with their styles (SGR sequences, and no others). Empty where there is a problem. */
  readonly text: string;
  /** How much of it is not in the text, in words. */
  readonly leftOut?: string;
  /** What else is to be known of it, as a full sentence: that it was changed since. */
  readonly note?: string;
  /** Why there is none, as a full sentence. */
  readonly problem?: string;
  /** Of a screen. */
  readonly columns?: number;
  readonly rows?: number;
}
