import type { Recorded } from "../../run/job.ts";
import type { Role } from "../../roles.ts";
import {
  afterRecord,
  atLevel,
  type Change,
  changeWorker,
  counted,
  levelOf,
  type Progress,
  tokensCounted,
  warned,
  withoutPanes,
  workerOf,
} from "../../run/progress.ts";
import { firstLine } from "../../text/lines.ts";
import type { ReviewFact } from "./facts.ts";
import { countOf } from "./fold.ts";

type RecordOf<Type extends ReviewFact["type"]> = Extract<Recorded<ReviewFact>, { readonly type: Type }>;

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
      return { runId, folder, workdir, configFile, about, startedAt: at, executedSince: at, place };
    }
    case "run_resumed":
      return {
        folder: record.folder,
        ...(record.configFile === undefined ? {} : { configFile: record.configFile }),
        ...(record.carriedFrom === undefined ? {} : withoutPanes(before)),
        ...inRound(before, { number: levelOf(before, "round")?.number ?? 0, of: record.settings.maxRounds }),
        executedSince: at,
        activity: undefined,
        finished: undefined,
      };
    case "session_opening": {
      const { socket, session: name, existing, mark } = record;
      return { session: { socket, name, existing, mark, opened: false } };
    }
    case "session_opened":
    case "session_adopted":
      return before.session === undefined ? {} : { session: { ...before.session, opened: true } };
    case "agent_starting":
      return agentStarting(before, record);
    case "agent_ready": {
      const { role, terminalId, pid, processStart, wrapperShell, launchedAtMs } = record;
      const pane = { terminalId, pid, processStart, wrapperShell, launchedAtMs };
      const { workers } = changeWorker(before, role, { pane, status: "idle", since: at });
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
    case "status_changed":
      return {
        ...changeWorker(before, record.role, { status: record.status, since: at }),
        ...waitEnds(before, record),
      };
    case "agent_failed": {
      const { class: failureClass, role: worker, message: detail, retryAt: until } = record;
      const isLimit = failureClass === "usage_limit";
      const kind = isLimit ? "usage_limit" : "retry";
      return {
        ...changeWorker(before, worker, { status: isLimit ? "limited" : "error", since: at }),
        ...(until === undefined ? {} : { activity: { kind, worker, since: at, detail, until } }),
      };
    }
    case "message_held":
      return messageHeld({ ...before, ...waitEnds(before, record) }, record);
    case "message_released":
      return { ...turnActivity(before, undefined), waiting: undefined };
    case "message_sent":
      return waitEnds(before, record);
    case "tokens_counted":
      return tokensCounted(before, countOf(record));
    case "reminder_sent":
      return counted(before, "reminders");
    case "dialog_waiting": {
      const { question: id, role: by, kind, subject, reason, terminalId, timeoutSeconds, questions } = record;
      const text = `a dialog (${kind})${subject === undefined ? "" : `: ${subject}`}\n${reason}`;
      const asked = questions === undefined ? {} : { questions };
      const dialog = { kind, subject, reason, terminalId, timeoutSeconds, ...asked };
      return { waiting: { id, by, text, askedAt: at, dialog } };
    }
    case "dialog_closed":
      return { waiting: undefined };
    case "dialog_answered":
      return dialogAnswered(before, record);
    case "response_received":
      return {
        ...changeWorker(before, record.role, { status: "idle", since: at }),
        ...counted(before, "responses"),
        activity: undefined,
        waiting: undefined,
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
      const finished = { outcome, reason, at, ...(resumeCommand === undefined ? {} : { resumeCommand }) };
      return { waiting: undefined, finished };
    }
    default:
      return {};
  }
}

function inRound(before: Progress, { number, of }: { readonly number: number; readonly of: number }): Change {
  return atLevel(before, { unit: "round", number, of });
}

function agentStarting(before: Progress, { role, provider, resumes, at }: RecordOf<"agent_starting">): Change {
  const worker = {
    name: role,
    provider,
    status: "starting",
    since: at,
    sessionId: resumes,
    pane: undefined,
    folder: undefined,
  } as const;
  const isNew = workerOf(before, role) === undefined;
  return {
    workers: isNew ? [...before.workers, worker] : changeWorker(before, role, worker).workers,
    // An agent may be started in its turn.
    activity: before.activity?.kind === "turn" || before.activity?.kind === "starting"
      ? before.activity
      : { kind: "starting", since: at },
    // A new agent does not stand at the dialog of the one before.
    ...(before.waiting?.by === role ? { waiting: undefined } : {}),
  };
}

/** A turn that waited to be tried again continues. */
function waitEnds(
  { activity }: Progress,
  { role: worker, at }: { readonly role: Role; readonly at: string },
): Pick<Change, "activity"> {
  const waited = activity?.kind === "usage_limit" || activity?.kind === "retry";
  return waited ? { activity: { kind: "turn", worker, since: at } } : {};
}

function messageHeld(before: Progress, { role: by, what, obstacle, at }: RecordOf<"message_held">): Change {
  switch (obstacle) {
    case "at_work":
      return {
        ...turnActivity(before, `at work on something else, its ${what} waits`),
        waiting: undefined,
      };
    case "draft": {
      const text = `a person's draft stands in its composer, and its ${what} waits`;
      return { ...turnActivity(before, text), waiting: { id: undefined, by, text, askedAt: at } };
    }
  }
}

function turnActivity({ activity }: Progress, detail: string | undefined): Change {
  if (activity?.kind !== "turn") return {};
  const { detail: _before, ...turn } = activity;
  return { activity: detail === undefined ? turn : { ...turn, detail } };
}

function turnBegins(
  before: Progress,
  { role, round, cycle, at }: RecordOf<"turn_started"> | RecordOf<"turn_resumed">,
): Change {
  const of = levelOf(before, "round")?.of ?? round;
  const place = inRound(before, { number: round, of }).place ?? [];
  return {
    ...changeWorker(before, role, { status: "prompted", since: at }),
    place: cycle === 0 ? place : [...place, { unit: "cycle", number: cycle }],
    activity: { kind: "turn", worker: role, since: at },
    // A draft that an earlier process waited for is looked for anew.
    ...(before.waiting !== undefined && before.waiting.dialog === undefined ? { waiting: undefined } : {}),
  };
}

function dialogAnswered(before: Progress, record: RecordOf<"dialog_answered">): Change {
  const { role, kind, subject, answer, replies, rule, result, at } = record;
  if (result !== "closed") return {};
  if (rule !== "person") return counted(before, answer === "accept" ? "acceptedDialogs" : "declinedDialogs");
  const given = {
    id: undefined,
    worker: role,
    asked: `${kind}${subject === undefined ? "" : `: ${subject}`}`,
    answer: replies ?? (answer === "accept" ? "yes" : "no"),
    by: rule,
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
  return { done: [...before.done, { ...what, ...(note === undefined ? {} : { reason: note }) }] };
}
