import { startLoopbackServer } from "./loopback.ts";

/** A message that the server has taken, as ntfy keeps it. */
export interface NtfyMessage {
  readonly id: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly topic: string;
  readonly title: string | undefined;
  readonly priority: string | undefined;
  readonly click: string | undefined;
  readonly message: string;
  readonly actions: readonly NtfyAction[];
  readonly authorization: string | undefined;
}

/** A button of a message. */
export interface NtfyAction {
  readonly action: string;
  readonly label: string;
  readonly url: string;
  readonly method: string;
  readonly body: string;
}

/** What goes wrong with the next requests of one kind. */
export type NtfyFault =
  /** It is answered with this status, and with these headers. */
  | { readonly status: number; readonly headers?: Record<string, string> }
  /** Nothing is answered until the server ends. */
  | "silent"
  /** What is streamed breaks off after so many messages. */
  | { readonly cutAfter: number };

/** An ntfy server on loopback, as far as panewright uses one: publish, and subscribe to a stream of JSON. */
export interface NtfyServer extends AsyncDisposable {
  readonly url: string;
  /** What was published, oldest first. */
  readonly messages: readonly NtfyMessage[];
  /** How many requests to publish came in, those that failed among them. */
  readonly requests: () => number;
  /** How many streams are open. */
  readonly listeners: () => number;
  /** Lets the next requests of a kind fail, one after the other. */
  fail(kind: "publish" | "subscribe", ...faults: readonly NtfyFault[]): void;
  /** Publishes as anybody can. */
  publish(topic: string, body: string): Promise<void>;
  /**
   * Presses a button, as the phone does: it sends the request that the message holds.
   *
   * @returns the status and the text of the answer
   */
  press(message: NtfyMessage, label: string): Promise<{ readonly status: number; readonly text: string }>;
  /** Waits for the next message that fits, or takes one that is there. */
  waitFor(fits: (message: NtfyMessage) => boolean): Promise<NtfyMessage>;
}

const TOPIC = /^\/([-_A-Za-z0-9]{1,64})$/;
const STREAM = /^\/([-_A-Za-z0-9]{1,64})\/json$/;

/** A longer one becomes an attachment. */
const MAX_MESSAGE_BYTES = 4096;

/** Starts a server. */
export function startNtfyServer(): NtfyServer {
  const messages: NtfyMessage[] = [];
  const faults = { publish: [] as NtfyFault[], subscribe: [] as NtfyFault[] };
  const listeners = new Set<(message: NtfyMessage) => void>();
  const waiting = new Set<() => void>();
  let requests = 0;

  const server = startLoopbackServer(0, async (request, signal) => {
    const url = new URL(request.url);
    const [, topic] = (request.method === "POST" ? TOPIC : STREAM).exec(decodeURIComponent(url.pathname)) ?? [];
    if (topic === undefined) return new Response('{"code":40401,"error":"page not found"}', { status: 404 });
    const kind = request.method === "POST" ? "publish" as const : "subscribe" as const;
    if (kind === "publish") requests++;
    const fault = faults[kind].shift();
    if (fault === "silent") {
      await new Promise<void>((resolve) => {
        for (const ended of [signal, request.signal]) ended.addEventListener("abort", () => resolve());
      });
      return new Response(null, { status: 500 });
    }
    if (fault !== undefined && "status" in fault) {
      return new Response("no", { status: fault.status, headers: fault.headers ?? {} });
    }
    if (kind === "subscribe") return subscribe(topic, url.searchParams, { signal, cutAfter: fault?.cutAfter });
    const body = await request.text();
    if (new TextEncoder().encode(body).length > MAX_MESSAGE_BYTES) {
      return new Response('{"code":40014,"error":"attachments not allowed"}', { status: 400 });
    }
    const problem = take(topic, body, request.headers);
    if (problem !== undefined) return new Response(problem, { status: 400 });
    return Response.json({ event: "message" });
  });

  function take(topic: string, message: string, headers: Headers): string | undefined {
    const actions: NtfyAction[] = JSON.parse(headers.get("actions") ?? "[]");
    if (actions.length > 3) return "only 3 actions allowed";
    for (const { action, label, url } of actions) {
      if (!["http", "view", "broadcast"].includes(action) || label === "" || url === "") return "invalid action";
    }
    const text = (name: string) => decodeWord(headers.get(name) ?? undefined);
    const taken: NtfyMessage = {
      id: Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) => byte.toString(16).padStart(2, "0")).join(""),
      time: Math.floor(Date.now() / 1000),
      ...{ topic, message, actions, title: text("title"), priority: text("priority"), click: text("click") },
      authorization: text("authorization"),
    };
    messages.push(taken);
    for (const tell of [...listeners]) tell(taken);
    for (const wake of waiting) wake();
    return undefined;
  }

  function subscribe(
    topic: string,
    query: URLSearchParams,
    { signal, cutAfter = Infinity }: { readonly signal: AbortSignal; readonly cutAfter?: number | undefined },
  ): Response {
    const encoder = new TextEncoder();
    const line = (value: unknown) => encoder.encode(`${JSON.stringify(value)}\n`);
    const of = messages.filter((message) => message.topic === topic);
    const since = query.get("since") ?? "none";
    const from = of.findIndex(({ id }) => id === since) + 1;
    const cached = since === "none"
      ? []
      : from > 0 || !/^\d+$/.test(since)
      ? of.slice(from)
      : of.filter(({ time }) => time >= Number(since));
    let tell: ((message: NtfyMessage) => void) | undefined;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        let sent = 0;
        const end = () => {
          if (tell !== undefined) listeners.delete(tell);
          tell = undefined;
          try {
            controller.close();
          } catch { /* the client has gone */ }
        };
        const send = (message: NtfyMessage) => {
          if (message.topic !== topic) return;
          const { id, time } = message;
          controller.enqueue(line({ id, time, event: "message", topic, message: message.message }));
          if (++sent >= cutAfter) end();
        };
        tell = send;
        controller.enqueue(line({ id: "open", time: 0, event: "open", topic }));
        for (const message of cached) if (tell !== undefined) send(message);
        if (query.get("poll") === "1") return end();
        if (tell === undefined) return;
        listeners.add(tell);
        signal.addEventListener("abort", end);
        for (const wake of waiting) wake();
      },
      cancel() {
        if (tell !== undefined) listeners.delete(tell);
      },
    });
    return new Response(body, { headers: { "content-type": "application/x-ndjson; charset=utf-8" } });
  }

  const url = `http://127.0.0.1:${server.port}`;
  return {
    url,
    messages,
    requests: () => requests,
    listeners: () => listeners.size,
    fail: (kind, ...next) => void faults[kind].push(...next),
    async publish(topic, body) {
      const response = await fetch(`${url}/${topic}`, { method: "POST", body });
      await response.body?.cancel();
    },
    async press({ actions }, label) {
      const found = actions.find((action) => action.label === label);
      if (found === undefined) throw new Error(`no button "${label}" in ${JSON.stringify(actions)}`);
      const response = await fetch(found.url, { method: found.method, body: found.body });
      return { status: response.status, text: await response.text() };
    },
    async waitFor(fits) {
      for (;;) {
        const found = messages.find(fits);
        if (found !== undefined) return found;
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** RFC 2047, as ntfy reads it. */
function decodeWord(value: string | undefined): string | undefined {
  const [, base64] = /^=\?UTF-8\?B\?(.*)\?=$/.exec(value ?? "") ?? [];
  if (base64 === undefined) return value;
  return new TextDecoder().decode(Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)));
}
