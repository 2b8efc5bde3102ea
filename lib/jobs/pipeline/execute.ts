import { shellJoin } from "../../shell/mod.ts";
import { UsageError } from "../../errors.ts";
import { droppedRecordMessage, openJournal } from "../../run/journal.ts";
import { createRunFolder, type RunFolder } from "../../run/run_folder.ts";
import { lockRun } from "../../run/run_lock.ts";
import { type Clock, systemClock } from "../../ports/clock.ts";
import type { HttpPoster } from "../../ports/http.ts";
import { type HeadlessRequest, type HeadlessResult, runHeadless } from "../../providers/headless.ts";
import { openMessages } from "../notify.ts";
import type { AskPerson } from "./await_answer.ts";
import { driveRun } from "./drive.ts";
import type { ExecEvent, ExecFact, ExecOutcome } from "./facts.ts";
import { applyFact, foldFacts } from "./fold.ts";
import { endLeftAgents, readInterruptedLog } from "./left_over.ts";
import { planMismatch } from "./machine.ts";
import type { ExecOverrides, ExecPlan, ExecTarget } from "./plan.ts";
import { readExecRun } from "./read_run.ts";
import type { QuestionState, RunHead } from "./state.ts";
import { errorText } from "../../text/error_text.ts";

/** What a run is executed with, whether it is new or goes on. */
export interface ExecOptions {
  readonly plan: ExecPlan;
  /** Asks the person at the terminal; missing where nobody sits there. */
  readonly person?: AskPerson;
  /** Arguments that `panewright answer` and `panewright resume` need to find the run from where the person is. */
  readonly whereArguments?: readonly string[];
  /** Told each fact after it was written to the journal, and what the agent does. */
  readonly onEvent?: (event: ExecEvent) => void;
  /** Ends the run: what it started is ended first, then it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Registers a last act for the case that the program exits at once; what it returns takes the act back. */
  readonly onForcedExit?: (act: () => void) => () => void;
  /** @default {runHeadless of lib/providers} */
  readonly runHeadless?: (request: HeadlessRequest) => Promise<HeadlessResult>;
  /** @default {systemClock} */
  readonly clock?: Clock;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
  readonly http?: HttpPoster;
}

/** What a new run is about. */
export interface ExecStart {
  readonly target: ExecTarget;
  readonly overrides: ExecOverrides;
  /** Absolute path of the config file; null where there is none. */
  readonly configFile: string | null;
}

/** How far a run has come. */
export interface ExecReport {
  readonly outcome: "pass" | "fail" | "waiting";
  readonly reason: string;
  readonly folder: RunFolder;
  /** What waits for its answer. */
  readonly question?: QuestionState;
}

/**
 * Executes a task, or the tasks of a folder, from the beginning.
 *
 * @throws {UsageError} when a task, a prompt file or a program is not there or cannot be used
 * @throws the signal's reason when it is aborted
 */
export async function executeExec(start: ExecStart, options: ExecOptions): Promise<ExecReport> {
  const { plan, wallClock = () => new Date() } = options;
  const folder = await createRunFolder(plan.workdir, { now: wallClock(), subfolders: ["stepsDir", "answersDir"] });
  using _lock = await lockRun(folder);
  const head: RunHead = { id: folder.id, workdir: plan.workdir, ...start };
  const { id: runId, ...facts } = head;
  const opening: ExecFact = { type: "run_started", job: "exec", runId, folder: folder.path, ...facts };
  return await conduct({ folder, head, earlier: [], opening }, options);
}

/**
 * Goes on with a run from what its journal says, whatever has become of the process that executed it.
 *
 * @throws {UsageError} when another process executes it, it has passed, or its pipeline has other steps by now
 * @throws like {@linkcode executeExec}
 */
