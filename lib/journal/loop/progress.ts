import { countOf } from "./fold.ts";
import type { Recorded } from "../job.ts";
import type { Role } from "../../base/roles.ts";
import { afterRecord, type Change, counted, levelOf, type Progress, tokensCounted, warned } from "../progress.ts";
import { modelsMay, waitsFor, waitsNoLonger } from "../waiting.ts";
import { changeWorker, withoutPanes, type Worker, workerOf } from "../workers.ts";
import { messageChanged } from "../message_progress.ts";
import { firstLine } from "../../base/text/lines.ts";
import type { ReviewFact } from "./facts.ts";
import {
  inRound,
  messageHeld,
  messageReleased,
  messageSent,
  type RecordOf,
  statusChanged,
  turnBegins,
  waitEnds,
} from "./turn_progress.ts";
import { present } from "../../base/schema.ts";

/** How a review loop stands after a record. A record that changes nothing that is shown needs no case here. */
export function reviewProgress(before: Progress, record: Recorded<ReviewFact>): Progress {
  return afterRecord(before, record, changeBy(before, record));
}

function changeBy(before: Progress, record: Recorded<ReviewFact>): Change {
  const { at } = record;
  switch (record.type) {
    case "run_started": {
      const { runId, folder, workdir, origin: { configFile }, task, settings } = record;
      const about = firstLine(task.introduction.trim() === "" ? task.exploreSummary : task.introduction);
      const place = [{ unit: "round", number: 0, of: settings.maxRounds }] as const;
      const allowed = modelsMay(before, record.modelAnswers);
      return { runId, folder, workdir, configFile, about, startedAt: at, executedSince: at, place, ...allowed };
    }
    case "run_resumed":
      return {
        folder: record.folder,
        ...modelsMay(before, record.modelAnswers),
        ...present({ configFile: record.configFile }),
        ...(record.carriedFrom === undefined ? {} : withoutPanes(before)),
        ...inRound(before, { number: levelOf(before, "round")?.number ?? 0, of: record.settings.maxRounds }),
        executedSince: at,
        activity: undefined,
        finished: undefined,
      };
    case "session_opening": {
      const { socket, session: name, existing, mark } = record;
      return { ...withoutPanes(before), session: { socket, name, existing, mark, opened: false } };
    }
    case "session_opened":
    case "session_adopted":
      return before.session === undefined ? {} : { session: { ...before.session, opened: true } };
    case "agent_starting":
      return agentStarting(before, record);
    case "agent_ready": {
      const { role, terminalId, pid, processStart, wrapperShell, launchedAtMs } = record;
      const where = workerOf(before, role)?.protocol === undefined
        ? { pane: { terminalId, pid, processStart, wrapperShell, launchedAtMs } }
        : { process: { pid, processStart } };
      const inTurn = before.activity?.kind === "turn" && before.activity.worker === role;
      const { workers } = changeWorker(before, role, { ...where, status: inTurn ? "prompting" : "idle", since: at });
      const areStarting = before.activity?.kind === "starting" && workers.some(({ status }) => status === "starting");
      return { workers, ...(before.activity?.kind === "starting" && !areStarting ? { activity: undefined } : {}) };
    }
    case "agent_lost":
      return changeWorker(before, record.role, { status: "lost", since: at });
    case "agent_session":
      return changeWorker(before, record.role, { sessionId: record.sessionId });
    case "round_started":
      return inRound(before, { number: record.round, of: record.maxRounds });
    case "turn_started":
      return { ...turnBegins(before, record), ...counted(before, "turns") };
    case "turn_resumed":
      return turnBegins(before, record);
    case "message_received": {
      const { messageId: id, role: worker, by, who, wantsResponse } = record;
      const from = who === undefined ? { by } : { by, who };
      const message = { id, worker, ...from, wantsResponse, receivedAt: at, status: "waiting", since: at } as const;
      return { messages: [...before.messages, message] };
    }
    case "message_started":
    case "message_resumed":
      return {
        ...messageChanged(before, record.messageId, { status: "sending", since: at }),
        ...changeWorker(before, record.role, {
          status: record.type === "message_started" ? "prompting" : "prompted",
          since: at,
        }),
      };
    case "message_answered":
    case "message_failed":
      return messageOver(before, record);
    case "status_changed":
      return { ...statusChanged(before, record), ...waitEnds(before, record) };
    case "agent_failed": {
      const { class: failureClass, role: worker, message: detail, retryAt: until } = record;
      const isLimit = failureClass === "usage_limit";
      const kind = isLimit ? "usage_limit" : "retry";
      return {
        ...changeWorker(before, worker, { status: isLimit ? "limited" : "error", since: at }),
        ...(until === undefined || isOfMessage(before, record)
          ? {}
          : { activity: { kind, worker, since: at, detail, until } }),
      };
    }
    case "message_held":
      return messageHeld({ ...before, ...waitEnds(before, record) }, record);
    case "message_released":
      return messageReleased(before, record);
    case "message_sent":
      return {
        ...messageSent(before, record),
        ...waitEnds(before, record),
        ...(isOfMessage(before, record) ? messageChanged(before, record.turnId, { status: "sent", since: at }) : {}),
      };
    case "tokens_counted":
      return tokensCounted(before, countOf(record));
    case "reminder_sent":
      return counted(before, "reminders");
    case "dialog_waiting": {
      const { question: id, role: by, kind, subject, reason, terminalId, timeoutSeconds, questions } = record;
      const text = `a dialog (${kind})${subject === undefined ? "" : `: ${subject}`}\n${reason}`;
      const asked = questions === undefined ? {} : { questions };
      const dialog = { kind, subject, reason, terminalId, timeoutSeconds, ...asked };
      const { fingerprint } = record;
      return waitsFor(before, { id, by, text, askedAt: at, fingerprint, dialog });
    }
    case "dialog_closed":
      return waitsNoLonger(before, record.role);
    case "dialog_answered":
      return dialogAnswered(before, record);
    case "response_received":
      return {
        ...changeWorker(before, record.role, { status: "idle", since: at }),
        ...counted(before, "responses"),
        activity: undefined,
        ...waitsNoLonger(before, record.role),
      };
    case "review_decided": {
      const { cycle: number, role: name, verdict, note } = record;
      return done(before, { unit: "cycle", number, name, outcome: verdict === "APPROVED" ? "pass" : "fail", note, at });
    }
    case "test_command_started":
      return { activity: { kind: "tests", since: at, detail: record.command } };
    case "test_command_finished":
      return { activity: undefined };
    case "round_finished": {
      const { round: number, verdict, note } = record;
      return done(before, { unit: "round", number, outcome: verdict === "PASS" ? "pass" : "fail", note, at });
    }
    case "warning": {
      const { role, message } = record;
      return warned(before, { at, message: role === undefined ? message : `${role}: ${message}` });
    }
    case "run_finished": {
      const { outcome, reason, resumeCommand } = record;
      const finished = { outcome, reason, at, ...present({ resumeCommand }) };
      return { waiting: undefined, alsoWaiting: [], finished };
    }
    default:
      return {};
  }
}

