import type { ExecEvent } from "../../jobs/pipeline/facts.ts";
import type { ReviewFact } from "../../jobs/review_loop/facts.ts";
import { answerForm, dialogRequest } from "./dialog_text.ts";
import { detail, line, note, outputOf, type RecordWords, text } from "./shown_line.ts";
import { byteSize, duration, workerStatusText } from "./words.ts";

/** A record that only a review loop has. */
type ReviewOnly = Exclude<ReviewFact, { readonly type: ExecEvent["type"] }>;

/** The words for the records of a review loop. */
export const REVIEW_WORDS: RecordWords<ReviewOnly> = {
  session_opening: ({ session, socket }) => detail(`tmux: opening session ${session} on socket ${socket}`),
  session_opened: ({ attachCommand }) => line(`watch the agents with: ${attachCommand}`),
  session_adopted: ({ attachCommand }) => line(`watch the agents with: ${attachCommand}`),
  agent_starting: ({ role, provider, resumes }) =>
    resumes === undefined
      ? detail(`${role}: starting ${provider}`)
      : line(`${role}: starting ${provider} again, with its session ${resumes}`),
  agent_adopted: ({ role, terminalId }) => line(`${role}: still alive in terminal ${terminalId}`),
  agent_lost: ({ role, reason, restart, maxRestarts }) =>
    line(
      `${role}: its program has ended (${reason}); starting it again (restart ${restart} of at most ${maxRestarts})`,
      "caution",
    ),
  agent_session: ({ role, sessionId }) => detail(`${role}: its session is ${sessionId}`),
  agent_ready: ({ role, seconds }) => line(`${role}: ready after ${duration(seconds)}`),
  agent_rules_seen: ({ role, rules }) => detail(`${role}: its screens are recognised by ${rules.join(", ")}`),
  round_started: ({ round, maxRounds }) => line(`round ${round} of ${maxRounds}`),
  turn_started: (record) =>
    line(`${record.role}: prompt of ${byteSize(record.promptBytes)} sent (${turnPlace(record)})`),
  turn_resumed: (record) => line(`${record.role}: continues its turn (${turnPlace(record)})`),
  message_sending: ({ role, what, file, step }) => detail(`${role}: ${what} ${file}: ${step}`),
  message_held: ({ role, terminalId, what, obstacle, timeoutSeconds, attachCommand }) =>
    obstacle === "at_work"
      ? line(
        `${role}: at work on something else; its ${what} waits, for at most ${duration(timeoutSeconds)}`,
        "caution",
      )
      : line(
        `${role}: a person's draft stands in its composer (terminal ${terminalId}), and its ${what} waits, for at most ` +
          `${duration(timeoutSeconds)}; submit it or delete it with: ${attachCommand}`,
        "caution",
        "always",
      ),
  message_released: ({ role }) => detail(`${role}: waits no longer`),
  files_seen: ({ role, moment, files }) =>
    detail(`${role}: files ${moment} its turn: ${files === undefined ? "unknown" : files.slice(0, 12)}`),
  message_sent: ({ role, what }) => detail(`${role}: ${what} accepted`),
  turn_time: ({ role, usedSeconds }) => detail(`${role}: its turn has taken ${duration(usedSeconds)} so far`),
  status_changed: ({ role, status }) => {
    const tone = status === "error" ? "bad" : status === "waiting_user_answer" ? "caution" : "plain";
    return line(`${role}: ${workerStatusText(status)}`, tone, tone === "plain" ? "detail" : "normal");
  },
  agent_failed: ({ role, class: failureClass, message, resetsAt, retryAt }) => {
    const reset = resetsAt === undefined ? "" : `; it is reset at ${resetsAt}`;
    const again = retryAt === undefined ? "" : `; trying again at ${retryAt}`;
    return line(
      `${role} failed (${failureClass}): ${message}${reset}${again}`,
      retryAt === undefined ? "bad" : "caution",
    );
  },
  dialog_waiting: (record) => {
    const { role, terminalId, subject, reason, question, questions, runId, attachCommand, timeoutSeconds } = record;
    const lines = [
      `${role} ${dialogRequest(record)} (terminal ${terminalId}; waits for a person for at most ${
        duration(timeoutSeconds)
      })`,
      ...(subject === undefined ? [] : subject.split("\n").map((row) => `  | ${row}`)),
      `not decided automatically: ${reason}`,
      `look at it with: ${attachCommand}`,
      ...(question === undefined
        ? []
        : [`answer it there, or with: panewright answer ${runId} --question ${question} ${answerForm(questions)}`]),
    ];
    return text(lines.join("\n"), "caution", "always");
  },
  dialog_closed: ({ role, seconds }) => line(`${role}: the dialog waited for ${duration(seconds)}`),
  dialog_answered: ({ role, kind, answer, replies, rule, result }) => {
    const how = { accept: "accepted", decline: "declined", reply: "answered" }[answer];
    const outcome = result === "closed" ? "" : `, but it was ${result}`;
    const said = replies === undefined ? "" : `: ${replies.replaceAll("\n", "; ")}`;
    const told = `${role}: dialog (${kind}) ${how} by ${rule}${outcome}${said}`;
    // What an agent was told is a part of the work.
    return answer === "reply" ? line(told) : detail(told);
  },
  reminder_sent: ({ role, reminder }) =>
    line(`${role}: reminded of its response file (reminder ${reminder})`, "caution"),
  response_received: ({ role, bytes, seconds, archivedAs }) =>
    line(
      `${role}: response of ${byteSize(bytes)} after ${duration(seconds)}, kept as ${archivedAs.replace(/^.*\//, "")}`,
    ),
  review_decided: (record) =>
    line(
      `${record.role}: ${record.verdict} (${turnPlace(record)})${note(record.note)}`,
      record.verdict === "APPROVED" ? "good" : "caution",
    ),
  review_limit_reached: ({ role, then }) =>
    then === "proceed"
      ? line(`${role}: no approval by the last cycle; the work continues`, "caution")
      : line(`${role}: no approval by the last cycle; the run ends`, "bad"),
  test_command_started: ({ command }) => line(`project tests: ${command}`),
  test_command_finished: ({ passed, timedOut, exitCode, seconds, output }) => {
    const took = `after ${duration(seconds)}`;
    const how = passed
      ? `passed ${took}`
      : timedOut
      ? `stopped ${took}: time limit`
      : `failed ${took}: exit code ${exitCode}`;
    return [line(`project tests ${how}`, passed ? "good" : "bad"), ...outputOf(output)];
  },
  round_finished: ({ round, verdict, note: why }) =>
    line(`round ${round}: ${verdict}${note(why)}`, verdict === "PASS" ? "good" : "bad"),
  post_processed: ({ command }) => detail(`post-processing: ${command}`),
  panes_left: ({ attachCommand }) =>
    line(`the panes stay open; look at them with: ${attachCommand}`, "plain", "always"),
};

function turnPlace({ round, cycle }: { readonly round: number; readonly cycle: number }): string {
  return cycle === 0 ? `round ${round}` : `round ${round}, cycle ${cycle}`;
}
