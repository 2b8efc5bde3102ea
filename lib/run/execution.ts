import type { agentSecrets } from "../agents/agent_secrets.ts";
import type { Provider } from "../agents/provider.ts";
import type { RunCaps } from "../journal/meter_event.ts";
import type { Clock } from "../base/ports/clock.ts";
import type { Press } from "./notify/buttons.ts";
import type { Notification } from "./notify/notification.ts";
import type { SentMessage } from "./notify/outbox.ts";
import type { HttpPoster } from "../base/ports/http.ts";
import type { OnForcedExit } from "../base/ports/watchdog.ts";
import type { Redactor } from "../base/redact/redactor.ts";
import type { AnyFact, Job } from "../journal/job.ts";
import type { Recovered, RunEnd, StartedBy } from "../journal/run_facts.ts";
import type { Cost, TokenCounts } from "../journal/usage.ts";
import type { AuditLog } from "../turn/desk/audit.ts";
import type { Caps } from "./caps.ts";
import type { TurnToCheck } from "./meter.ts";
import type { AcceptChanges, BoundRun, RunPlan } from "./plan.ts";
import type { RunFolder, RunSubfolder } from "./run_folder.ts";
import type { RunMail } from "./run_mail.ts";
import type { RunRequest } from "./run_request.ts";

export interface RunResult {
  readonly outcome: "pass" | "fail" | "waiting";
  readonly reason: string;
}

export interface RunOptions<Fact> {
  readonly onEvent?: (fact: Fact) => void;
  readonly signal?: AbortSignal;
  readonly onForcedExit?: OnForcedExit;
  readonly whereArguments?: readonly string[];
  /** The command that continues it, where it is a part of another run: that one is resumed. */
  readonly resumedBy?: (...words: readonly string[]) => string;
  readonly clock?: Clock;
  readonly wallClock?: () => Date;
  /**
   * Values that must neither be kept nor leave the machine, such as those of the environment's keys. @default {[]}
   */
  readonly secrets?: readonly string[];
  readonly http?: HttpPoster;
  /**
   * Gives the answer of a notification's button that was pressed. Without it there are no buttons, unless
   * `panewright serve` takes them.
   *
   * @throws saying why it is refused
   */
  readonly giveAnswer?: (folder: RunFolder, press: Press) => Promise<unknown>;
  readonly raise?: RunCaps;
  /** @default a run whose contract differs from what is there now is not resumed */
  readonly acceptChanges?: AcceptChanges;
  /** The id of the CLI's session in which a person has worked since the run was stopped. */
  readonly handedBack?: string;
  /** What a person says to the agent whose attempt was broken off, or has failed. */
  readonly said?: string;
  readonly request?: RunRequest;
  /** From where a run without a terminal is started or resumed; missing for one in the terminal of a person. */
  readonly startedBy?: StartedBy;
  /**
   * Names the file outside of the working directory to which the audit log's heads are copied; `undefined` for no copy.
   */
  readonly auditCopy?: (run: Pick<RunFolder, "id">) => string | undefined;
  /** Keeps the journal's records on another machine as well, before anything relies on them. */
  readonly mirror?: ((line: Uint8Array) => void) | undefined;
}

/** A person at the terminal: what they say, or undefined when they leave the question open. */
export type AskAtTerminal = (question: string, signal: AbortSignal) => Promise<string | undefined>;

/** What a job is carried out by, besides. */
export interface PlannedOptions<Fact, Plan, Person> extends RunOptions<Fact> {
  readonly plan: Plan;
  /** The config file of a run that is resumed, where it is another one from now on; absolute. */
  readonly configFile?: string;
  /** The person at the terminal, who is asked; missing where nobody sits there. */
  readonly person?: Person;
  /** Asks the same person what is no question of an agent. */
  readonly askAtTerminal?: AskAtTerminal;
  /** Whether a question is waited for although nobody sits at a terminal: nobody would be told at the run's end. */
  readonly isPatient?: boolean;
}

export interface Run<Fact, State> {
  readonly folder: RunFolder;
  /** Where answers and messages from outside are left; missing where they cannot be kept. */
  readonly mail: RunMail | undefined;
  readonly state: () => State;
  /**
   * Puts a fact on the disk before anything relies on it, and tells it.
   *
   * @param text of a response: the journal does not hold it
   * @throws {PanewrightError} when it cannot be written
   */
  readonly record: (fact: Fact, text?: string) => void;
  readonly audit: AuditLog;
  readonly redactor: Redactor;
  /**
   * Makes sure that a role or a step may begin a turn by the run's caps; the fact that it begins is refused otherwise.
   *
   * @throws {CapReachedError} when it may not
   */
  readonly requireTurn: (worker: string, turn?: TurnToCheck) => void;
  /** What a cap is now, with what was raised, by name; undefined where there is none. */
  readonly limitOf: (cap: string) => number | undefined;
  /** Warns of what agents obey where it has changed since the last look; `who` begins the sentence. */
  readonly lookAtObeyed: (who: string) => Promise<void>;
  readonly notify: (notification: Notification) => SentMessage;
  readonly commandLine: (command: string, ...words: readonly string[]) => string;
  readonly onForcedExit: OnForcedExit;
  readonly bound: BoundRun;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly signal: AbortSignal;
}

export interface EndedRun {
  readonly outcome: RunEnd;
  readonly reason: string;
  readonly seconds: number;
}

/** The last fields of the record of a run's end. */
interface LastFields {
  readonly cost?: Cost;
  readonly audit?: AuditLog["end"];
  readonly resumeCommand?: string;
}

export interface Proving {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Execution<Fact extends AnyFact, State> {
  readonly job: Job<Fact, State>;
  readonly plan: RunPlan;
  /** Those whose secrets must neither be kept nor leave the machine, and what they obey is watched. */
  agents(): readonly (Parameters<typeof agentSecrets>[0] & { readonly provider: Provider })[];
  /** The limits of time that are used up: a resume that does not raise them has no time left. */
  timeUp?(state: State, limitOf: Run<Fact, State>["limitOf"]): readonly string[];
  workerCaps(): Readonly<Record<string, Caps>>;
  readonly subfolders: readonly RunSubfolder[];
  /**
   * Makes sure, before anything starts, of what the run relies on; returns what a person is told at the start.
   *
   * @throws {UsageError} when it does not hold, or cannot be seen
   */
  prove?(proving: Proving): Promise<readonly string[]>;
  /**
   * Makes ready for another process to continue, and gives its first fact.
   *
   * @throws {UsageError} when the run is over, or cannot continue with its configuration
   */
  resume(folder: RunFolder, state: State, options: { readonly clock: Clock }): Fact | Promise<Fact>;
  /**
   * Claims what the run must have for itself besides its folder.
   *
   * @throws {UsageError} when another run has it
   */
  claim?(folder: RunFolder): Promise<Disposable>;
  /** Whether the run works on as a copy, and its original was still there. @default {() => false} */
  isCopy?(state: State): boolean;
  play(run: Run<Fact, State>): Promise<RunResult>;
  warning(message: string): Fact;
  /** Whether nothing is left to be resumed, or is told how. */
  isOver(outcome: RunEnd): boolean;
  /** @param last fields that follow what the job tells of its end */
  /** What the run was helped out of so far. */
  recovered(state: State): readonly Recovered[];
  finish(end: EndedRun, state: State, last: (tokens: TokenCounts) => LastFields): Fact;
}

export interface RunReport<State> extends RunResult {
  readonly folder: RunFolder;
  readonly state: State;
}