function agentStarting(
  before: Progress,
  { role, provider, protocol, resumes, at }: RecordOf<"agent_starting">,
): Change {
  const worker: Worker = {
    name: role,
    provider,
    ...present({ protocol }),
    status: "starting",
    since: at,
    sessionId: resumes,
    pane: undefined,
    folder: undefined,
  };
  const isNew = workerOf(before, role) === undefined;
  return {
    workers: isNew ? [...before.workers, worker] : before.workers.map((one) => one.name === role ? worker : one),
    // An agent may be started in its turn.
    activity: before.activity?.kind === "turn" || before.activity?.kind === "starting"
      ? before.activity
      : { kind: "starting", since: at },
    // A new agent does not stand at the dialog of the one before.
    ...waitsNoLonger(before, role),
  };
}

/** Whether a record is of the turn of a message from outside: what the loop does is not changed by it. */
function isOfMessage({ messages }: Progress, { turnId }: { readonly turnId: string }): boolean {
  return messages.some(({ id }) => id === turnId);
}

function messageOver(
  before: Progress,
  record: RecordOf<"message_answered"> | RecordOf<"message_failed">,
): Change {
  const { type, messageId, role, at, seconds } = record;
  const change = type === "message_failed" ? { status: "failed", since: at, reason: record.reason } as const : {
    status: "answered",
    since: at,
    ...present({ archivedAs: record.archivedAs }),
  } as const;
  const message = messageChanged(before, messageId, change);
  if (seconds === undefined) return message;
  const worker = type === "message_answered" ? changeWorker(before, role, { status: "idle", since: at }) : {};
  return { ...message, ...worker, ...waitsNoLonger(before, role) };
}

function dialogAnswered(before: Progress, record: RecordOf<"dialog_answered">): Change {
  const { role, kind, subject, answer, replies, rule, by = rule, who, question, result, at } = record;
  if (result !== "closed") return {};
  if (rule !== "person" && rule !== "model") {
    return counted(before, answer === "accept" ? "acceptedDialogs" : "declinedDialogs");
  }
  const given = {
    id: question,
    worker: role,
    asked: `${kind}${subject === undefined ? "" : `: ${subject}`}`,
    answer: replies ?? (answer === "accept" ? "yes" : "no"),
    by,
    ...present({ who }),
    at,
  };
  return { answers: [...before.answers, given] };
}

function done(
  before: Progress,
  { note, ...what }: {
    readonly unit: "round" | "cycle";
    readonly number: number;
    readonly name?: Role;
    readonly outcome: "pass" | "fail";
    readonly note: string | undefined;
    readonly at: string;
  },
): Change {
  return { done: [...before.done, { ...what, ...present({ reason: note }) }] };
}
