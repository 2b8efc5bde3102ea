import type { AgentEvent, RecordedSession, TurnEnd } from "../agent.ts";
import type { Request } from "../../policy/request.ts";
import type { FailureWords } from "../failure.ts";
import { present } from "../../base/schema.ts";
import type { ReportedState } from "../pane/status_source.ts";
import type { SandboxReport } from "../sandbox.ts";
import { findTurnProblem } from "./sandbox.ts";

interface CodexTurnRecord {
  readonly id: string;
  readonly record: string;
  /** When it was written, in milliseconds since the epoch; `NaN` where it does not say. */
  readonly writtenAt: number;
}

export interface CodexLogState {
  readonly session?: RecordedSession;
  /** Unknown before the first turn that the log tells of. */
  readonly turn?: ReportedState & CodexTurnRecord;
  readonly lastAnswer?: string;
  readonly failure?: FailureWords;
  /** When the limits that are used up are reset, in milliseconds since the epoch; missing while none is. */
  readonly limitResetsAt?: number;
  readonly calls?: readonly Request[];
}

export function foldCodexLog(state: CodexLogState, event: AgentEvent): CodexLogState {
  const { calls = [] } = state;
  switch (event.type) {
    case "opened":
      return { ...state, session: state.session ?? event.session };
    case "called": {
      const { id, request } = event;
      return request === undefined ? state : { ...state, calls: [...calls.filter((one) => one.id !== id), request] };
    }
    case "ended":
      return event.isResult ? { ...state, calls: calls.filter(({ id }) => id !== event.id) } : state;
    case "turn_began": {
      const { failure: _failure, ...rest } = state;
      const { turnId: id = "", at: writtenAt } = event;
      return { ...rest, calls: [], turn: { state: "working", id, record: "task_started", writtenAt } };
    }
    case "turn_end":
      return foldEnd(state, event);
    case "limit":
    case "limit_lifted": {
      const { limitResetsAt: _before, ...rest } = state;
      return { ...rest, ...present({ limitResetsAt: event.type === "limit" ? event.resetsAt?.getTime() : undefined }) };
    }
    case "prompted": {
      if (event.by !== "person" || state.turn?.state !== "at_rest") return state;
      const { turn: _before, ...rest } = state;
      return rest;
    }
    default:
      return state;
  }
}

function foldEnd(state: CodexLogState, event: TurnEnd): CodexLogState {
  const { code, error: text = "", finalText, outcome, record = "", turnId: id = "", at: writtenAt = NaN } = event;
  const said = { text, ...present({ code }) };
  // One of an earlier turn's was told with its end.
  if (record === "error") return state.turn?.state === "at_rest" ? state : { ...state, failure: said };
  const { turn, lastAnswer: _before, calls: _calls, failure: before, ...rest } = state;
  // The end of a turn that another has followed already ends nothing.
  if (turn?.state === "working" && turn.id !== id && turn.id !== "" && id !== "") return state;
  const about = { state: "at_rest", id, record, writtenAt } as const;
  if (outcome === "interrupted") return { ...rest, turn: { ...about, outcome } };
  // An error that was recorded before the end is its reason where nothing was answered.
  const failure = outcome === "failed" ? said : finalText === undefined ? before : undefined;
  return {
    ...rest,
    ...present({ failure, lastAnswer: finalText }),
    turn: { ...about, outcome: outcome === "failed" ? "error" : "completed" },
  };
}

export interface SandboxTurns {
  /** The folders in which commands may write. */
  readonly folders: readonly string[];
  /**
   * When the agent was started, in milliseconds since the epoch: turns of an earlier process had what that was given.
   */
  readonly startedAt: number;
}

/** Each turn begins with what it may do, before the model is asked (0.169.0); a record without a time counts. Pure. */
export function foldCodexSandbox(
  report: SandboxReport,
  event: AgentEvent,
  { folders, startedAt }: SandboxTurns,
): SandboxReport {
  if (report.problem !== undefined || event.type !== "confined" || event.at < startedAt) return report;
  const problem = findTurnProblem(event.context, folders);
  return problem === undefined ? { turns: report.turns + 1 } : { turns: report.turns, problem };
}
