import type { Role } from "../../base/roles.ts";
import { rolesOf } from "../../api/show/roles_of_run.ts";
import type { RunOverview } from "../../run/overview.ts";
import type { Progress } from "../../journal/progress.ts";
import { workerOf } from "../../journal/workers.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { RunView } from "../../api/show/run_view.ts";
import { conditionText, placeText, turnText } from "../../api/show/run_words.ts";
import { forHowLong, workerStatusText } from "../../journal/words/words.ts";

/**
 * The role that a person who watches wants to see: the one that waits for a person, otherwise the one whose turn it is.
 * Undefined while none does, such as during the project's tests.
 */
export function roleAtWork(progress: Progress): Role | undefined {
  const { waiting, activity, finished } = progress;
  if (finished !== undefined) return undefined;
  const name = waiting?.by ?? activity?.worker;
  return rolesOf(progress).find((role) => role === name);
}

/** A role and what it does: `programmer: working, for 12 s`. */
export function roleText(progress: Progress, role: Role, now: Date): string {
  return `${role}: ${sanitizeLine(stateOf(progress, role, now))}`;
}

function stateOf(progress: Progress, role: Role, now: Date): string {
  const worker = workerOf(progress, role);
  if (worker === undefined) return "not started yet";
  if (progress.waiting?.by === role) {
    const what = progress.waiting.dialog === undefined
      ? "waiting for a person"
      : workerStatusText("waiting_user_answer", worker.protocol);
    return `${what}, for ${forHowLong(progress.waiting.askedAt, now)}`;
  }
  if (roleAtWork(progress) === role) return turnText(progress, now) ?? "its turn";
  switch (worker.status) {
    case "starting":
    case "lost":
    case "limited":
    case "error":
      return workerStatusText(worker.status, worker.protocol);
    default:
      return "not its turn";
  }
}

/** Where the run is and since when, or how it stands where no process executes it. */
export function runText(
  overview: Pick<RunOverview, "condition" | "question" | "answered" | "executed" | "progress">,
  now: Date,
): string {
  const { executed, progress } = overview;
  if (progress === undefined || !executed) return conditionText(overview);
  // Whose turn it is stands beside it.
  const { activity } = progress;
  const place = placeText({ ...progress, activity: activity?.kind === "turn" ? undefined : activity });
  return `${place} · run ${forHowLong(progress.executedSince, now)}`;
}

/** How a run stands when nobody watches it any more, and what can be done about it. */
export function endLines({ run, state, executed, question, progress, commands }: RunView): readonly string[] {
  if (state === "empty") return [`run ${sanitizeLine(run)} has ended, and its folder was removed`];
  const how = conditionText({ condition: state, question, answered: question?.answered ?? false });
  const reason = progress?.finished === undefined ? "" : `: ${sanitizeLine(progress.finished.reason)}`;
  return [
    `run ${sanitizeLine(run)}: ${how}${reason}`,
    ...(question?.answerCommand === undefined ? [] : [`answer it with: ${question.answerCommand}`]),
    ...(executed && commands.attach !== undefined ? [`it continues; see it again with: ${commands.attach}`] : []),
    ...(commands.resume === undefined ? [] : [`resume it with: ${commands.resume}`]),
  ];
}
