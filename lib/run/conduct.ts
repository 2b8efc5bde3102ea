import { HumanInterventionRequiredError } from "../base/errors.ts";
import { systemClock } from "../base/ports/clock.ts";
import { shellJoin } from "../shell/quote.ts";
import { errorText } from "../base/text/error_text.ts";
import { VERSION } from "../base/version.ts";
import { CapReachedError, raisedCaps, raiseOf, requireRaise } from "./caps.ts";
import type { AnyFact } from "../journal/job.ts";
import { readLockOwner } from "../base/ports/lock_file.ts";
import { foldFacts } from "../journal/read_facts.ts";
import { createRunFolder, type RunFolder } from "./run_folder.ts";
import { claimRunMail, noteTaker, type RunMail, unheardMessage } from "./run_mail.ts";
import { ADOPTED_MESSAGE, adoptJournal, readBelieved } from "./adopt_journal.ts";
import { bindRun, contractField, judgeContract } from "./judge_contract.ts";
import { openNotices } from "./notices.ts";
import { capsOf, openRecorder } from "./recorder.ts";
import { lockRun } from "./run_lock.ts";
import { removeRunEntry } from "./run_entry.ts";
import { holdRequest, RunBegunError } from "./run_request.ts";
import { NOTHING_SPENT, settled, spend, type Spending } from "./spending.ts";
import type { Execution, RunOptions, RunReport } from "./execution.ts";

/** Carries out a job from the beginning, in a run of its own. */
export async function startRun<Fact extends AnyFact, State>(
  execution: Execution<Fact, State>,
  open: (folder: RunFolder) => Fact,
  options: RunOptions<Fact>,
): Promise<RunReport<State>> {
  const { plan: { workdir }, subfolders, job } = execution;
  const { request: asked, clock, signal } = options;
  using request = asked === undefined ? undefined : await holdRequest(workdir, asked, { clock, signal });
  if (request?.begun !== undefined) throw new RunBegunError(request.begun);
  const warnings = await provenBy(execution, options);
  const folder = await createRunFolder(workdir, { now: options.wallClock?.() ?? new Date(), subfolders });
  using held = new DisposableStack();
  let bindTo = {};
  try {
    held.use(await lockRun(folder, options.clock));
    held.use(await execution.claim?.(folder));
    await request?.claim(folder);
    bindTo = await contractField(folder, execution.plan.contract);
  } catch (error) {
    // A run that was refused was none.
    removeRunEntry(folder);
    await Deno.remove(folder.path, { recursive: true });
    throw error;
  }
  const key = request === undefined ? {} : { key: request.keyHash };
  const { contract } = execution.plan;
  const opening = { ...open(folder), ...key, ...bindTo };
  const onBegun = () => request?.[Symbol.dispose]();
  const mail = await claimMail(folder);
  const beginning = { execution, folder, mail, contract, state: job.initial, spent: NOTHING_SPENT };
  return await conduct({ ...beginning, opening, onBegun, warnings }, options);
}

/** Resumes a run from what its journal says, whatever happened to the process that executed it. */
export async function resumeRun<Fact extends AnyFact, State>(
  execution: Execution<Fact, State>,
  named: RunFolder,
  options: RunOptions<Fact>,
): Promise<RunReport<State>> {
  const { job } = execution;
  using held = new DisposableStack();
  held.use(await lockRun(named, options.clock));
  await noteTaker(named, readLockOwner(named.lockPath));
  const { isProven, ...journal } = await readBelieved(job, named);
  let spent = NOTHING_SPENT;
  let folded = 0;
  const state = await foldFacts(journal, {
    job,
    folder: named,
    onFact(fact, before) {
      const event = job.meter?.(fact, before);
      // Only a person raises a cap.
      const isUnproven = folded++ < journal.unproven && event?.kind === "process_begins";
      spent = spend(spent, isUnproven ? { kind: "process_begins" } : event, Date.parse(fact.at));
    },
  });
  const judged = await judgeContract(execution, { folder: named, facts: journal.facts, isProven }, options);
  const opening = await execution.resume(named, state, { clock: options.clock ?? systemClock });
  const { raise = {} } = options;
  requireRaise(raise, raisedCaps(capsOf(execution), spent.raised));
  const asked = {
    ...(Object.keys(raise).length === 0 ? {} : { raised: raise }),
    ...(options.handedBack === undefined ? {} : { handedBack: options.handedBack }),
    ...(options.said === undefined ? {} : { said: options.said }),
  };
  const untried = await provenBy(execution, options);
  held.use(await execution.claim?.(named));
  const folder = isProven ? named : await adoptJournal(named);
  if (folder.lockPath !== named.lockPath) held.use(await lockRun({ ...folder, sharedLockPath: folder.lockPath }));
  const { contract, accepted, warnings } = judged;
  const kept = { ...await contractField(folder, contract), ...(accepted === undefined ? {} : { accepted }) };
  const mail = await claimMail(folder);
  return await conduct({
    ...{ execution, folder, mail, state, contract },
    spent: settled(spent),
    opening: { ...opening, ...asked, ...kept },
    warnings: [...untried, ...(isProven ? [] : [ADOPTED_MESSAGE]), ...warnings],
  }, options);
}

