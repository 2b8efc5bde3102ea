import { ROLES } from "../../base/roles.ts";
import { tokensIn } from "../../agents/usage.ts";
import type { Recorded } from "../../run/job.ts";
import type { ReviewFact } from "./facts.ts";
import { applyResponse, applyTestCommandResult, startLoop } from "./machine.ts";
import {
  type AgentState,
  findOpenTurn,
  inAgent,
  inMessage,
  inTurn,
  newTurn,
  openTurnOf,
  type RunState,
} from "./run_state.ts";
import { NOTHING_COUNTED, takeCount, type TokenCount } from "../../run/usage.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS, type ReviewLoopSettings } from "./settings.ts";
import type { LoopContext, LoopState, Transition } from "./state.ts";
import { present } from "../../base/schema.ts";

/** An event of a journal, and for a response its text. */
export type RecordedEvent = Recorded<ReviewFact> & {
  /** Only of `response_received`: what the archived file holds. */
  readonly text?: string;
};

/**
 * The state after an event: what a run resumes from; `undefined` before its first one.
 *
 * Any prefix of a journal is a state. What the state machine decides is not read from the journal: the same responses
 * and settings lead to the same decisions, and what of them the journal does not hold yet is `untold`.
 */
export function foldEvent(state: RunState | undefined, event: RecordedEvent): RunState | undefined {
  return state === undefined ? firstState(event) : applyEvent(state, event);
}

function firstState(event: RecordedEvent): RunState | undefined {
  if (event.type !== "run_started") return undefined;
  const { runId: id, workdir, task, origin, rules, folder } = event;
  const settings = completed(event.settings);
  const { state: loop, events } = startLoop({ workdir, job: task, settings });
  return {
    head: {
      ...{ id, workdir, task, settings, origin, startedAt: event.at, folder },
      ...present({ rules }),
    },
    loop,
    untold: events,
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

/**
 * The state after an event.
 *
 * @throws {TypeError} when the event cannot follow: a response where none was due, or without its text
 */
export function applyEvent(before: RunState, event: RecordedEvent): RunState {
  const state = withoutTold(before, event);
  switch (event.type) {
    case "run_resumed":
      return {
        ...state,
        head: {
          ...state.head,
          settings: completed(event.settings),
          folder: event.folder,
          origin: { ...state.head.origin, configFile: event.configFile ?? state.head.origin.configFile },
          ...present({ rules: event.rules }),
        },
        ...(event.carriedFrom === undefined ? {} : {
          // Panes do not travel, and what the CLIs' sessions know are the paths of the old place.
          ...{ session: undefined, agents: {} },
          // Whether the test command can be run there is not known.
          loop: withoutTestRun(state.loop),
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
    case "test_command_finished": {
      const { passed, exitCode, seconds, timedOut, output, truncated } = event;
      const command = { passed, exitCode, seconds, timedOut, output, truncated };
      // Its first event is this one.
      return follow(state, applyTestCommandResult(state.loop, command, contextOf(state)), { told: 1 });
    }
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
    case "round_finished":
    case "panes_left":
    case "note":
    case "warning":
      return state;
  }
}

/** An earlier version may not have known all settings of this one. */
function completed(settings: ReviewLoopSettings): ReviewLoopSettings {
  return { ...DEFAULT_REVIEW_LOOP_SETTINGS, ...settings };
}

/** What a role's session has told. */
export function countOf(
  { role, session, usage }: Pick<Extract<ReviewFact, { type: "tokens_counted" }>, "role" | "session" | "usage">,
): TokenCount {
  return { worker: role, source: `${role} ${session}`, usage };
}

/** As before its test command was ever run. */
function withoutTestRun({ testCommandRan: _, ...loop }: LoopState): LoopState {
  return loop;
}

/** What the state machine knows of a run besides its state. */
export function contextOf({ head: { workdir, task: job, settings } }: Pick<RunState, "head">): LoopContext {
  return { workdir, job, settings };
}

/** A new agent in a role has none of what the one before was sent, unless it resumes that one's session. */
function agentStarting(state: RunState, event: Extract<RecordedEvent, { type: "agent_starting" }>): RunState {
  const { role, provider, protocol, resumes } = event;
  const hasMemory = resumes !== undefined;
  const prompted = hasMemory ? state.loop.prompted : state.loop.prompted.filter((one) => one !== role);
  const driven = protocol === undefined ? {} : { protocol };
  const agent: AgentState = { provider, ...driven, pane: undefined, sessionId: resumes, seenRules: [], hasMemory };
  const started = { ...state, loop: { ...state.loop, prompted }, agents: { ...state.agents, [role]: agent } };
  const open = openTurnOf(state, role);
  if (open === undefined) return started;
  const { id: turnId, message, interrupted } = open;
  const wasAtWork = message?.step === "sent" || message?.step === "enter";
  const change = { message: undefined, question: undefined, interrupted: interrupted || wasAtWork };
  return inTurn(started, { turnId }, change);
}

function dialogAnswered(state: RunState, event: Extract<RecordedEvent, { type: "dialog_answered" }>): RunState {
  const turn = findOpenTurn(state, event.turnId);
  if (turn === undefined || ["person", "model"].includes(event.rule) || event.result !== "closed") return state;
  return event.answer === "accept"
    ? inTurn(state, event, { acceptedDialogs: turn.acceptedDialogs + 1, lastAcceptAtMs: Date.parse(event.at) })
    : inTurn(state, event, { declinedDialogs: turn.declinedDialogs + 1 });
}

function responseReceived(state: RunState, event: Extract<RecordedEvent, { type: "response_received" }>): RunState {
  const { turnId, role, archivedAs: path, bytes, sha256, text } = event;
  if (text === undefined) throw new TypeError(`Cannot apply the response to ${turnId}: its text is missing`);
  const baseline = state.turn?.filesNote;
  const received = {
    ...state,
    turn: undefined,
    changesDue: baseline === undefined ? undefined : { turnId, role, baseline },
    responses: [...state.responses, { turnId, role, path, bytes, sha256 }],
  };
  return follow(received, applyResponse(state.loop, { text, file: path, names: event.names }, contextOf(state)), {
    told: 0,
  });
}

function changesTold(state: RunState, { turnId }: { readonly turnId: string }): RunState {
  return state.changesDue?.turnId === turnId ? { ...state, changesDue: undefined } : state;
}

function follow(state: RunState, transition: Transition, { told }: { readonly told: number }): RunState {
  return { ...state, loop: transition.state, untold: transition.events.slice(told) };
}

/**
 * The state machine's events follow the one that they come from, in their order; warnings of others may come between.
 */
function withoutTold(state: RunState, event: RecordedEvent): RunState {
  const [next, ...rest] = state.untold;
  if (next === undefined || next.type !== event.type) return state;
  if (next.type === "warning" && event.type === "warning" && next.message !== event.message) return state;
  return { ...state, untold: rest };
}

function numberOf(question: string): number {
  return Number(question.slice(1));
}
