import type { AgentEvent } from "../agent.ts";
import { present } from "../../base/schema.ts";
import type { Request } from "../../policy/request.ts";
import type { FailureWords } from "../failure.ts";

/** What a transcript comes to, as far as it was read. Times are milliseconds since the epoch. */
export interface ClaudeLogState {
  readonly texts: readonly string[];
  readonly textsOf?: string;
  readonly message?: string;
  readonly ended: boolean;
  /** Why it failed, where that is the last that it says. */
  readonly failure?: FailureWords & { readonly writtenAt: number };
  readonly promptedAt?: number;
  /** The calls of the last turn that have no result yet: they run, or wait for their permission (2.1.328). */
  readonly calls: readonly Request[];
  readonly answers: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The state before the first line. */
export const EMPTY_CLAUDE_LOG: ClaudeLogState = { texts: [], ended: false, calls: [], answers: {} };

export function lastAnswerIn({ texts }: ClaudeLogState): string | undefined {
  return texts.length === 0 ? undefined : texts.join("\n\n").trim();
}

export function foldClaudeLog(state: ClaudeLogState, event: AgentEvent): ClaudeLogState {
  switch (event.type) {
    case "turn_began": {
      const { at } = event;
      const promptedAt = Number.isNaN(at) ? undefined : at;
      return { ...EMPTY_CLAUDE_LOG, answers: state.answers, ...present({ promptedAt }) };
    }
    case "message": {
      const { failure: _failure, ...rest } = state;
      return { ...rest, message: event.id };
    }
    case "said":
    case "trouble": {
      const { message, texts, textsOf } = state;
      return { ...state, texts: [...message === textsOf ? texts : [], event.text], ...present({ textsOf: message }) };
    }
    case "turn_end": {
      const { at: writtenAt = NaN, code, error: text = "", outcome } = event;
      const failure = outcome === "failed" ? { text, writtenAt, ...present({ code }) } : undefined;
      return { ...state, ended: true, calls: [], ...present({ failure }) };
    }
    case "called":
      return event.request === undefined ? state : { ...state, calls: [...state.calls, event.request] };
    case "ended":
      return { ...state, calls: state.calls.filter(({ id }) => id !== event.id) };
    case "replied":
      return { ...state, answers: { ...state.answers, [event.id]: event.answers } };
    default:
      return state;
  }
}
