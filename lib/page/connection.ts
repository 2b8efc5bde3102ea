import type { ReportIncrement } from "../api/report/model.ts";
import { listen } from "./listen.ts";
import { errorText } from "./show.ts";
import { type Client, RefusedError, type ServerEvent } from "./client.ts";

export type Connection =
  | { readonly state: "connecting" | "open" }
  | { readonly state: "lost" | "signed_out" | "gone"; readonly problem: string };

interface KeepOptions {
  readonly path: (lastEventId: string | undefined) => string;
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly begin?: () => Promise<string | undefined>;
  readonly onEvent: (event: ServerEvent) => void;
  readonly onConnection: (connection: Connection) => void;
}

export interface KeptStream {
  readonly tryNow: () => void;
  readonly restart: () => void;
}

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 8000;
/** A page that nobody sees looks for news so often, and is connected for so long then. */
const UNSEEN_PAUSE_MS = 15_000;
const UNSEEN_LOOK_MS = 1500;
/** Without a token, and for what is not there: somebody has to do something first. */
const HOPELESS_PAUSE_MS = 60_000;

/**
 * Follows a stream over all breaks: the server may end and start again. Each time it says what it has seen last, so
 * that nothing is missed or comes twice. A page that nobody sees only looks now and then: a browser has six connections
 * to a server, for all its pages, and one that is held keeps answers from being sent.
 */
export function keepStream({ path, client, signal, begin, onEvent, onConnection }: KeepOptions): KeptStream {
  let lastEventId: string | undefined;
  let hasBegun = begin === undefined;
  let pause = FIRST_PAUSE_MS;
  let isFirstRestart = true;
  const { rest, wake } = createRest();
  let again = new AbortController();
  let unseen = new AbortController();
  const once = async () => {
    again = new AbortController();
    unseen = new AbortController();
    letGoUnseen();
    if (!hasBegun) {
      lastEventId = await begin!();
      hasBegun = true;
    }
    await client.follow(path(lastEventId), {
      lastEventId,
      signal: AbortSignal.any([signal, again.signal, unseen.signal]),
      onOpen: () => onConnection({ state: "open" }),
      onEvent: (event) => {
        if (event.id !== undefined) lastEventId = event.id;
        onEvent(event);
        if (again.signal.aborted) return;
        pause = FIRST_PAUSE_MS;
        isFirstRestart = true;
      },
    });
  };
  const run = async () => {
    onConnection({ state: "connecting" });
    while (!signal.aborted) {
      let failure: unknown = new Error("the server has ended the stream");
      try {
        await once();
      } catch (error) {
        failure = error;
      }
      if (signal.aborted) return;
      if (unseen.signal.aborted && !again.signal.aborted) {
        await rest(isSeen() ? 0 : UNSEEN_PAUSE_MS);
        continue;
      }
      if (again.signal.aborted) {
        // A journal that is always to be read anew must not keep the server busy.
        if (!isFirstRestart) await rest(pause);
        isFirstRestart = false;
      } else {
        const connection = connectionAfter(failure);
        onConnection(connection);
        const retryAfterMs = failure instanceof RefusedError ? failure.retryAfterMs ?? 0 : 0;
        const isLost = connection.state === "lost";
        await rest(isLost ? Math.max(retryAfterMs, pause * (0.7 + Math.random() * 0.6)) : HOPELESS_PAUSE_MS);
      }
      pause = Math.min(LONGEST_PAUSE_MS, pause * 2);
    }
  };
  let look: ReturnType<typeof setTimeout> | undefined;
  const letGoUnseen = () => {
    clearTimeout(look);
    const own = unseen;
    if (!isSeen()) look = setTimeout(() => own.abort(), UNSEEN_LOOK_MS);
  };
  const stop = listen(["visibilitychange"], () => isSeen() && unseen.signal.aborted ? wake() : letGoUnseen());
  signal.addEventListener("abort", stop);
  run();
  return {
    tryNow: wake,
    restart() {
      hasBegun = begin === undefined;
      lastEventId = undefined;
      again.abort();
    },
  };
}

/** A pause that ends before its time once it is woken. */
function createRest() {
  let wake = () => {};
  return {
    wake: () => wake(),
    rest: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}

function isSeen(): boolean {
  return document.visibilityState !== "hidden";
}

function connectionAfter(failure: unknown): Connection {
  const problem = errorText(failure);
  if (!(failure instanceof RefusedError)) return { state: "lost", problem };
  return { state: failure.status === 401 ? "signed_out" : failure.status === 404 ? "gone" : "lost", problem };
}

/** Whether an event of a report's stream has what has changed; anything else says that the report is to be read anew. */
export function isIncrement(event: ServerEvent): event is ServerEvent & { readonly data: ReportIncrement } {
  return event.event === "message";
}
