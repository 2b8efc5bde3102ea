import { readAnswer } from "../journal/answers.ts";
import { listRunIds } from "../journal/find_run.ts";
import { isLocked } from "../journal/lock_file.ts";
import { type RunFolder, runFolderAt } from "../journal/run_folder.ts";
import { tryReadExecRun } from "../workflow/pipeline/read_run.ts";
import { readWaitingDialogs } from "../workflow/review_loop/waiting_dialogs.ts";
import { openQuestion, type QuestionState } from "../workflow/pipeline/state.ts";
import { defineCommand } from "./command.ts";
import { findRunsWorkdir, WORKDIR_FLAG } from "./find_exec_run.ts";
import { jsonLine, sanitizeLine, sanitizeText } from "./sanitize.ts";
import { duration } from "./words.ts";

/** `panewright questions` */
export const command = defineCommand({
  description:
    "Lists the questions that wait for an answer, of all runs in a working directory, with the commands that answer them: those " +
    "of steps of `panewright exec`, and the dialogs at which agents of `panewright run` stand.",
  flags: [WORKDIR_FLAG],
  examples: [{ command: "questions --json", description: "one JSON object a question" }],
  async run({ flags, global }, io) {
    const workdir = await findRunsWorkdir(io, flags.wd);
    let count = 0;
    for await (const question of openQuestions(workdir)) {
      count++;
      io.stdout(global.json ? jsonLine({ type: "question", ...question }) : renderQuestion(question, new Date()));
    }
    if (!global.json && !global.quiet && count === 0) io.stdout(`No question waits for an answer in ${workdir}.\n`);
    return 0;
  },
});

/** A question of a run that has not gone on yet. */
export interface WaitingQuestion extends Omit<QuestionState, "open" | "attemptLog"> {
  readonly run: string;
  /** Whether it is answered, and the run can go on. */
  readonly answered: boolean;
  /** Whether a process executes the run. */
  readonly executed: boolean;
}

async function* openQuestions(workdir: string): AsyncGenerator<WaitingQuestion> {
  for (const id of await listRunIds(workdir)) {
    const folder = runFolderAt(workdir, id);
    yield* dialogQuestions(folder);
    const question = await openQuestionOf(folder);
    if (question === undefined) continue;
    const { open: _open, attemptLog: _log, ...rest } = question;
    const answered = await readAnswer(folder, question.id) !== undefined;
    yield { run: id, ...rest, answered, executed: await isLocked(folder.lockPath) };
  }
}

/** The dialogs of a review loop that is under way; one that has ended waits for nothing. */
async function* dialogQuestions(folder: RunFolder): AsyncGenerator<WaitingQuestion> {
  const dialogs = await readWaitingDialogs(folder).catch(() => undefined);
  if (dialogs === undefined || dialogs.length === 0 || !await isLocked(folder.lockPath)) return;
  for (const { question, askedAt, event: { role, kind, subject, reason } } of dialogs) {
    const text = `Yes or no to a dialog (${kind})${subject === undefined ? "" : `: ${subject}`}\n${reason}`;
    const answered = await readAnswer(folder, question) !== undefined;
    yield { run: folder.id, id: question, task: "review loop", step: role, text, askedAt, answered, executed: true };
  }
}

/** A run that cannot be read has no question that could be answered; its own command says what is wrong with it. */
async function openQuestionOf(folder: RunFolder): Promise<QuestionState | undefined> {
  const run = await tryReadExecRun(folder).catch(() => undefined);
  return run === undefined ? undefined : openQuestion(run.state);
}

/**
 * A question for a person.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * const text = renderQuestion(
 *   {
 *     run: "20261120-072605-3fa9",
 *     id: "q1",
 *     task: "/w/task.md",
 *     step: "build",
 *     text: "Which database?",
 *     askedAt: "2026-11-20T07:30:00Z",
 *     answered: false,
 *     executed: false,
 *   },
 *   new Date("2026-11-20T07:32:05Z"),
 * );
 * assertStringIncludes(text, 'run 20261120-072605-3fa9, step "build", asked 2m 05s ago (q1):\n  Which database?\n');
 * ```
 */
export function renderQuestion(question: WaitingQuestion, now: Date): string {
  const { run, id, step, text, askedAt, answered, executed } = question;
  const seconds = Math.max(0, (now.getTime() - Date.parse(askedAt)) / 1000);
  const next = answered
    ? executed ? "  answered; the run goes on by itself" : `  answered; go on with: panewright resume ${run}`
    : `  answer with: panewright answer ${run} --question ${id} "YOUR ANSWER"`;
  return [
    `run ${run}, step ${JSON.stringify(sanitizeLine(step))}, asked ${duration(seconds)} ago (${id}):`,
    ...sanitizeText(text.trim()).split("\n").map((line) => `  ${line}`),
    next,
    "",
  ].join("\n");
}
