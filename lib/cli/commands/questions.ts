import { listRunIds } from "../../run/find_run.ts";
import { runFolderAt } from "../../run/run_folder.ts";
import { readOverview } from "../../jobs/overview/read_overview.ts";
import type { QuestionState } from "../../jobs/pipeline/state.ts";
import { defineCommand } from "../console/command.ts";
import { findRunsWorkdir, WORKDIR_FLAG } from "../find_named_run.ts";
import { jsonLine, sanitizeLine, sanitizeText } from "../../text/sanitize.ts";
import { duration } from "../show/words.ts";

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

/** The open questions of all runs; one whose journal cannot be read has none that could be answered. */
async function* openQuestions(workdir: string): AsyncGenerator<WaitingQuestion> {
  for (const id of await listRunIds(workdir)) {
    const overview = await readOverview(runFolderAt(workdir, id), { brief: true });
    const { summary, question, problem, answered, executed } = overview;
    if (summary === undefined || problem !== undefined || question?.id === undefined) continue;
    const { by: step, askedAt } = question;
    const isDialog = summary.job === "run";
    const task = isDialog ? "review loop" : summary.task?.file ?? summary.about;
    const text = isDialog ? `Yes or no to ${question.text}` : question.text;
    yield { run: id, id: question.id, task, step, text, askedAt, answered, executed };
  }
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
