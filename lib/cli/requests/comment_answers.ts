import { requireSaid } from "../../api/control/give_answer.ts";
import { HumanInterventionRequiredError, UsageError } from "../../base/errors.ts";
import { type Clock, systemClock } from "../../base/ports/clock.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { JOBS } from "../../jobs/mod.ts";
import { allWaiting, type Waiting } from "../../journal/waiting.ts";
import { readRun } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { findRunMail } from "../../run/run_mail.ts";
import { readAnswer } from "../../turn/desk/answers.ts";
import type { CliIo } from "../console/command.ts";
import type { Comment } from "./feedback.ts";
import { findForge } from "./forge.ts";
import { readPullRequest } from "./github.ts";
import { readMergeRequest } from "./gitlab.ts";

/** A question that somebody has answered where its request is reviewed. */
interface CommentAnswer {
  readonly question: Waiting & { readonly id: string };
  readonly answer: string;
  /** Who has written the comment. */
  readonly who: string;
}

/** A token of GitHub Actions may ask a thousand times an hour. */
const LOOK_EVERY_MS = 30_000;

/**
 * Waits until somebody who may write to the repository has answered an open question of a run in a comment:
 * `/answer q1 PostgreSQL`. What was written before it was asked, and what others write, answers nothing.
 *
 * @param minutes how long, at most
 * @throws {HumanInterventionRequiredError} where nobody has by then
 */
export async function waitForComment(
  folder: RunFolder,
  { request, minutes, io, clock = systemClock }: {
    /** A pull request's number, or the branch of either. */
    readonly request: string;
    readonly minutes: number;
    readonly io: CliIo;
    readonly clock?: Clock;
  },
): Promise<CommentAnswer> {
  const where = { branch: request, remote: "origin", signal: io.signal, env: io.env, isUnattended: true };
  const what = `answer run ${folder.id} by comments`;
  const forge = await findForge({ name: folder.id, top: io.cwd }, { ...where, what });
  const read = forge.kind === "gh" ? readPullRequest : readMergeRequest;
  const untilMs = clock.now() + minutes * 60_000;
  const refused = new Set<string>();
  for (;;) {
    const open = await openIn(folder);
    if (open.length === 0) throw new UsageError(`Cannot ${what}: it asks nothing that a comment could answer`);
    // A forge that does not answer now may do so later.
    const { said } = await read(forge, request, { withoutLogs: true }).catch((error) => {
      io.stderr(`warning: ${sanitizeLine(errorText(error))}\n`);
      return { said: [] };
    });
    for (const comment of said.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))) {
      const found = answerIn(comment, open);
      if (found === undefined || refused.has(comment.at + comment.text)) continue;
      try {
        requireSaid(folder, found.question, found.answer);
        return found;
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        refused.add(comment.at + comment.text);
        io.stderr(`warning: a comment of ${sanitizeLine(comment.by)}: ${sanitizeLine(error.message)}\n`);
      }
    }
    if (clock.now() >= untilMs) {
      const problem = `nobody who may write has answered in ${minutes} minutes`;
      throw new HumanInterventionRequiredError(`Cannot ${what}: ${problem}`, {
        hint: `A comment answers that begins with: /answer ${open[0]?.id} …`,
      });
    }
    await clock.sleep(LOOK_EVERY_MS, io.signal);
  }
}

async function openIn(folder: RunFolder): Promise<readonly CommentAnswer["question"][]> {
  const { problem, progress } = await readRun(folder, JOBS);
  if (problem !== undefined) throw problem;
  const open: CommentAnswer["question"][] = [];
  for (const waiting of progress === undefined ? [] : allWaiting(progress)) {
    const { id } = waiting;
    if (id !== undefined && await readAnswer(findRunMail(folder), id) === undefined) open.push({ ...waiting, id });
  }
  return open;
}

function answerIn(
  { at, by, mayWrite, text }: Comment,
  open: readonly CommentAnswer["question"][],
): CommentAnswer | undefined {
  const [, id, answer] = /^\/answer\s+(\w+)\s+(\S[^]*)$/.exec(text.trim()) ?? [];
  const question = open.find((one) => one.id === id);
  if (question === undefined || answer === undefined || !mayWrite) return undefined;
  return Date.parse(at) > Date.parse(question.askedAt) ? { question, answer, who: by } : undefined;
}
