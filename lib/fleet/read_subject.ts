import { DeliverPolicy, type JsMsg, type MsgRequest } from "@nats-io/jetstream";
import type { Fleet } from "./connect.ts";

export type ReadMessage = Pick<JsMsg, "data" | "seq" | "string" | "subject">;

interface Reading {
  readonly stream: string;
  readonly subject: string;
  /** The sequence after which it begins. */
  readonly after: number;
}

/**
 * The messages of a stream that are there, by their subject, in their order.
 *
 * Each is asked for by itself: a consumer for a look is put on any server of a cluster, also on one that is lost.
 */
export async function* readSubject(
  { manager }: Pick<Fleet, "manager">,
  { stream, subject, after }: Reading,
): AsyncGenerator<ReadMessage> {
  for (let seq = after + 1;;) {
    // The client's types do not know this kind of request; nats-server has it since 2.8.
    const next = { seq, next_by_subj: subject } as MsgRequest;
    const message = await manager.streams.getMessage(stream, next);
    if (message === null) return;
    yield message;
    seq = message.seq + 1;
  }
}

/**
 * A server that was started again has forgotten who reads: that is noticed after two heartbeats, which are to be at most
 * half as long as a pull. Milliseconds.
 */
const PULL = { expires: 6000, idle_heartbeat: 1500 };

/** The messages of a stream as they come, by their subject, until the signal. */
export async function* followSubject(
  { streams }: Pick<Fleet, "streams">,
  { stream, subject, after, signal }: Reading & { readonly signal: AbortSignal },
): AsyncGenerator<ReadMessage> {
  const consumer = await streams.consumers.get(stream, {
    filter_subjects: subject,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: after + 1,
  });
  try {
    const messages = await consumer.consume(PULL);
    const end = () => void messages.close();
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    try {
      yield* messages;
    } finally {
      signal.removeEventListener("abort", end);
      await messages.close();
    }
  } finally {
    // One that is left is gone with the next look of the server at what nobody reads.
    await consumer.delete().catch(() => {});
  }
}
