import { sleepWithTimer } from "../../lib/base/ports/clock.ts";
import type { ReplyEnd } from "./model_log.ts";

/** An HTTP server on 127.0.0.1 that lives as long as the test which started it. */
export interface LoopbackServer extends AsyncDisposable {
  readonly port: number;
  /** Aborted when the server is disposed of. */
  readonly signal: AbortSignal;
}

/** Starts a server; port 0 lets the system choose. */
export function startLoopbackServer(
  port: number,
  handle: (request: Request, signal: AbortSignal) => Promise<Response>,
): LoopbackServer {
  const stop = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port,
    signal: stop.signal,
    onListen: () => {},
    // A cut connection is part of many scripts and no fault of the server.
    onError: () => new Response(null, { status: 500 }),
  }, (request) => handle(request, stop.signal));
  return {
    port: server.addr.port,
    signal: stop.signal,
    async [Symbol.asyncDispose]() {
      stop.abort(new Error("The model server was stopped"));
      await server.finished;
    },
  };
}

/** A connection that the client has closed may show only when something is written to it. */
const KEEP_ALIVE_MS = 300;

/** What a reply can do while its stream is open. */
export interface EventStream {
  /** Sends one server-sent event, with its name where it has one; a text as it is, anything else as JSON. */
  send(event: string | undefined, data: Readonly<Record<string, unknown>> | string): void;
  /** @throws when the client goes away or the server is stopped before the time has passed */
  wait(ms: number): Promise<void>;
  /**
   * Waits until the promise resolves, and keeps the connection busy meanwhile.
   *
   * @throws when the client goes away or the server is stopped
   */
  hold(released: Promise<void>): Promise<void>;
}

/**
 * Answers with server-sent events that `play` writes; it returns whether the reply was sent or shall break off.
 * `onEnd` is called exactly once.
 */
export function streamEvents(
  play: (stream: EventStream) => Promise<"sent" | "closed" | "cut">,
  options: {
    readonly signal: AbortSignal;
    readonly onEnd: (how: ReplyEnd) => void;
    readonly onError: (error: unknown) => void;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Response {
  const gone = new AbortController();
  const signal = AbortSignal.any([options.signal, gone.signal]);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        const how = await play({
          send(event, data) {
            signal.throwIfAborted();
            const name = event === undefined ? "" : `event: ${event}\n`;
            const text = typeof data === "string" ? data : JSON.stringify(data);
            controller.enqueue(encoder.encode(`${name}data: ${text}\n\n`));
          },
          wait: (ms) => sleepWithTimer(ms, signal),
          async hold(released) {
            const end = new AbortController();
            released.then(() => end.abort());
            while (!end.signal.aborted) {
              const pause = sleepWithTimer(KEEP_ALIVE_MS, AbortSignal.any([signal, end.signal]));
              await pause.catch(() => signal.throwIfAborted());
              controller.enqueue(encoder.encode(": keep alive\n\n"));
            }
          },
        });
        options.onEnd(how === "sent" ? "sent" : "broken");
        if (how === "cut") controller.error(new Error("The script cut the connection"));
        else controller.close();
      } catch (error) {
        if (!signal.aborted) options.onError(error);
        options.onEnd(signal.aborted ? "client_gone" : "broken");
        if (!gone.signal.aborted) controller.error(error);
      }
    },
    cancel: () => gone.abort(new Error("The client went away")),
  });
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-cache", ...options.headers },
  });
}
