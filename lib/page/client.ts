import type { TokenKeeper } from "./token.ts";

export class RefusedError extends Error {
  override name = "RefusedError";
  readonly status: number;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { status, retryAfterMs }: Pick<RefusedError, "status" | "retryAfterMs">) {
    super(message);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface Client {
  get<T>(path: string): Promise<T>;
  /** @param options `key`: the same key is the same request */
  post(path: string, body: object, options?: { readonly key?: string }): Promise<unknown>;
  follow(path: string, options: FollowOptions): Promise<void>;
}

interface FollowOptions {
  readonly lastEventId?: string | undefined;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  readonly onEvent: (event: ServerEvent) => void;
}

export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

/** A stream that is silent for so long is taken for lost: the server sends a sign of life every 15 s. */
const SILENCE_MS = 40_000;

/** Speaks to the server, with the token in a header: a cookie would come from other sites, too. */
export function createClient(token: TokenKeeper): Client {
  const request = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    const current = token.current();
    if (current !== undefined) headers.set("Authorization", `Bearer ${current}`);
    const response = await fetch(path, {
      ...init,
      headers,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  };
  return {
    get: async (path) => await (await request(path, {})).json(),
    post: async (path, body, { key } = {}) => {
      const headers = { "Content-Type": "application/json", ...key === undefined ? {} : { "Idempotency-Key": key } };
      return await (await request(path, { method: "POST", headers, body: JSON.stringify(body) })).json();
    },
    async follow(path, { lastEventId, signal, onOpen, onEvent }) {
      const silence = new AbortController();
      let timer: ReturnType<typeof setTimeout> | undefined;
      const heard = () => {
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(new Error("the server is silent")), SILENCE_MS);
      };
      heard();
      try {
        const both = AbortSignal.any([signal, silence.signal]);
        const headers = {
          Accept: "text/event-stream",
          ...lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId },
        };
        const response = await request(path, { headers, signal: both });
        onOpen();
        const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
        const parse = createEventParser(onEvent);
        for (let read = await reader.read(); !read.done; read = await reader.read()) {
          heard();
          parse(read.value);
        }
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function refusalOf(response: Response): Promise<RefusedError> {
  const seconds = Number(response.headers.get("Retry-After") ?? NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  const problem = await response.json().catch(() => ({}));
  const { detail = `The server answers ${response.status}` } = problem;
  return new RefusedError(detail, { status: response.status, retryAfterMs });
}

export function createEventParser(onEvent: (event: ServerEvent) => void): (piece: string) => void {
  let rest = "";
  let id: string | undefined;
  let event = "";
  let data: string[] = [];
  const readLine = (line: string) => {
    if (line === "") {
      if (data.length > 0) onEvent({ id, event: event === "" ? "message" : event, data: JSON.parse(data.join("\n")) });
      event = "";
      data = [];
      return;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === "id") id = value;
    else if (field === "event") event = value;
    else if (field === "data") data.push(value);
  };
  return (piece) => {
    const lines = (rest + piece).split("\n");
    rest = lines.pop()!;
    for (const line of lines) readLine(line.replace(/\r$/, ""));
  };
}
