import type { JsonObject } from "./json.ts";
import { isCall, splitIntoReplies, type Step, type Turn } from "./steps.ts";

/** A request of a client for the model's next reply, as far as a script needs to know it. */
export interface ModelRequest {
  /** Number of the request at this server, from 1. */
  readonly n: number;
  /** The scenario that the client's base URL names; `default` without one. Conversations of two are never the same. */
  readonly scenario: string;
  /** The conversation that the request belongs to. */
  readonly thread: string;
  readonly model: string;
  /** What the user typed in this conversation, oldest first. */
  readonly prompts: readonly string[];
  readonly body: JsonObject;
}

/** Decides what the model does about a new prompt. Asked once a prompt, not once a request. */
export type Respond = (request: ModelRequest) => Turn | Promise<Turn>;

/** The reply to one request and whether the turn is over after it. */
export interface Reply {
  readonly steps: Turn;
  readonly endsTurn: boolean;
}

/** Hands out the replies to a server's requests, in the order of each conversation. */
export interface Script {
  next(request: ModelRequest): Promise<Reply>;
}

/**
 * Plays turns over several requests. A request that shows the same prompts as the one before it is a retry or reports
 * tool results: the turn goes on. Any other opens a new turn.
 */
export function createScript(respond: Respond): Script {
  const threads = new Map<string, { readonly prompts: string; replies: readonly Turn[]; readonly refusal?: Step }>();
  return {
    async next(request) {
      const prompts = JSON.stringify(request.prompts);
      const thread = `${request.scenario} ${request.thread}`;
      let state = threads.get(thread);
      if (state?.prompts !== prompts) {
        const turn = await respond(request);
        const last = turn.at(-1);
        state = { prompts, replies: splitIntoReplies(turn), ...(last?.do === "refuse" ? { refusal: last } : {}) };
        threads.set(thread, state);
      }
      const [steps, ...rest] = state.replies;
      state.replies = rest;
      if (steps !== undefined) return { steps, endsTurn: rest.length === 0 && !steps.some(isUnfinished) };
      if (state.refusal !== undefined) return { steps: [state.refusal], endsTurn: true };
      return { steps: [{ do: "say", text: "Done." }], endsTurn: true };
    },
  };
}

/** Whether the client has to come back: with a tool's result, or because its stream broke. */
function isUnfinished(step: Step): boolean {
  return isCall(step) || step.do === "break";
}

/** Answers the prompts of each conversation with the turns of its scenario, one after the other. */
export function followScenarios(scenarios: Readonly<Record<string, readonly Turn[]>>): Respond {
  const played = new Map<string, number>();
  return ({ scenario, thread }) => {
    const key = `${scenario} ${thread}`;
    const index = played.get(key) ?? 0;
    played.set(key, index + 1);
    return scenarios[scenario]?.[index] ?? [{ do: "say", text: `(no turn ${index + 1} in scenario ${scenario})` }];
  };
}
