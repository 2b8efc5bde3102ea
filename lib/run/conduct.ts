import { HumanInterventionRequiredError } from "../errors.ts";
import { type Clock, systemClock } from "../ports/clock.ts";
import type { Press } from "../notify/buttons.ts";
import { openMessages } from "../notify/messages.ts";
import type { Notification } from "../notify/notification.ts";
import type { SentMessage } from "../notify/outbox.ts";
import type { NotificationPlan } from "../notify/plan.ts";
import type { HttpPoster } from "../ports/http.ts";
import type { OnForcedExit } from "../ports/watchdog.ts";
import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { shellJoin } from "../shell/quote.ts";
import { errorText } from "../text/error_text.ts";
import { VERSION } from "../version.ts";
import { CapReachedError, raisedCaps, requireRaise, type RunCaps } from "./caps.ts";
import type { AnyFact, Job } from "./job.ts";
import { storedPaths } from "./journal_paths.ts";
import type { RunEnd, StartedBy } from "./run_facts.ts";
import { droppedRecordMessage, openJournal } from "./journal.ts";
import { openMeter, type TurnToCheck } from "./meter.ts";
import { type Prices, unpricedMessage } from "./prices.ts";
import { foldFacts, readFactsOf } from "./read_facts.ts";
import { createRunFolder, type RunFolder, type RunSubfolder } from "./run_folder.ts";
import { lockOutbox, lockRun } from "./run_lock.ts";
import { holdRequest, RunBegunError, type RunRequest } from "./run_request.ts";
import { NOTHING_SPENT, settled, spend, type Spending } from "./spending.ts";

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
export interface EndedRun {
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

/**
 * Carries out a job from the beginning, in a run of its own.
 *
 * @param open makes the first fact
 * @throws {UsageError} when the run is refused; its folder is removed again
 * @throws {RunBegunError} when its request has begun a run already
 * @throws {CapReachedError} when the run has used what it may
 * @throws {HumanInterventionRequiredError} when only a person can decide how to continue
 * @throws what the job throws, and the signal's reason when it is aborted
 */
export async function startRun<Fact extends AnyFact, State>(
  execution: Execution<Fact, State>,
  open: (folder: RunFolder) => Fact,
  options: RunOptions<Fact>,
): Promise<RunReport<State>> {
  const { workdir, subfolders, job } = execution;
  const { request: asked, clock, signal } = options;
  using request = asked === undefined ? undefined : await holdRequest(workdir, asked, { clock, signal });
  if (request?.begun !== undefined) throw new RunBegunError(request.begun);
  const folder = await createRunFolder(workdir, { now: options.wallClock?.() ?? new Date(), subfolders });
  using held = new DisposableStack();
  try {
    held.use(await lockRun(folder, options.clock));
    held.use(await execution.claim?.(folder));
    await request?.claim(folder);
  } catch (error) {
    // A run that was refused was none.
    await Deno.remove(folder.path, { recursive: true });
    throw error;
  }
  const key = request === undefined ? {} : { key: request.keyHash };
  const opening = { ...open(folder), ...key };
  const onBegun = () => request?.[Symbol.dispose]();
  return await conduct({ execution, folder, state: job.initial, spent: NOTHING_SPENT, opening, onBegun }, options);
}

/**
 * Resumes a run from what its journal says, whatever happened to the process that executed it.
 *
 * @throws {UsageError} when another process executes it, it is over, or it is refused for another reason
 * @throws like {@linkcode startRun}
 */
export async function resumeRun<Fact extends AnyFact, State>(
  execution: Execution<Fact, State>,
  folder: RunFolder,
  options: RunOptions<Fact>,
): Promise<RunReport<State>> {
  const { job } = execution;
  using held = new DisposableStack();
  held.use(await lockRun(folder, options.clock));
  let spent = NOTHING_SPENT;
  const state = await foldFacts(await readFactsOf(job, folder), {
    job,
    folder,
    onFact: (fact, before) => spent = spend(spent, job.meter?.(fact, before), Date.parse(fact.at)),
  });
  const opening = await execution.resume(folder, state);
  const { raise = {} } = options;
  requireRaise(raise, raisedCaps(execution.caps, spent.raised));
  const raised = Object.keys(raise).length === 0 ? {} : { raised: raise };
  held.use(await execution.claim?.(folder));
  return await conduct(
    { execution, folder, state, spent: settled(spent), opening: { ...opening, ...raised } },
    options,
  );
}

interface Beginning<Fact extends AnyFact, State> {
  readonly execution: Execution<Fact, State>;
  readonly folder: RunFolder;
  readonly state: State;
  /** What earlier processes have used. */
  readonly spent: Spending;
  readonly opening: Fact;
  /** Called once that fact is on the disk. */
  readonly onBegun?: () => void;
}

async function conduct<Fact extends AnyFact, State>(
  { execution, folder, state: earlier, spent, opening, onBegun }: Beginning<Fact, State>,
  options: RunOptions<Fact>,
): Promise<RunReport<State>> {
  const { signal = new AbortController().signal, clock = systemClock, whereArguments = [] } = options;
  const startedAtMs = clock.now();
  const commandLine = (command: string, ...words: readonly string[]) =>
    shellJoin(["panewright", command, folder.id, ...whereArguments, ...words]);
  const resumeCommand = commandLine("resume");
  using meter = openMeter({ caps: execution.caps, earlier: spent, clock, prices: execution.prices });
  using journal = openJournal(folder.journalPath, { resumeCommand });
  const redactor = createRedactor(execution.secrets);
  const toStored = storedPaths(folder.path);
  let state = earlier;
  const keep = (
    fact: Fact,
    { text, isLast = false }: { readonly text?: string | undefined; readonly isLast?: boolean },
  ) => {
    const metered = execution.job.meter?.(fact, state);
    meter.admit(metered);
    // Only what is kept and told is redacted: the run itself goes by the exact words.
    const kept = redactor.record(fact);
    const stored = execution.job.mapPaths?.(kept, toStored) ?? kept;
    const at = isLast ? journal.appendLast(stored) : journal.append(stored);
    state = execution.job.fold(state, { ...fact, at, ...(text === undefined ? {} : { text }) });
    const unpriced = meter.take(metered);
    options.onEvent?.(kept);
    for (const model of unpriced) warn(unpricedMessage(model, execution.prices));
  };
  const record = (fact: Fact, text?: string) => keep(fact, { text });
  /** What ended the run must not be lost because this cannot be written. */
  const tryKeep = (fact: () => Fact, options: { readonly isLast?: boolean } = {}) => {
    try {
      keep(fact(), options);
    } catch { /* see above */ }
  };
  const warn = (message: string) => tryKeep(() => execution.warning(message));
  const { giveAnswer, wallClock = () => new Date(), http } = options;
  using outboxLock = execution.notifications === undefined ? undefined : await lockOutbox(folder);
  const messages = openMessages({
    ...{ plan: execution.notifications, folder, workdir: execution.workdir, redactor, clock, wallClock },
    takesLeft: outboxLock !== undefined,
    onProblem: warn,
    giveAnswer: giveAnswer && ((press) => giveAnswer(folder, press)),
    ...(http === undefined ? {} : { http }),
  });
  // Nobody is there who could answer a question that still waits; an end says more than a question before it.
  let held: "deliver" | "drop" = "drop";
  await using _messages = { [Symbol.asyncDispose]: () => messages.close({ held }) };
  const finish = (outcome: RunEnd, reason: string, resumedBy = resumeCommand) => {
    const seconds = (clock.now() - startedAtMs) / 1000;
    return execution.finish({ outcome, reason, seconds, resumeCommand: resumedBy }, state);
  };
  const tellEnd = (outcome: RunEnd, reason: string) => {
    const priority = PRIORITIES[outcome];
    // Only the first line: below it errors show screens, and what they show is nobody else's.
    const [text = ""] = reason.split("\n");
    if (priority !== undefined) messages.send({ kind: "ended", title: `panewright: ${outcome}`, text, priority });
    if (outcome === "waiting") held = "deliver";
  };

  const { startedBy } = options;
  record({ ...opening, panewright: VERSION, ...(startedBy === undefined ? {} : { startedBy }) });
  onBegun?.();
  try {
    await messages.hearEarlier();
    if (journal.droppedBytes > 0) record(execution.warning(droppedRecordMessage(journal.droppedBytes)));
    const { outcome, reason } = await execution.play({
      folder,
      state: () => state,
      record,
      redactor,
      requireTurn: (worker, turn) => meter.requireTurn(worker, turn),
      limitOf: (cap) => meter.limitOf(cap),
      notify: (notification) => messages.send(notification),
      commandLine,
      onForcedExit: options.onForcedExit ?? (() => () => {}),
      clock,
      wallClock,
      signal: AbortSignal.any([signal, meter.signal]),
    });
    record(finish(outcome, reason));
    tellEnd(outcome, reason);
    return { outcome, reason, folder, state };
  } catch (error) {
    const cause = [signal, meter.signal].find(({ aborted }) => aborted)?.reason ?? mainError(error, warn);
    const outcome = signal.aborted
      ? "interrupted"
      : cause instanceof HumanInterventionRequiredError
      ? "needs_human"
      : "error";
    const raises = cause instanceof CapReachedError ? [cause.raise, ...cause.raiseAlso] : [];
    const resumedBy = commandLine("resume", ...raises.flatMap((raise) => ["--raise", raise]));
    tryKeep(() => finish(outcome, errorText(cause), resumedBy), { isLast: true });
    tellEnd(outcome, errorText(cause));
    throw cause;
  }
}

/** How urgent the end of a run is for the person who waits for it; one who ended it needs no message. */
const PRIORITIES: Readonly<Record<RunEnd, Notification["priority"] | undefined>> = {
  pass: 3,
  fail: 4,
  error: 4,
  needs_human: 5,
  // The question has been sent.
  waiting: undefined,
  interrupted: undefined,
};

/** What ended the run, where the cleaning up failed on top of it: that is told as a warning. */
function mainError(error: unknown, warn: (message: string) => void): unknown {
  if (!(error instanceof SuppressedError)) return error;
  warn(errorText(error.error));
  return mainError(error.suppressed, warn);
}
