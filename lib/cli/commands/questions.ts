import { JOBS } from "../../jobs/mod.ts";
import { listRunIds } from "../../run/find_run.ts";
import { readOverview } from "../../run/overview.ts";
import { levelOf, type Waiting, type WaitingDialog } from "../../run/progress.ts";
import { runFolderAt } from "../../run/run_folder.ts";
import { jsonLine, sanitizeLine, sanitizeText } from "../../text/sanitize.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { findRunsWorkdir, runCommandLine, WORKDIR_FLAG } from "../find_named_run.ts";
import { dialogRequest } from "../show/dialog_text.ts";
import { answerCommandOf } from "../show/run_view.ts";
import { ago } from "../show/words.ts";

/** `panewright questions` */
export const command = defineCommand({
  description:
    "Lists what waits for your answer in all runs of a working directory, with the commands that answer it: questions of steps of " +
    "`panewright exec`, and dialogs at which agents of `panewright run` stand.",
  flags: [WORKDIR_FLAG],
  examples: [{ command: "questions --json", description: "one JSON object for each of them" }],
  async run({ flags, global }, io) {
    const workdir = await findRunsWorkdir(io, flags.wd);
    let count = 0;
    for await (const { next, ...question } of openQuestions(workdir, { io, wd: flags.wd })) {
      count++;
      io.stdout(
        global.json ? jsonLine({ type: "question", ...question }) : renderQuestion(question, { next, now: new Date() }),
      );
    }
    if (!global.json && !global.quiet && count === 0) {
      io.stdout(`Nothing waits for an answer in ${sanitizeLine(workdir)}.\n`);
    }
    return 0;
  },
});

/** A question or a dialog of a run, in the names of `--json`. */
export interface WaitingQuestion {
  readonly run: string;
  readonly id: string;
  /** The path of the step's task; `review loop` for a dialog. */
  readonly task: string;
  /** The step, or the role, that asks. */
  readonly step: string;
  readonly text: string;
  readonly askedAt: string;
  /** Whether it is answered, and the run can continue. */
  readonly answered: boolean;
  /** Whether a process executes the run. */
  readonly executed: boolean;
  /** What a dialog asks for; missing for a question. */
  readonly dialog?: WaitingDialog & { readonly role: string };
}

/** What waits in all runs; of one whose journal cannot be read only that is told. */
async function* openQuestions(
  workdir: string,
  { io, wd }: { readonly io: CliIo; readonly wd: string | undefined },
): AsyncGenerator<WaitingQuestion & { readonly next: string }> {
  for (const run of await listRunIds(workdir)) {
    const overview = await readOverview(runFolderAt(workdir, run), JOBS, { brief: true });
    const { progress, question, problem, answered, executed } = overview;
    if (problem !== undefined) io.stderr(`panewright: ${sanitizeLine(problem.message)}\n`);
    if (progress === undefined || problem !== undefined || question?.id === undefined) continue;
    const { id, by: step, askedAt } = question;
    const next = answered
      ? executed
        ? "answered; the run continues by itself"
        : `answered; resume with: ${runCommandLine(["resume", run], wd)}`
      : `answer with: ${answerCommandOf(overview, wd).answerCommand}`;
    const told = question.dialog === undefined
      ? { task: levelOf(progress, "task")?.name ?? progress.about, text: question.text }
      : dialogFields(question, question.dialog);
    yield { run, id, step, askedAt, answered, executed, ...told, next };
  }
}

function dialogFields({ by: role, text }: Waiting, dialog: WaitingDialog) {
  const asked = dialog.questions === undefined ? `Yes or no to ${text}` : dialog.subject ?? text;
  return { task: "review loop", text: asked, dialog: { role, ...dialog } };
}

/**
 * A question or a dialog, for a person.
 *
 * @param options.next what is to be done about it
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const question = {
 *   run: "20261120-072605-3fa9",
 *   id: "q1",
 *   task: "/w/task.md",
 *   step: "build",
 *   text: "Which database?",
 *   askedAt: "2026-11-20T07:30:00Z",
 *   answered: false,
 *   executed: false,
 * };
 * assertEquals(
 *   renderQuestion(question, { next: "answer with: …", now: new Date("2026-11-20T07:32:05Z") }),
 *   'run 20261120-072605-3fa9, step "build", asked 2m 05s ago (q1):\n  Which database?\n  answer with: …\n',
 * );
 * ```
 */
export function renderQuestion(
  { run, id, step, text, askedAt, dialog }: WaitingQuestion,
  { next, now }: { readonly next: string; readonly now: Date },
): string {
  const asked = `asked ${ago(askedAt, now)} (${id}):`;
  const lines = dialog === undefined
    ? [`run ${run}, step ${JSON.stringify(sanitizeLine(step))}, ${asked}`, ...indented(text.trim(), "  ")]
    : [
      `run ${run}, the ${sanitizeLine(dialog.role)} ${dialogRequest(dialog)}, ${asked}`,
      ...indented(dialog.subject ?? "", "  | "),
      ...indented(dialog.reason, "  "),
    ];
  return [...lines, `  ${next}`, ""].join("\n");
}

function indented(text: string, indent: string): readonly string[] {
  return text === "" ? [] : sanitizeText(text).split("\n").map((row) => `${indent}${row}`);
}
