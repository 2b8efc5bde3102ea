import { answerWay, isMessageId } from "../../base/terms.ts";
import type { ExecEvent } from "../exec/facts.ts";
import type { ReviewFact } from "../loop/facts.ts";
import { answerForm, dialogRequest } from "./dialog_text.ts";
import { detail, line, note, outputOf, type RecordWords, shortened, type ShownLine, text } from "./shown_line.ts";
import { byteSize, duration, senderText, workerStatusText } from "./words.ts";
import { present } from "../../base/schema.ts";

/** A record that only a review loop has. */
type ReviewOnly = Exclude<ReviewFact, { readonly type: ExecEvent["type"] }>;

/** The words for the records of a review loop. */
export const REVIEW_WORDS: RecordWords<ReviewOnly> = {
  session_opening: ({ session, socket }) => detail(`tmux: opening session ${session} on socket ${socket}`),
  session_opened: ({ attachCommand }) => watchLine(attachCommand),
  session_adopted: ({ attachCommand }) => watchLine(attachCommand),
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
  round_started: ({ round, maxRounds }) => line(`round ${round} of ${maxRounds}`, "heading"),
  turn_started: (record) => detail(`${record.role}: its turn begins (${turnPlace(record)})`),
  turn_resumed: (record) => line(`${record.role}: continues its turn (${turnPlace(record)})`),
  message_sending: ({ role, what, file, step }) => detail(`${role}: ${what} ${file}: ${step}`),
  message_held: ({ role, terminalId, what, obstacle, timeoutSeconds, attachCommand }) =>
    obstacle === "at_work"
      ? line(
        `${role}: at work on something else; its ${what} waits, for at most ${duration(timeoutSeconds)}`,
        "caution",
      )
      : line(
        `${role}: a person's draft is in its composer (terminal ${terminalId}), and its ${what} waits, for at most ` +
          `${duration(timeoutSeconds)}; submit it or delete it${
            attachCommand === undefined ? "" : ` with: ${attachCommand}`
          }`,
        "caution",
        "always",
      ),
  message_released: ({ role }) => detail(`${role}: waits no longer`),
  files_seen: ({ role, moment, files }) =>
    detail(`${role}: files ${moment} its turn: ${files === undefined ? "unknown" : files.slice(0, 12)}`),
  files_noted: ({ role }) => detail(`${role}: its files were looked at before its turn`),
  changes_unknown: ({ role, reason }) => line(`${role}: what it changed is not known: ${reason}`, "caution"),
  screen_kept: ({ role, moment, file }) =>
    detail(`${role}: ${moment === "dialog" ? "its dialog" : "what it showed when its turn failed"} is kept as ${file}`),
  message_sent: ({ role, turnId, what, round, cycle, bytes }) => {
    if (what !== "prompt") return detail(`${role}: ${what} sent`);
    if (isMessageId(turnId)) return line(`${role}: message ${turnId} sent`);
    const size = bytes === undefined ? "" : ` of ${byteSize(bytes)}`;
    const place = round === undefined || cycle === undefined ? "" : ` (${turnPlace({ round, cycle })})`;
    return line(`${role}: prompt${size} sent${place}`);
  },
  turn_time: ({ role, usedSeconds }) => detail(`${role}: its turn has taken ${duration(usedSeconds)} so far`),
  status_changed: ({ role, status, rule }) => {
    const tone = status === "error" ? "bad" : status === "waiting_user_answer" ? "caution" : "plain";
    const protocol = rule?.startsWith("acp.") === true ? "acp" : undefined;
    return line(`${role}: ${workerStatusText(status, protocol)}`, tone, tone === "plain" ? "detail" : "normal");
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
      `${role} ${dialogRequest(record)} (${attachCommand === undefined ? "" : `terminal ${terminalId}; `}` +
      `waits for a person for at most ${duration(timeoutSeconds)})`,
      ...(subject === undefined ? [] : subject.split("\n").map((row) => `  | ${row}`)),
      `not decided automatically: ${reason}`,
      ...(attachCommand === undefined ? [] : [`look at it with: ${attachCommand}`]),
      ...(question === undefined ? [] : [
        `answer it ${
          attachCommand === undefined ? "" : "there, or "
        }with: panewright answer ${runId} --question ${question} ${answerForm(questions)}`,
      ]),
    ];
    return text(lines.join("\n"), "caution", "always");
  },
  dialog_closed: ({ role, seconds }) => line(`${role}: the dialog waited for ${duration(seconds)}`),
  dialog_answered: ({ role, kind, answer, replies, rule, by, who, result }) => {
    const how = { accept: "accepted", decline: "declined", reply: "answered" }[answer];
    const outcome = result === "closed" ? "" : `, but it was ${result}`;
    const said = replies === undefined ? "" : `: ${replies.replaceAll("\n", "; ")}`;
    const isFromOutside = by !== undefined && by !== "terminal" && by !== "command";
    const sayer = isFromOutside ? `${rule}, ${answerWay({ by, ...present({ who }) })}` : rule;
    const told = `${role}: dialog (${kind}) ${how} by ${sayer}${outcome}${said}`;
    // What an agent was told is a part of the work, and who waited for a decision wants to know it.
    return answer === "reply" || rule === "person" || rule === "model" ? line(told) : detail(told);
  },
  reminder_sent: ({ role, reminder }) =>
    line(`${role}: reminded of its response file (reminder ${reminder})`, "caution"),
  response_received: ({ role, bytes, seconds, archivedAs }) =>
    line(
      `${role}: response of ${byteSize(bytes)} after ${duration(seconds)}, kept as ${archivedAs.replace(/^.*\//, "")}`,
    ),
  message_received: ({ role, messageId, by, who, bytes }) =>
    line(`${role}: message ${messageId} of ${byteSize(bytes)} has arrived from ${senderText({ by, who })}`),
  message_started: ({ role, messageId }) => detail(`${role}: the turn of message ${messageId} begins`),
  message_resumed: ({ role, messageId }) => line(`${role}: continues the turn of message ${messageId}`),
  message_answered: ({ role, messageId, bytes, seconds, archivedAs }) =>
    bytes === undefined || archivedAs === undefined
      ? line(`${role}: at rest after message ${messageId} (${duration(seconds)}); no response was wanted`)
      : line(
        `${role}: response of ${byteSize(bytes)} to message ${messageId} after ${duration(seconds)}, kept as ` +
          archivedAs.split("/").slice(-3).join("/"),
      ),
  message_failed: ({ role, messageId, reason }) => line(`${role}: message ${messageId} failed: ${reason}`, "caution"),
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
  note({ role, message }) {
    const [first = "", ...rest] = message.split("\n");
    return [line(`${role}: ${shortened(first)}`), ...outputOf(rest.join("\n"))];
  },
  panes_left: ({ attachCommand }) =>
    line(`the panes stay open; look at them with: ${attachCommand}`, "plain", "always"),
};

/** How the agents can be watched. */
export function watchLine(attachCommand: string): ShownLine {
  return line(`watch the agents with: ${attachCommand}`);
}

function turnPlace({ round, cycle }: { readonly round: number; readonly cycle: number }): string {
  return cycle === 0 ? `round ${round}` : `round ${round}, cycle ${cycle}`;
}
