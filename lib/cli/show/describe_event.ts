import type { ReviewFact, RunOutcome } from "../../jobs/review_loop/facts.ts";
import { sanitizeLine, sanitizeText } from "../../text/sanitize.ts";
import { byteSize, duration, plural, statusText } from "./words.ts";

/** How a line is meant, which decides its colour. */
export type Tone = "plain" | "good" | "bad" | "caution";

/** One fact for a person. Its text holds nothing that a terminal would act upon; it may be several lines. */
export interface ProgressLine {
  readonly text: string;
  readonly tone: Tone;
  /** Whether only `--verbose` shows it. */
  readonly detail: boolean;
}

/**
 * What a person is told of an event.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const event = { type: "round_started", round: 2, maxRounds: 8 } as const;
 * assertEquals(describeEvent(event), { text: "round 2 of 8", tone: "plain", detail: false });
 * ```
 */
export function describeEvent(event: ReviewFact): ProgressLine {
  switch (event.type) {
    case "run_started":
      return line(`run ${event.runId}, beginning with ${event.startAgent}; its records are in ${event.folder}`);
    case "run_resumed":
      return line(`run ${event.runId} goes on; its records are in ${event.folder}`);
    case "session_opening":
      return line(`tmux: opening session ${event.session} on socket ${event.socket}`, { detail: true });
    case "session_opened":
    case "session_adopted":
      return line(`watch the agents with: ${event.attachCommand}`);
    case "agent_starting":
      return event.resumes === undefined
        ? line(`${event.role}: starting ${event.provider}`, { detail: true })
        : line(`${event.role}: starting ${event.provider} again, with its session ${event.resumes}`);
    case "agent_adopted":
      return line(`${event.role}: alive in terminal ${event.terminalId}, goes on`);
    case "agent_lost":
      return line(
        `${event.role}: its program has ended (${event.reason}); starting it again ` +
          `(restart ${event.restart} of at most ${event.maxRestarts})`,
        { tone: "caution" },
      );
    case "agent_session":
      return line(`${event.role}: its session is ${event.sessionId}`, { detail: true });
    case "agent_ready":
      return line(`${event.role}: ready after ${duration(event.seconds)}`);
    case "agent_rules_seen":
      return line(`${event.role}: its screens are known by ${event.rules.join(", ")}`, { detail: true });
    case "round_started":
      return line(`round ${event.round} of ${event.maxRounds}`);
    case "turn_started":
      return line(`${event.role}: prompt of ${byteSize(event.promptBytes)} sent (${place(event.round, event.cycle)})`);
    case "turn_resumed":
      return line(`${event.role}: goes on with its turn (${place(event.round, event.cycle)})`);
    case "message_sending":
      return line(`${event.role}: ${event.what} ${event.file}: ${event.step}`, { detail: true });
    case "message_sent":
      return line(`${event.role}: ${event.what} taken`, { detail: true });
    case "status_changed": {
      const tone = event.status === "error" ? "bad" : event.status === "waiting_user_answer" ? "caution" : "plain";
      return line(`${event.role}: ${statusText(event.status)}`, { tone, detail: tone === "plain" });
    }
    case "dialog_waiting":
      return line(dialogText(event), { tone: "caution", lines: true });
    case "dialog_closed":
      return line(`${event.role}: the dialog waited for ${duration(event.seconds)}`);
    case "dialog_answered":
      return line(
        `${event.role}: dialog (${event.kind}) ${
          event.answer === "accept" ? "accepted" : "declined"
        } by ${event.rule}` +
          (event.result === "closed" ? "" : `, but it was ${event.result}`),
        { detail: true },
      );
    case "reminder_sent":
      return line(`${event.role}: reminded of its response file (reminder ${event.reminder})`, { tone: "caution" });
    case "response_received": {
      const kept = event.archivedAs.replace(/^.*\//, "");
      return line(
        `${event.role}: response of ${byteSize(event.bytes)} after ${duration(event.seconds)}, kept as ${kept}`,
      );
    }
    case "review_decided":
      return line(
        `${event.role}: ${event.verdict} (${place(event.round, event.cycle)})${note(event.note)}`,
        { tone: event.verdict === "APPROVED" ? "good" : "caution" },
      );
    case "review_limit_reached":
      return event.then === "proceed"
        ? line(`${event.role}: no approval by the last cycle; the work goes on`, { tone: "caution" })
        : line(`${event.role}: no approval by the last cycle; the run ends`, { tone: "bad" });
    case "test_command_started":
      return line(`project tests: ${event.command}`);
    case "test_command_finished":
      return line(testText(event), { tone: event.passed ? "good" : "bad" });
    case "round_finished":
      return line(`round ${event.round}: ${event.verdict}${note(event.note)}`, {
        tone: event.verdict === "PASS" ? "good" : "bad",
      });
    case "post_processed":
      return line(`post-processing: ${event.command}`, { detail: true });
    case "panes_left":
      return line(`the panes stay open; look at them with: ${event.attachCommand}`);
    case "warning":
      return line(`warning: ${event.role === undefined ? "" : `${event.role}: `}${event.message}`, {
        tone: "caution",
        lines: true,
      });
    case "run_finished":
      return line(
        `${OUTCOME_WORDS[event.outcome]} after ${plural(event.rounds, "round")}, ${duration(event.seconds)}` +
          (event.outcome === "fail" ? note(event.reason) : "") +
          (event.resumeCommand === undefined ? "" : `; go on with: ${event.resumeCommand}`),
        { tone: event.outcome === "pass" ? "good" : "bad" },
      );
  }
}

const OUTCOME_WORDS: Readonly<Record<RunOutcome, string>> = {
  pass: "PASS",
  fail: "FAIL",
  needs_human: "STOPPED FOR A PERSON",
  error: "ERROR",
  interrupted: "INTERRUPTED",
};

function testText(event: Extract<ReviewFact, { type: "test_command_finished" }>): string {
  const took = `after ${duration(event.seconds)}`;
  if (event.passed) return `project tests passed ${took}`;
  return event.timedOut
    ? `project tests stopped ${took}: time limit`
    : `project tests failed ${took}: exit code ${event.exitCode}`;
}

function dialogText(event: Extract<ReviewFact, { type: "dialog_waiting" }>): string {
  const { role, terminalId, kind, subject, reason, question, runId, attachCommand, timeoutSeconds } = event;
  return [
    `${role} waits for a person in terminal ${terminalId}, for at most ${
      duration(timeoutSeconds)
    } (${kind}). ${reason}`,
    ...(subject === undefined ? [] : subject.split("\n").map((text) => `  | ${text}`)),
    `look at it with: ${attachCommand}`,
    ...(question === undefined
      ? []
      : [`answer it there, or with: panewright answer ${runId} --question ${question} yes|no`]),
  ].join("\n");
}

function place(round: number, cycle: number): string {
  return cycle === 0 ? `round ${round}` : `round ${round}, cycle ${cycle}`;
}

function note(text: string | undefined): string {
  return text === undefined ? "" : `: ${text}`;
}

function line(
  text: string,
  options: { readonly tone?: Tone; readonly detail?: boolean; readonly lines?: boolean } = {},
): ProgressLine {
  const { tone = "plain", detail = false, lines = false } = options;
  return { text: lines ? sanitizeText(text) : sanitizeLine(text), tone, detail };
}
