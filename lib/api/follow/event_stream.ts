import type { Clock } from "../../base/ports/clock.ts";
import { jsonLine } from "../../base/text/sanitize.ts";
import { abortable } from "../../base/ports/abortable.ts";

interface StreamEvent {
  /** What `Last-Event-ID` is when the client comes back; missing where it keeps the one before. */
  readonly id?: string | number;
  readonly event?: string;
  readonly data: unknown;
}

export interface EventStream {
  readonly signal: AbortSignal;
  drained(): Promise<void>;
  /** Sends events as {@linkcode eventFrame} has made them; the bytes may be shared with other streams. */
  send(frame: Uint8Array<ArrayBuffer>): void;
}

export function eventFrame({ id, event, data }: StreamEvent): Uint8Array<ArrayBuffer> {
  const head = `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}`;
  return ENCODER.encode(`${head}data: ${jsonLine(data)}\n`);
}

const ENCODER = new TextEncoder();
const BEGIN = ENCODER.encode("retry: 1000\n: panewright\n\n");
const HEARTBEAT = ENCODER.encode(":\n\n");

interface StreamOptions {
  readonly limits: {
    /** Bytes that wait for a client that reads slowly; one that has more is dropped. */
    readonly queueBytes: number;
    readonly heartbeatMs: number;
  };
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onEnd?: () => void;
}

/**
 * Answers with a stream of events, and with a comment from time to time, so that both sides notice when the other one
 * has gone. A client that does not read is dropped once too much waits for it: it comes back with the last id that it
 * has, and nobody else is held up.
 *
 * @param produce sends until it returns, which ends the stream; errors end it, too
 */
export function streamEvents(produce: (stream: EventStream) => Promise<void>, options: StreamOptions): Response {
  const { limits: { queueBytes, heartbeatMs }, clock, onEnd = () => {} } = options;
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, options.signal]);
  over.signal.addEventListener("abort", onEnd, { once: true });
  let hasRead = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      const waiting = () => queueBytes - (controller.desiredSize ?? 0);
      const stream: EventStream = {
        signal,
        async drained() {
          while (waiting() > queueBytes / 2) {
            hasRead = Promise.withResolvers();
            await abortable(() => hasRead.promise, signal);
          }
          signal.throwIfAborted();
        },
        send(frame) {
          if (signal.aborted) return;
          // An event may be larger than the queue: who has read what was there gets it, and need not come back for it.
          const hasReadMost = waiting() <= queueBytes / 2;
          controller.enqueue(frame);
          if (hasReadMost || waiting() <= queueBytes) return;
          const reason = new Error(`the client does not read: ${waiting()} bytes wait for it`);
          over.abort(reason);
          controller.error(reason);
        },
      };
      stream.send(BEGIN);
      const beat = async () => {
        for (;;) {
          await clock.sleep(heartbeatMs, signal);
          stream.send(HEARTBEAT);
        }
      };
      const end = () => {
        if (over.signal.aborted) return;
        over.abort(new Error("the stream has ended"));
        controller.close();
      };
      beat().catch(() => {});
      produce(stream).catch(() => {}).finally(end);
    },
    pull: () => hasRead.resolve(),
    cancel() {
      over.abort(new Error("the client has gone"));
    },
  }, { highWaterMark: queueBytes, size: (frame) => frame.length });
  return new Response(body, { headers: { "Content-Type": "text/event-stream" } });
}

export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
