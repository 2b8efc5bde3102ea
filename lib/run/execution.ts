import type { RunCaps } from "../journal/meter_event.ts";
import type { Clock } from "../base/ports/clock.ts";
import type { Press } from "./notify/buttons.ts";
import type { Notification } from "./notify/notification.ts";
import type { SentMessage } from "./notify/outbox.ts";
import type { NotificationPlan } from "./notify/plan.ts";
import type { HttpPoster } from "../base/ports/http.ts";
import type { OnForcedExit } from "../base/ports/watchdog.ts";
import type { Redactor } from "../base/redact/redactor.ts";
import type { AnyFact, Job } from "../journal/job.ts";
import type { RunEnd, StartedBy } from "../journal/run_facts.ts";
import type { TurnToCheck } from "./meter.ts";
import type { Prices } from "./prices.ts";
import type { RunFolder, RunSubfolder } from "./run_folder.ts";
import type { RunMail } from "./run_mail.ts";
import type { RunRequest } from "./run_request.ts";

/** How a job ended, or why it waits; `reason` is one sentence. */
export interface RunResult {
  readonly outcome: "pass" | "fail" | "waiting";
  readonly reason: string;
}

/** What every run is executed with. */
export interface RunOptions<Fact> {
  /** Told each fact after it was written to the journal. */
  readonly onEvent?: (fact: Fact) => void;
  /** Ends the run: what it started is ended first, then it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly onForcedExit?: OnForcedExit;
  /** Arguments with which commands find the run from where the person is. @default {[]} */
  readonly whereArguments?: readonly string[];
  /** @default {systemClock} */
  readonly clock?: Clock;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
  /**
   * Values that must neither be kept nor leave the machine, such as those of the environment's keys. @default {[]}
   */
  readonly secrets?: readonly string[];
  /** @default {systemHttpPoster} */
  readonly http?: HttpPoster;
  /**
   * Gives the answer of a notification's button that was pressed. Without it there are no buttons, unless
   * `panewright serve` takes them.
   *
   * @throws saying why it is refused
   */
  readonly giveAnswer?: (folder: RunFolder, press: Press) => Promise<unknown>;
  /** The caps that a run which is resumed may go up to from now on, by name. @default {{}} */
  readonly raise?: RunCaps;
  /** Of a new run: the request that it carries out, at most once. */
  readonly request?: RunRequest;
  /** From where a run without a terminal is started or resumed; missing for one in the terminal of a person. */
  readonly startedBy?: StartedBy;
}

/** A run under way, for what carries its job out. */
export interface Run<Fact, State> {
  readonly folder: RunFolder;
  /** Where answers and messages from outside are left; missing where they cannot be kept. */
  readonly mail: RunMail | undefined;
  /** Where the run stands, with everything that was recorded. */
  readonly state: () => State;
  /**
   * Puts a fact on the disk before anything relies on it, and tells it.
   *
   * @param text of a response: the journal does not hold it
   * @throws {PanewrightError} when it cannot be written
   */
  readonly record: (fact: Fact, text?: string) => void;
  /** Takes secrets out of what is kept besides the journal. */
  readonly redactor: Redactor;
  /**
   * Makes sure that a role or a step may begin a turn by the run's caps; the fact that it begins is refused otherwise.
   *
   * @throws {CapReachedError} when it may not
   */
  readonly requireTurn: (worker: string, turn?: TurnToCheck) => void;
  /** What a cap is now, with what was raised, by name; undefined where there is none. */
  readonly limitOf: (cap: string) => number | undefined;
  /** Sends a message to the person who waits for the run; it can be withdrawn when nobody needs it any more. */
  readonly notify: (notification: Notification) => SentMessage;
  /** A command about the run, as the person can call it: `panewright answer ID`. */
  readonly commandLine: (command: string, ...words: readonly string[]) => string;
  readonly onForcedExit: OnForcedExit;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  /** Aborted when the run is to end, and when a cap of it is reached. */
  readonly signal: AbortSignal;
}

/** How a run ended, for its last fact. */
interface EndedRun {
  readonly outcome: RunEnd;
  readonly reason: string;
  /** How long this process has executed it. */
  readonly seconds: number;
  readonly resumeCommand: string;
}

/** What carries a job out in a working directory. */
export interface Execution<Fact extends AnyFact, State> {
  readonly job: Job<Fact, State>;
  readonly workdir: string;
  readonly notifications: NotificationPlan | undefined;
  readonly caps: RunCaps;
  /** What tokens cost, where somebody has said so. */
  readonly prices?: Prices | undefined;
  /** What must neither be kept nor leave the machine: the secrets of the options, and those that the job names. */
  readonly secrets: readonly string[];
  readonly subfolders: readonly RunSubfolder[];
  /**
   * Makes ready for another process to continue, and gives its first fact.
   *
   * @throws {UsageError} when the run is over, or cannot continue with its configuration
   */
  resume(folder: RunFolder, state: State): Fact | Promise<Fact>;
  /**
   * Claims what the run must have for itself besides its folder.
   *
   * @throws {UsageError} when another run has it
   */
  claim?(folder: RunFolder): Promise<Disposable>;
  /** Does what is left of the job. */
  play(run: Run<Fact, State>): Promise<RunResult>;
  /** The fact that something is worth knowing. */
  warning(message: string): Fact;
  /** The last fact of this process. */
  finish(end: EndedRun, state: State): Fact;
}

/** How a run ended, and what it left. */
export interface RunReport<State> extends RunResult {
  readonly folder: RunFolder;
  readonly state: State;
}
