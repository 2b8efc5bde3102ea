import type { Clock } from "../../base/ports/clock.ts";
import { jsonLine } from "../../base/text/sanitize.ts";
import { abortable } from "../../base/ports/abortable.ts";

/** An event of a stream, as {@linkcode eventFrame} writes it. */
interface StreamEvent {
  /** What `Last-Event-ID` is when the client comes back; missing where it keeps the one before. */
  readonly id?: string | number;
  /** Missing for what clients take for a message. */
  readonly event?: string;
  /** Anything that JSON has. */
  readonly data: unknown;
}

/** A client that follows, by Server-Sent Events. */
export interface EventStream {
  /** Aborted when the client has gone, or was dropped, and when the server ends. */
  readonly signal: AbortSignal;
  /**
   * Resolves when the client has read most of what was sent: what has much to send waits for it.
   *
   * @throws the signal's reason when it is aborted
   */
  drained(): Promise<void>;
  /** Sends events as {@linkcode eventFrame} has made them; the bytes may be shared with other streams. */
  send(frame: Uint8Array<ArrayBuffer>): void;
}

/** An event as bytes. */
export function eventFrame({ id, event, data }: StreamEvent): Uint8Array<ArrayBuffer> {
  const head = `${id === undefined ? "" : `id: ${id}\n`}${event === undefined ? "" : `event: ${event}\n`}`;
  return ENCODER.encode(`${head}data: ${jsonLine(data)}\n`);
}

const ENCODER = new TextEncoder();
/** Clients come back after this time. */
const BEGIN = ENCODER.encode("retry: 1000\n: panewright\n\n");
const HEARTBEAT = ENCODER.encode(":\n\n");

/** What {@linkcode streamEvents} works with. */
interface StreamOptions {
  readonly limits: {
    /** Bytes that wait for a client that reads slowly; one that has more is dropped. */
    readonly queueBytes: number;
    /** How often the stream tells that it is alive. */
    readonly heartbeatMs: number;
  };
  readonly clock: Clock;
  /** Ends the stream. */
  readonly signal: AbortSignal;
  /** Called once it has ended, however that came. */
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

/** Resolves when a signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
