import type { Clock } from "../../base/ports/clock.ts";
import type { ServeLimits } from "./deps.ts";

interface Gate {
  readonly connections: number;
  readonly closed: Promise<void>;
}

export interface GateConnection extends Disposable {
  readonly conn: Deno.Conn;
}

interface GateOptions {
  readonly limits: Pick<ServeLimits, "connections" | "readMs" | "requestMs">;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Connects with what answers this client; disposed of when the connection is closed. */
  readonly connect: (client: string) => Promise<GateConnection>;
}

interface Passage {
  readonly client: Deno.Conn;
  readonly openedMs: number;
  hasAsked: boolean;
  wasAnswered: boolean;
  answeredMs: number;
}

const FULL = new TextEncoder().encode(
  "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\nRetry-After: 5\r\n\r\n",
);
const CHUNK_BYTES = 16 * 1024;
const SWEEP_EVERY_MS = 1000;
/** From then on a connection without an answer makes room for another one, where there is none. */
const UNANSWERED_MS = 500;
/** A listener that cannot accept at this moment is tried again. */
const RETRY_MS = 100;

/**
 * Lets so many connections through to a server, and no more. `Deno.serve` (2.9) has no limit of its own, waits for the
 * head of a request for ever, and ends the process when it runs out of file descriptors.
 *
 * A client that would be one too many takes the place of one that has never been answered: who only opens connections, or
 * never ends what they ask, keeps nobody else out. A connection is closed when the client asks nothing after it was opened,
 * and when nothing was answered for longer than an answer may take: it sends its request a byte at a time, or keeps a
 * connection for later that nobody needs.
 */
export function openGate(listener: Deno.Listener, { limits, clock, signal, connect }: GateOptions): Gate {
  const passages = new Set<Passage>();
  const passing = new Set<Promise<void>>();
  const silentMs = limits.requestMs + limits.readMs;

  async function pass(client: Deno.Conn): Promise<void> {
    const nowMs = clock.now();
    const passage: Passage = { client, openedMs: nowMs, hasAsked: false, wasAnswered: false, answeredMs: nowMs };
    passages.add(passage);
    try {
      using server = await connect(nameOf(client));
      try {
        await relay(passage, { server: server.conn, clock });
      } finally {
        close(server.conn);
      }
    } catch {
      // Either side has gone; the other one notices.
    } finally {
      passages.delete(passage);
      close(client);
    }
  }

  async function accept(): Promise<void> {
    while (!signal.aborted) {
      try {
        const client = await listener.accept();
        const goes = passages.size < limits.connections ? undefined : longestUnanswered(passages, clock.now());
        if (goes !== undefined) {
          passages.delete(goes);
          close(goes.client);
        }
        const passed = (passages.size < limits.connections ? pass(client) : refuse(client))
          .finally(() => passing.delete(passed));
        passing.add(passed);
      } catch {
        // A client that broke off, too many open files, a closed listener.
        await clock.sleep(RETRY_MS, signal).catch(() => {});
      }
    }
  }

  async function sweep(): Promise<void> {
    for (;;) {
      await clock.sleep(SWEEP_EVERY_MS, signal);
      const nowMs = clock.now();
      for (const { client, openedMs, hasAsked, answeredMs } of passages) {
        const isIdle = !hasAsked && nowMs - openedMs > limits.readMs;
        if (isIdle || nowMs - answeredMs > silentMs) close(client);
      }
    }
  }

  const end = () => {
    close(listener);
    for (const { client } of passages) close(client);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  sweep().catch(() => {});
  return {
    get connections() {
      return passages.size;
    },
    closed: accept().then(() => Promise.all(passing)).then(() => {}),
  };
}

/** Whoever was let in first and never answered: an answer takes milliseconds. */
function longestUnanswered(passages: ReadonlySet<Passage>, nowMs: number): Passage | undefined {
  const unanswered = [...passages].filter(({ openedMs, wasAnswered }) =>
    !wasAnswered && nowMs - openedMs > UNANSWERED_MS
  );
  return unanswered.find(({ hasAsked }) => !hasAsked) ?? unanswered[0];
}

/** Until nothing more is answered: a client may have sent all that it will, and still wait. */
async function relay(
  passage: Passage,
  { server, clock }: { readonly server: Deno.Conn; readonly clock: Clock },
): Promise<void> {
  const { client } = passage;
  const asking = copy(client, server, () => passage.hasAsked = true).then(() => server.closeWrite());
  const answering = copy(server, client, () => {
    passage.wasAnswered = true;
    passage.answeredMs = clock.now();
  });
  await Promise.all([
    answering.finally(() => close(client)),
    asking.catch((error) => {
      close(server);
      throw error;
    }),
  ]);
}

/** What tells clients apart: those over a unix socket have one name. */
function nameOf({ remoteAddr }: Deno.Conn): string {
  return "hostname" in remoteAddr ? remoteAddr.hostname : "socket";
}

async function refuse(client: Deno.Conn): Promise<void> {
  try {
    // With TLS, a handshake would be due first.
    if (!("handshake" in client)) await client.write(FULL);
  } catch {
    // Gone already.
  } finally {
    close(client);
  }
}

async function copy(from: Deno.Conn, to: Deno.Conn, onChunk: () => void): Promise<void> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  for (;;) {
    const count = await from.read(buffer);
    if (count === null) return;
    onChunk();
    for (let written = 0; written < count;) written += await to.write(buffer.subarray(written, count));
  }
}

function close(resource: { close(): void }): void {
  try {
    resource.close();
  } catch {
    // Closed already.
  }
}