async function provenBy<Fact extends AnyFact, State>(
  execution: Execution<Fact, State>,
  { clock = systemClock, signal = new AbortController().signal }: RunOptions<Fact>,
): Promise<readonly string[]> {
  return await execution.prove?.({ clock, signal }) ?? [];
}

interface Beginning<Fact extends AnyFact, State> {
  readonly execution: Execution<Fact, State>;
  readonly folder: RunFolder;
  readonly mail: RunMail | Unheard;
  readonly state: State;
  readonly spent: Spending;
  readonly contract: Execution<Fact, State>["plan"]["contract"] | undefined;
  readonly opening: Fact;
  readonly onBegun?: () => void;
  /** What is to be known of where the journal comes from, and of what nobody has tried. */
  readonly warnings?: readonly string[];
}

interface Unheard {
  readonly problem: string;
}

async function claimMail(folder: RunFolder): Promise<RunMail | Unheard> {
  return await claimRunMail(folder, { taker: readLockOwner(folder.lockPath) })
    .catch((error) => ({ problem: errorText(error) }));
}

async function conduct<Fact extends AnyFact, State>(
  beginning: Beginning<Fact, State>,
  options: RunOptions<Fact>,
): Promise<RunReport<State>> {
  const { execution, folder, mail, opening, onBegun, warnings = [] } = beginning;
  const { signal = new AbortController().signal, clock = systemClock, wallClock = () => new Date() } = options;
  const { resumedBy: ofWhole, whereArguments = [], startedBy } = options;
  const startedAtMs = clock.now();
  const commandLine = (command: string, ...words: readonly string[]) =>
    command === "resume" && ofWhole !== undefined
      ? ofWhole(...words)
      : shellJoin(["panewright", command, folder.id, ...whereArguments, ...words]);
  const resumeCommand = commandLine("resume");
  using recorder = openRecorder(beginning, { ...options, resumeCommand, clock });
  const { record, warn, state, redactor, meter } = recorder;
  warnings.forEach(warn);
  await using notices = await openNotices({ execution, folder, redactor, warn, clock, wallClock }, options);
  const secondsSoFar = () => (clock.now() - startedAtMs) / 1000;
  const { onAnswer } = execution.plan;
  record({
    ...{ ...opening, panewright: VERSION },
    ...(startedBy === undefined ? {} : { startedBy, onAnswer: "resume" }),
    ...(onAnswer === undefined ? {} : { onAnswer }),
    // The worker of a fleet that has the job resumes it, and nobody else.
    ...(options.mirror === undefined ? {} : { onAnswer: "keep" }),
  });
  onBegun?.();
  recorder.warnEarly();
  await notices.noteBegun();
  try {
    await notices.hearEarlier();
    if ("problem" in mail) record(execution.warning(unheardMessage(mail.problem)));
    recorder.warnDropped();
    const { plan: { workdir } } = execution;
    const bound = bindRun(beginning.contract ?? {}, { workdir, warn: (message) => record(execution.warning(message)) });
    const run = {
      ...{ folder, state, record, redactor, commandLine, clock, wallClock },
      mail: "problem" in mail ? undefined : mail,
      requireTurn: meter.requireTurn,
      limitOf: meter.limitOf,
      notify: notices.send,
      bound,
      onForcedExit: options.onForcedExit ?? (() => () => {}),
      signal: AbortSignal.any([signal, meter.signal]),
    };
    const { outcome, reason } = await recorder.watched((watched) => execution.play({ ...run, ...watched }));
    bound.tellChanges();
    recorder.recordEnd({ outcome, reason, seconds: secondsSoFar(), resumeCommand });
    notices.tellEnd({ outcome, reason, at: recorder.lastAt(), recovered: execution.recovered(state()) });
    return { outcome, reason, folder, state: state() };
  } catch (error) {
    const cause = [signal, meter.signal].find(({ aborted }) => aborted)?.reason ?? mainError(error, warn);
    const outcome = signal.aborted
      ? "interrupted"
      : cause instanceof HumanInterventionRequiredError
      ? "needs_human"
      : "error";
    const reason = errorText(cause);
    const late = execution.timeUp?.(state(), meter.limitOf) ?? [];
    const capped = cause instanceof CapReachedError ? [cause.raise, ...cause.raiseAlso] : [];
    const raises = [...capped, ...late.map((name) => raiseOf(name, { limit: meter.limitOf(name) ?? 0 }))];
    const resumedBy = commandLine("resume", ...raises.flatMap((raise) => ["--raise", raise]));
    recorder.recordFailure({ outcome, reason, seconds: secondsSoFar(), resumeCommand: resumedBy });
    notices.tellEnd({ outcome, reason, at: recorder.lastAt(), recovered: execution.recovered(state()) });
    throw cause;
  }
}

function mainError(error: unknown, warn: (message: string) => void): unknown {
  if (!(error instanceof SuppressedError)) return error;
  warn(errorText(error.error));
  return mainError(error.suppressed, warn);
}
