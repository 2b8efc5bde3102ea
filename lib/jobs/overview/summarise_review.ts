import type { ReviewFact } from "../review_loop/facts.ts";
import type { ReviewActivity, ReviewCounts, ReviewSummary, SummarisedAgent } from "./summary.ts";
import { firstLine } from "../../text/lines.ts";

type Recorded<Type extends ReviewFact["type"] = ReviewFact["type"]> =
  & Extract<ReviewFact, { type: Type }>
  & { readonly at: string };

/**
 * What the records of a review loop tell about it. The state machine is not asked, so no response has to be read.
 *
 * @param started the run's first record
 */
export function summariseReview(started: Recorded<"run_started">, records: Iterable<Recorded>): ReviewSummary {
  const { workdir, origin, task, settings, at } = started;
  let summary: ReviewSummary = {
    job: "run",
    workdir,
    configFile: origin.configFile,
    startedAt: at,
    executedSince: at,
    lastAt: at,
    about: firstLine(task.introduction.trim() === "" ? task.exploreSummary : task.introduction),
    round: 0,
    maxRounds: settings.maxRounds,
    activity: { kind: "none" },
    question: undefined,
    counts: { turns: 0, responses: 0, reminders: 0, acceptedDialogs: 0, declinedDialogs: 0 },
    session: undefined,
    agents: {},
    finished: undefined,
  };
  for (const record of records) summary = { ...afterRecord(summary, record), lastAt: record.at };
  return summary;
}

function afterRecord(summary: ReviewSummary, record: Recorded): ReviewSummary {
  const { activity, counts } = summary;
  switch (record.type) {
    case "run_resumed":
      return {
        ...summary,
        executedSince: record.at,
        maxRounds: record.settings.maxRounds,
        activity: { kind: "none" },
        finished: undefined,
      };
    case "session_opening": {
      const { socket, session: name, existing, mark } = record;
      return { ...summary, session: { socket, name, existing, mark, opened: false } };
    }
    case "session_opened":
    case "session_adopted":
      return summary.session === undefined ? summary : { ...summary, session: { ...summary.session, opened: true } };
    case "agent_starting": {
      const { role, provider, resumes, at } = record;
      const starting = activity.kind === "starting" ? activity : { waitingFor: [], since: at };
      const gone = summary.question?.by === role;
      return {
        ...inAgent(summary, role, { provider, sessionId: resumes, pane: undefined }),
        activity: { kind: "starting", waitingFor: [...starting.waitingFor, role], since: starting.since },
        ...(gone ? { question: undefined } : {}),
      };
    }
    case "agent_ready": {
      const { role, terminalId, pid, processStart, wrapperShell, launchedAtMs } = record;
      const agent = summary.agents[role];
      const pane = { terminalId, pid, processStart, wrapperShell, launchedAtMs };
      const ready = agent === undefined ? summary : inAgent(summary, role, { ...agent, pane });
      return { ...ready, activity: withoutWaitingFor(activity, role) };
    }
    case "agent_session": {
      const agent = summary.agents[record.role];
      return agent === undefined ? summary : inAgent(summary, record.role, { ...agent, sessionId: record.sessionId });
    }
    case "round_started":
      return { ...summary, round: record.round, maxRounds: record.maxRounds };
    case "turn_started":
    case "turn_resumed": {
      const { role, round, cycle, at } = record;
      const turn: ReviewActivity = { kind: "turn", role, cycle, since: at, status: undefined };
      const isNew = record.type === "turn_started";
      return { ...summary, round, activity: turn, counts: isNew ? plusOne(counts, "turns") : counts };
    }
    case "status_changed":
      if (activity.kind !== "turn" || activity.role !== record.role) return summary;
      return { ...summary, activity: { ...activity, status: { is: record.status, since: record.at } } };
    case "reminder_sent":
      return { ...summary, counts: plusOne(counts, "reminders") };
    case "dialog_waiting": {
      const { question: id, role: by, kind, subject, reason, at: askedAt } = record;
      const text = `a dialog (${kind})${subject === undefined ? "" : `: ${subject}`}\n${reason}`;
      return { ...summary, question: { id, by, text, askedAt } };
    }
    case "dialog_closed":
      return { ...summary, question: undefined };
    case "dialog_answered":
      if (record.rule === "person" || record.result !== "closed") return summary;
      return {
        ...summary,
        counts: plusOne(counts, record.answer === "accept" ? "acceptedDialogs" : "declinedDialogs"),
      };
    case "response_received":
      return {
        ...summary,
        activity: { kind: "none" },
        question: undefined,
        counts: plusOne(counts, "responses"),
      };
    case "test_command_started":
      return { ...summary, activity: { kind: "tests", since: record.at } };
    case "test_command_finished":
      return { ...summary, activity: { kind: "none" } };
    case "run_finished": {
      const { outcome, reason, at } = record;
      return { ...summary, question: undefined, finished: { outcome, reason, at } };
    }
    case "run_started":
    case "agent_adopted":
    case "message_sending":
    case "message_sent":
    case "review_decided":
    case "review_limit_reached":
    case "round_finished":
    case "post_processed":
    case "panes_left":
    case "warning":
      return summary;
    default:
      // A later version may know more: what it adds is passed over.
      return summary;
  }
}

function inAgent(
  summary: ReviewSummary,
  role: keyof ReviewSummary["agents"],
  agent: SummarisedAgent,
): ReviewSummary {
  return { ...summary, agents: { ...summary.agents, [role]: agent } };
}

function withoutWaitingFor(activity: ReviewActivity, role: string): ReviewActivity {
  if (activity.kind !== "starting") return activity;
  const waitingFor = activity.waitingFor.filter((one) => one !== role);
  return waitingFor.length === 0 ? { kind: "none" } : { ...activity, waitingFor };
}

function plusOne(counts: ReviewCounts, name: keyof ReviewCounts): ReviewCounts {
  return { ...counts, [name]: counts[name] + 1 };
}
