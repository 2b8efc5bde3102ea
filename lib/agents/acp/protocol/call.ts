import { type ClientContext, RequestError } from "@agentclientprotocol/sdk";
import { abortable } from "../../../base/ports/abortable.ts";
import { describeError, wordsOf } from "./agent_words.ts";
import { type AcpEndedError, AcpReplyError } from "./errors.ts";
import type { Wire } from "./wire.ts";

/** A request to an agent. */
export interface Call<Result> {
  /** What is done with which agent, in words that can follow "Cannot". */
  readonly what: string;
  readonly method: string;
  readonly params: object;
  /** Reads the reply; undefined for what is not one. */
  readonly read: (reply: unknown) => Result | undefined;
  /** Called once: when the agent has answered, or cannot any more. */
  readonly onReply?: () => void;
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined;
  /** Set where the connection has ended already. */
  readonly ended: AcpEndedError | undefined;
}

const INTERNAL_ERROR = -32603;

/** Makes a request. Nobody needs to handle a rejection of `written`. */
export function callAgent<Result>(
  call: Call<Result>,
  { agent, wire }: { readonly agent: ClientContext; readonly wire: Wire },
): { readonly written: Promise<void>; readonly result: Promise<Result> } {
  const { what, method, params, read, onReply, signal, ended } = call;
  const fail = (
    reason: string,
    more: { readonly rpcCode: number; readonly words?: string; readonly data?: unknown; readonly cause?: unknown },
  ) => new AcpReplyError(`Cannot ${what}: ${reason}`, { method, reason, data: undefined, ...more });
  const ask = async () => {
    let reply: unknown;
    try {
      reply = await agent.request(method, params);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const { code, data } = error;
      throw fail(describeError(error), { rpcCode: code, words: wordsOf(error), data, cause: error });
    } finally {
      onReply?.();
    }
    const result = read(reply);
    if (result === undefined) throw fail("its answer is not as the protocol has it", { rpcCode: INTERNAL_ERROR });
    return result;
  };
  if (ended === undefined && signal?.aborted !== true) return wire.call(params, () => abortable(ask, signal));
  onReply?.();
  const result = Promise.reject<Result>(ended ?? signal?.reason);
  const written = Promise.reject<void>(ended ?? signal?.reason);
  written.catch(() => {});
  return { written, result };
}