export async function resumeExec(folder: RunFolder, options: ExecOptions): Promise<ExecReport> {
  const { plan, clock = systemClock } = options;
  using _lock = await lockRun(folder);
  const { state, facts } = await readExecRun(folder);
  if (state.finished?.outcome === "pass") {
    throw new UsageError(`Cannot go on with run ${folder.id}: it has passed`);
  }
  const mismatch = state.current === undefined ? undefined : planMismatch(state.current, plan.pipelines);
  if (mismatch !== undefined) {
    throw new UsageError(`Cannot go on with run ${folder.id}: ${mismatch}`, {
      hint: "Give the pipeline its steps back, or start the task anew.",
    });
  }
  await endLeftAgents(folder, clock);
  const interruptedLog = await readInterruptedLog(folder, state);
  const opening: ExecFact = {
    type: "run_resumed",
    runId: folder.id,
    folder: folder.path,
    ...(interruptedLog === undefined ? {} : { interruptedLog }),
  };
  return await conduct({ folder, head: state.run, earlier: facts, opening }, options);
}

interface Conduct {
  readonly folder: RunFolder;
  readonly head: RunHead;
  readonly earlier: readonly ExecFact[];
  readonly opening: ExecFact;
}

async function conduct({ folder, head, earlier, opening }: Conduct, options: ExecOptions): Promise<ExecReport> {
  const { signal = new AbortController().signal, clock = systemClock } = options;
  const plan = withOverrides(options.plan, head.overrides);
  const startedAtMs = clock.now();
  const commands = commandsFor(folder, options.whereArguments ?? []);
  using journal = openJournal(folder.journalPath, { resumeCommand: commands.resume });
  let state = foldFacts(earlier);
  const record = (fact: ExecFact) => {
    journal.append(fact);
    state = applyFact(state, fact);
    options.onEvent?.(fact);
  };
  await using messages = openMessages({
    plan: plan.notifications,
    onProblem: (message) => record({ type: "warning", message }),
    ...(options.http === undefined ? {} : { http: options.http }),
  });
  const finish = (outcome: ExecOutcome, reason: string) => {
    const seconds = (clock.now() - startedAtMs) / 1000;
    const goesOn = outcome === "pass" || outcome === "waiting" ? {} : { resumeCommand: commands.resume };
    record({
      type: "run_finished",
      outcome,
      tasks: state.passed.length,
      reason,
      usage: state.usage,
      seconds,
      ...goesOn,
    });
    if (outcome === "interrupted" || outcome === "waiting") return;
    messages.send({ title: `panewright: ${outcome}`, text: reason, priority: outcome === "pass" ? 3 : 4 });
  };
  record(opening);
  if (journal.droppedBytes > 0) record({ type: "warning", message: droppedRecordMessage(journal.droppedBytes) });
  try {
    const end = await driveRun({
      plan,
      target: head.target,
      overrides: head.overrides,
      folder,
      state,
      record,
      onActivity: (event) => options.onEvent?.(event),
      onQuestion: (question) =>
        messages.send({
          title: `panewright: a question of step ${question.step}`,
          text: `${question.text}\n\n${commands.answer(question.id)}`,
          priority: 5,
        }),
      person: options.person,
      runHeadless: options.runHeadless ?? runHeadless,
      onForcedExit: options.onForcedExit ?? (() => () => {}),
      clock,
      wallClock: options.wallClock ?? (() => new Date()),
      signal,
    });
    if (end.outcome !== "waiting") {
      finish(end.outcome, end.reason);
      return { outcome: end.outcome, reason: end.reason, folder };
    }
    const { question } = end;
    record({
      type: "question_waiting",
      question: question.id,
      text: question.text,
      answerCommand: commands.answer(question.id),
      resumeCommand: commands.resume,
    });
    const reason = `question ${question.id} of step "${question.step}" waits for its answer`;
    finish("waiting", reason);
    return { outcome: "waiting", reason, folder, question };
  } catch (error) {
    const reason = signal.aborted ? signal.reason : error;
    finish(signal.aborted ? "interrupted" : "error", errorText(reason));
    throw reason;
  }
}

function withOverrides(plan: ExecPlan, { resume }: ExecOverrides): ExecPlan {
  return resume === undefined ? plan : { ...plan, settings: { ...plan.settings, resume } };
}

/** The command lines that a person goes on with. */
function commandsFor(folder: RunFolder, where: readonly string[]) {
  const line = (command: string, ...rest: string[]) => shellJoin(["panewright", command, folder.id, ...where, ...rest]);
  return {
    answer: (question: string) => `${line("answer", "--question", question)} "YOUR ANSWER"`,
    resume: line("resume"),
  };
}
