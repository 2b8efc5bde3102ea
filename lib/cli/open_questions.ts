import { answerWay } from "../base/terms.ts";
import { readAnswer } from "../turn/desk/answers.ts";
import { JOBS } from "../jobs/mod.ts";
import { listRunIds } from "../run/find_run.ts";
import { readOverview } from "../run/overview.ts";
import { allWaiting, CHOICE, type Waiting, type WaitingDialog } from "../journal/waiting.ts";
import { levelOf } from "../journal/progress.ts";
import { runFolderAt } from "../run/run_folder.ts";
import { findRunMail } from "../run/run_mail.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import { withWorkspaces } from "../workspace/workspace.ts";
import type { CliIo } from "./console/command.ts";
import { runCommandLine } from "../run/command_line.ts";
import { answerCommandOf } from "../api/show/run_view.ts";
import type { Exact, OutputFields } from "../api/output/outputs.ts";

export type WaitingQuestion = Omit<Exact<OutputFields["question"]>, "dialog"> & {
  readonly dialog?: WaitingDialog & { readonly role: string };
};

interface Looking {
  readonly io: CliIo;
  readonly wd: string | undefined;
}

interface Found {
  /** What is to be done about it. */
  readonly next: string;
  /** The folder that its run works in. */
  readonly workdir: string;
}

/**
 * What waits in all runs of a working directory, and, where it was not named, of its workspaces; of a run whose journal
 * cannot be read only that is told.
 */
export async function* openQuestions(
  workdir: string,
  { io, wd }: Looking,
): AsyncGenerator<WaitingQuestion & Found> {
  yield* questionsIn(workdir, { io, wd });
  if (wd !== undefined) return;
  const here = await Deno.realPath(workdir).catch(() => workdir);
  for (const apart of withWorkspaces([here])) if (apart !== here) yield* questionsIn(apart, { io, wd: apart });
}

async function* questionsIn(workdir: string, { io, wd }: Looking): AsyncGenerator<WaitingQuestion & Found> {
  for (const run of await listRunIds(workdir)) {
    const overview = await readOverview(runFolderAt(workdir, run), JOBS, { brief: true });
    const { folder, progress, problem, executed } = overview;
    if (problem !== undefined) io.stderr(`panewright: ${sanitizeLine(problem.message)}\n`);
    if (progress === undefined || problem !== undefined || overview.question === undefined) continue;
    for (const question of allWaiting(progress)) {
      const { id, by: step, askedAt, shown = "whole", reserved } = question;
      if (id === undefined) continue;
      const left = await readAnswer(findRunMail(folder), id).catch(() => undefined);
      const answered = left !== undefined;
      const next = answered
        ? `answered ${answerWay(left)}; ${
          executed ? "the run continues by itself" : `resume with: ${runCommandLine(["resume", run], wd)}`
        }`
        : `answer with: ${answerCommandOf({ folder, question, answered }, wd).answerCommand}`;
      const task = progress.job === "run" ? "review loop" : levelOf(progress, "task")?.name ?? progress.about;
      const told = question.dialog === undefined
        ? { task, text: question.text }
        : { task, ...dialogFields(question, question.dialog) };
      const who = reserved === true ? { reserved } : {};
      yield { run, id, step, askedAt, answered, executed, shown, ...who, ...told, next, workdir };
    }
  }
}

function dialogFields({ by: role, text }: Waiting, dialog: WaitingDialog) {
  const asked = dialog.questions === undefined
    ? `Yes or no to ${text}`
    : dialog.kind === CHOICE
    ? text
    : dialog.subject ?? text;
  return { text: asked, dialog: { role, ...dialog } };
}
