import { HumanInterventionRequiredError } from "../base/errors.ts";
import { systemClock } from "../base/ports/clock.ts";
import { channelsOf } from "./notify/channels.ts";
import { forgetEndDue, noteEndDue } from "./notify/end_due.ts";
import { openMessages } from "./notify/messages.ts";
import { createRedactor } from "../base/redact/redactor.ts";
import { shellJoin } from "../shell/quote.ts";
import { errorText } from "../base/text/error_text.ts";
import { VERSION } from "../base/version.ts";
import { CapReachedError, raisedCaps, requireRaise } from "./caps.ts";
import type { AnyFact } from "../journal/job.ts";
import { storedPaths } from "../journal/paths.ts";
import type { RunEnd } from "../journal/run_facts.ts";
import { droppedRecordMessage, openJournal } from "../journal/journal.ts";
import { readLockOwner } from "../base/ports/lock_file.ts";
import { openMeter } from "./meter.ts";
import { unpricedMessage } from "./prices.ts";
import { foldFacts, readFactsOf } from "../journal/read_facts.ts";
import { createRunFolder, type RunFolder } from "./run_folder.ts";
import { claimRunMail, noteTaker, type RunMail, unheardMessage } from "./run_mail.ts";
import { lockOutbox, lockRun } from "./run_lock.ts";
import { holdRequest, RunBegunError } from "./run_request.ts";
import { NOTHING_SPENT, settled, spend, type Spending } from "./spending.ts";
import type { Execution, RunOptions, RunReport } from "./execution.ts";
import { keepUntoldEnd, toldEnd } from "./told_end.ts";
import { present } from "../base/schema.ts";

/** Carries out a job from the beginning, in a run of its own. */
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
  const beginning = { execution, folder, mail: await claimMail(folder), state: job.initial, spent: NOTHING_SPENT };
  return await conduct({ ...beginning, opening, onBegun }, options);
}

/** Resumes a run from what its journal says, whatever happened to the process that executed it. */
export async function resumeRun<Fact extends AnyFact, State>(
  execution: Execution<Fact, State>,
  folder: RunFolder,
  options: RunOptions<Fact>,
): Promise<RunReport<State>> {
  const { job } = execution;
  using held = new DisposableStack();
  held.use(await lockRun(folder, options.clock));
  await noteTaker(folder, readLockOwner(folder.lockPath));
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
  const mail = await claimMail(folder);
  return await conduct(
    { execution, folder, mail, state, spent: settled(spent), opening: { ...opening, ...raised } },
    options,
  );
}

interface Beginning<Fact extends AnyFact, State> {
  readonly execution: Execution<Fact, State>;
  readonly folder: RunFolder;
  readonly mail: RunMail | Unheard;
  readonly state: State;
  readonly spent: Spending;
  readonly opening: Fact;
  readonly onBegun?: () => void;
}

interface Unheard {
  readonly problem: string;
}

async function claimMail(folder: RunFolder): Promise<RunMail | Unheard> {
  return await claimRunMail(folder, { taker: readLockOwner(folder.lockPath) })
    .catch((error) => ({ problem: errorText(error) }));
}

async function conduct<Fact extends AnyFact, State>(
  { execution, folder, mail, state: earlier, spent, opening, onBegun }: Beginning<Fact, State>,
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
  let lastAt = new Date().toISOString();
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
    lastAt = at;
    state = execution.job.fold(state, { ...fact, at, ...present({ text }) });
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
  let hasBegun = false;
  /** No other record comes before a run's first one. */
  const early: string[] = [];
  const warn = (message: string) => hasBegun ? tryKeep(() => execution.warning(message)) : void early.push(message);
  const { giveAnswer, wallClock = () => new Date(), http } = options;
  const { notifications, workdir } = execution;
  using outboxLock = notifications === undefined ? undefined : await lockOutbox(folder);
  if (notifications === undefined) forgetEndDue(folder);
  if (notifications !== undefined && outboxLock !== undefined) {
    const channels = channelsOf(notifications, { workdir });
    // A disk that takes no message takes no first record either.
    await keepUntoldEnd(folder, { jobs: [execution.job], now: wallClock(), channels, redactor }).catch(() => {});
  }
  const messages = openMessages({
    ...{ plan: notifications, folder, workdir, redactor, clock, wallClock },
    takesLeft: outboxLock !== undefined,
    onProblem: warn,
    giveAnswer: giveAnswer && ((press) => giveAnswer(folder, press)),
    ...present({ http }),
  });
  // Nobody is there who could answer a question that still waits; an end says more than a question before it.
  let held: "deliver" | "drop" = "drop";
  await using _messages = { [Symbol.asyncDispose]: () => messages.close({ held }) };
  const finish = (outcome: RunEnd, reason: string, resumedBy = resumeCommand) => {
    const seconds = (clock.now() - startedAtMs) / 1000;
    return execution.finish({ outcome, reason, seconds, resumeCommand: resumedBy }, state);
  };
  const tellEnd = (outcome: RunEnd, reason: string) => {
    const end = toldEnd({ outcome, reason, at: lastAt });
    if (end === undefined) forgetEndDue(folder);
    else messages.sendEnd(end);
    if (outcome === "waiting") held = "deliver";
  };

  const { startedBy } = options;
  record({ ...opening, panewright: VERSION, ...present({ startedBy }) });
  onBegun?.();
  hasBegun = true;
  early.forEach(warn);
  if (notifications !== undefined) {
    await noteEndDue(folder).catch((error) => warn(`Cannot keep notifications: ${errorText(error)}`));
  }
  try {
    await messages.hearEarlier();
    if ("problem" in mail) record(execution.warning(unheardMessage(mail.problem)));
    if (journal.droppedBytes > 0) record(execution.warning(droppedRecordMessage(journal.droppedBytes)));
    const { outcome, reason } = await execution.play({
      folder,
      mail: "problem" in mail ? undefined : mail,
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

function mainError(error: unknown, warn: (message: string) => void): unknown {
  if (!(error instanceof SuppressedError)) return error;
  warn(errorText(error.error));
  return mainError(error.suppressed, warn);
}
