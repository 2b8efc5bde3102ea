import type { AgentEvent, RecordedSession, TurnEnd } from "./agent.ts";
import { present } from "../base/schema.ts";
import type { Request } from "../policy/request.ts";
import type { FailureWords } from "./failure.ts";
import type { ReportedState } from "./pane/status_source.ts";

type LogTurn = ReportedState & {
  /** The CLI's own id of the turn; empty where it has none. */
  readonly id: string;
  /** The record that it ended with. */
  readonly record?: string;
  /** When it began or ended. */
  readonly at: number;
};

/** What a CLI's record of its session comes to, as far as it was read. Times are as in {@linkcode AgentEvent}. */
export interface LogState {
  readonly session?: RecordedSession;
  /** Unknown before the first turn that the log tells of. */
  readonly turn?: LogTurn;
  readonly beganAt: number;
  /** What the agent said last, and the message that it is of. */
  readonly answer?: string;
  readonly answerOf?: string;
  readonly message?: string;
  readonly failure?: FailureWords & { readonly writtenAt: number };
  /** When the limits that are used up are reset; missing while none is. */
  readonly limitResetsAt?: number;
  /** The calls of the last turn that have no result yet: they run, or wait for their permission. */
  readonly calls: readonly Request[];
  readonly answers: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** How often its conversation was made shorter. */
  readonly compactions: number;
}

/** The state before the first line. */
export const EMPTY_LOG: LogState = { beganAt: NaN, calls: [], answers: {}, compactions: 0 };

export function foldLog(state: LogState, event: AgentEvent): LogState {
  switch (event.type) {
    case "opened":
      return { ...state, session: state.session ?? event.session };
    case "turn_began": {
      const { session, limitResetsAt, answers, compactions } = state;
      const { turnId: id = "", at } = event;
      return {
        ...EMPTY_LOG,
        ...present({ session, limitResetsAt }),
        ...{ answers, compactions },
        beganAt: at,
        turn: { state: "working", id, at },
      };
    }
    case "turn_end":
      return foldEnd(state, event);
    case "prompted": {
      if (event.by !== "person" || state.turn?.state !== "at_rest") return state;
      const { turn: _turn, answer: _answer, ...rest } = state;
      return rest;
    }
    case "message": {
      const { failure: _failure, ...rest } = state;
      return { ...rest, message: event.id };
    }
    case "said":
    case "trouble": {
      const { message, answer, answerOf } = state;
      // Without messages the end of a turn names its answer.
      if (message === undefined) return state;
      const isMore = message === answerOf && answer !== undefined;
      return { ...state, answer: isMore ? `${answer}\n\n${event.text}` : event.text, answerOf: message };
    }
    case "called": {
      const { id, request } = event;
      return request === undefined
        ? state
        : { ...state, calls: [...state.calls.filter((one) => one.id !== id), request] };
    }
    case "ended":
      return event.isResult ? { ...state, calls: state.calls.filter(({ id }) => id !== event.id) } : state;
    case "replied":
      return { ...state, answers: { ...state.answers, [event.id]: event.answers } };
    case "compacted":
      return { ...state, compactions: state.compactions + 1 };
    case "limit":
    case "limit_lifted": {
      const { limitResetsAt: _before, ...rest } = state;
      return { ...rest, ...present({ limitResetsAt: event.type === "limit" ? event.resetsAt?.getTime() : undefined }) };
    }
    default:
      return state;
  }
}

function foldEnd(state: LogState, event: TurnEnd): LogState {
  const { code, error: text = "", finalText, outcome, record, turnId: id = "", at = NaN } = event;
  const { turn, failure: before, ...rest } = state;
  const said = { text, writtenAt: at, ...present({ code }) };
  // One of an earlier turn's was told with its end.
  if (record === "error") return turn?.state === "at_rest" ? state : { ...state, failure: said };
  // The end of a turn that another has followed already ends nothing.
  if (turn?.state === "working" && turn.id !== id && turn.id !== "" && id !== "") return state;
  // An error that was recorded before the end is its reason where nothing was answered.
  const failure = outcome === "failed" ? said : outcome === "completed" && finalText === undefined ? before : undefined;
  return {
    ...rest,
    calls: [],
    ...present({ failure, answer: finalText ?? state.answer }),
    turn: { state: "at_rest", outcome: outcome === "failed" ? "error" : outcome, id, at, ...present({ record }) },
  };
}
