import { DeliverPolicy, type JsMsg } from "@nats-io/jetstream";
import type { Fleet } from "./connect.ts";

/** The messages of a stream, by their subject, in their order. */
export async function* readSubject(
  { streams }: Pick<Fleet, "streams">,
  { stream, subject, after, follow }: {
    readonly stream: string;
    readonly subject: string;
    /** The sequence after which it begins; `undefined`: with what comes from now on. */
    readonly after: number | undefined;
    /** Waits for what comes, until it is aborted. @default it ends with what is there */
    readonly follow?: AbortSignal | undefined;
  },
): AsyncGenerator<JsMsg> {
  const consumer = await streams.consumers.get(stream, {
    filter_subjects: subject,
    ...(after === undefined
      ? { deliver_policy: DeliverPolicy.New }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: after + 1 }),
  });
  try {
    if (follow === undefined && (await consumer.info()).num_pending === 0) return;
    const messages = await consumer.consume();
    const end = () => void messages.close();
    follow?.addEventListener("abort", end, { once: true });
    if (follow?.aborted) end();
    try {
      for await (const message of messages) {
        yield message;
        if (follow === undefined && message.info.pending === 0) return;
      }
    } finally {
      follow?.removeEventListener("abort", end);
      await messages.close();
    }
  } finally {
    await consumer.delete();
  }
}
