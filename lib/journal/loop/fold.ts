import { ROLES } from "../../base/roles.ts";
import { present } from "../../base/schema.ts";
import { tokensIn } from "../../base/usage.ts";
import type { Recorded } from "../job.ts";
import { NOTHING_COUNTED, takeCount, type TokenCount } from "../usage.ts";
import type { ReviewFact } from "./facts.ts";
import {
  type AgentState,
  findOpenTurn,
  inAgent,
  inMessage,
  inTurn,
  newTurn,
  openTurnOf,
  type RunRecords,
} from "./state.ts";

type Fact = Recorded<ReviewFact>;

/** What a run's first record tells. */
export function firstRecords(
  { runId: id, workdir, task, settings, origin, at, rules, folder }: Extract<Fact, { type: "run_started" }>,
): RunRecords {
  return {
    head: { id, workdir, task, settings, origin, startedAt: at, folder, ...present({ rules }) },
    session: undefined,
    agents: {},
    restarts: {},
    turn: undefined,
    changesDue: undefined,
    messages: [],
    responses: [],
    tokens: NOTHING_COUNTED,
    questions: 0,
    postProcessed: [],
    finished: undefined,
  };
}

/** What the records tell after one more. What the state machine makes of them is the job's. */
export function applyRecord(state: RunRecords, event: Fact): RunRecords {
  switch (event.type) {
    case "run_resumed":
      return {
        ...state,
        head: {
          ...state.head,
          settings: event.settings,
          folder: event.folder,
          origin: { ...state.head.origin, configFile: event.configFile ?? state.head.origin.configFile },
          ...present({ rules: event.rules }),
        },
        ...(event.carriedFrom === undefined ? {} : {
          // Panes do not travel, and what the CLIs' sessions know are the paths of the old place.
          session: undefined,
          agents: {},
        }),
        restarts: {},
        finished: undefined,
      };
    case "session_opening": {
      const { socket, session: name, existing, mark } = event;
      // A new server names its panes as the one before did: by its id, a lost pane would be another agent's.
      const without = ROLES.reduce((before, role) => inAgent(before, role, { pane: undefined }), state);
      return { ...without, session: { socket, name, existing, mark, opened: false } };
    }
    case "session_opened":
    case "session_adopted":
      return state.session === undefined ? state : { ...state, session: { ...state.session, opened: true } };
    case "agent_starting":
      return agentStarting(state, event);
    case "agent_ready": {
      if (state.agents[event.role]?.protocol !== undefined) return state;
      const { terminalId, pid, processStart, wrapperShell, launchedAtMs, sandbox } = event;
      const pane = { terminalId, pid, processStart, wrapperShell, launchedAtMs };
      return inAgent(state, event.role, { pane: sandbox === undefined ? pane : { ...pane, sandbox } });
    }
    case "agent_lost":
      return { ...state, restarts: { ...state.restarts, [event.role]: event.restart } };
    case "agent_session":
      return inAgent(state, event.role, { sessionId: event.sessionId });
    case "agent_rules_seen":
      return inAgent(state, event.role, { seenRules: event.rules });
    case "turn_started":
      return {
        ...state,
        turn: newTurn(event, tokensIn(state.tokens.byWorker[event.role] ?? {})),
        // An earlier version did not tell it: by now others may have changed what they liked.
        changesDue: undefined,
      };
    case "files_seen":
      return event.moment === "before" ? inTurn(state, event, { filesSeen: true }) : state;
    case "files_noted":
      return inTurn(state, event, { filesNote: event.baseline });
    case "files_changed":
      return changesTold(state, event);
    case "changes_unknown":
      return inTurn(changesTold(state, event), event, { changesUnknown: true });
    case "message_sending": {
      const { what, file, sha256, step, dispatchedAtMs } = event;
      return inTurn(state, event, {
        message: { what, file, sha256, step },
        ...present({ dispatchedAtMs }),
      });
    }
    case "message_sent": {
      const sent = inAgent(state, event.role, { hasMemory: true });
      const message = findOpenTurn(state, event.turnId)?.message;
      return message === undefined ? sent : inTurn(sent, event, { message: { ...message, step: "sent" }, taken: true });
    }
    case "tokens_counted":
      return { ...state, tokens: takeCount(state.tokens, countOf(event)) };
    case "turn_time":
      return inTurn(state, event, { usedSeconds: event.usedSeconds });
    case "reminder_sent":
      return inTurn(state, event, { reminders: event.reminder });
    case "agent_failed": {
      const before = findOpenTurn(state, event.turnId)?.retries ?? 0;
      return inTurn(state, event, { retries: Math.max(before, event.retry ?? 0) });
    }
    case "dialog_waiting":
      return event.question === undefined
        ? state
        : inTurn({ ...state, questions: Math.max(state.questions, numberOf(event.question)) }, event, {
          question: { id: event.question, fingerprint: event.fingerprint },
        });
    case "dialog_closed":
      return inTurn(state, event, { question: undefined });
    case "dialog_answered":
      return dialogAnswered(state, event);
    case "response_received":
      return responseReceived(state, event);
    case "message_received": {
      const { messageId: id, role, by, who, wantsResponse, sha256 } = event;
      const from = who === undefined ? { by } : { by, who };
      const message = { id, role, ...from, wantsResponse, sha256, turn: undefined, isOver: false };
      return { ...state, messages: [...state.messages, message] };
    }
    case "message_started": {
      const { messageId: turnId, role } = event;
      const turn = newTurn({ turnId, role }, tokensIn(state.tokens.byWorker[role] ?? {}));
      return inMessage(state, turnId, { turn });
    }
    case "message_answered":
    case "message_failed":
      return inMessage(state, event.messageId, { turn: undefined, isOver: true });
    case "post_processed":
      return { ...state, postProcessed: [...state.postProcessed, event.command] };
    case "run_finished":
      return { ...state, finished: { outcome: event.outcome, reason: event.reason } };
    case "run_started":
    case "agent_adopted":
    case "round_started":
    case "turn_resumed":
    case "message_resumed":
    case "message_held":
    case "message_released":
    case "status_changed":
    case "command_repeated":
    case "screen_kept":
    case "review_decided":
    case "review_limit_reached":
    case "test_command_started":
    case "test_command_finished":
    case "round_finished":
    case "panes_left":
    case "note":
    case "warning":
      return state;
  }
}

/** What a role's session has told. */
export function countOf(
  { role, session, usage }: Pick<Extract<ReviewFact, { type: "tokens_counted" }>, "role" | "session" | "usage">,
): TokenCount {
  return { worker: role, source: `${role} ${session}`, usage };
}

/** A new agent in a role has none of what the one before was sent, unless it resumes that one's session. */
function agentStarting(state: RunRecords, event: Extract<Fact, { type: "agent_starting" }>): RunRecords {
  const { role, provider, protocol, resumes } = event;
  const hasMemory = resumes !== undefined;
  const driven = protocol === undefined ? {} : { protocol };
  const agent: AgentState = { provider, ...driven, pane: undefined, sessionId: resumes, seenRules: [], hasMemory };
  const started = { ...state, agents: { ...state.agents, [role]: agent } };
  const open = openTurnOf(state, role);
  if (open === undefined) return started;
  const { id: turnId, message, interrupted } = open;
  const wasAtWork = message?.step === "sent" || message?.step === "enter";
  const change = { message: undefined, question: undefined, interrupted: interrupted || wasAtWork };
  return inTurn(started, { turnId }, change);
}

function dialogAnswered(state: RunRecords, event: Extract<Fact, { type: "dialog_answered" }>): RunRecords {
  const turn = findOpenTurn(state, event.turnId);
  if (turn === undefined || ["person", "model"].includes(event.rule) || event.result !== "closed") return state;
  return event.answer === "accept"
    ? inTurn(state, event, { acceptedDialogs: turn.acceptedDialogs + 1, lastAcceptAtMs: Date.parse(event.at) })
    : inTurn(state, event, { declinedDialogs: turn.declinedDialogs + 1 });
}

function responseReceived(state: RunRecords, event: Extract<Fact, { type: "response_received" }>): RunRecords {
  const { turnId, role, archivedAs: path, bytes, sha256 } = event;
  const baseline = state.turn?.filesNote;
  return {
    ...state,
    turn: undefined,
    changesDue: baseline === undefined ? undefined : { turnId, role, baseline },
    responses: [...state.responses, { turnId, role, path, bytes, sha256 }],
  };
}

function changesTold(state: RunRecords, { turnId }: { readonly turnId: string }): RunRecords {
  return state.changesDue?.turnId === turnId ? { ...state, changesDue: undefined } : state;
}

function numberOf(question: string): number {
  return Number(question.slice(1));
}
