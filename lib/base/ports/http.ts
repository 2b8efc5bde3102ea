/** Sends a message to a web address; only success matters, not the response. */
export interface HttpPoster {
  /**
   * @throws {HttpStatusError} when the server does not answer with success; a redirect is not followed
   * @throws when the address cannot be reached in time, without a word of the address but its origin
   */
  post(url: string, message: HttpMessage): Promise<void>;
}

export interface HttpMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly timeoutMs: number;
}

/** A server's answer that is not a success. */
export class HttpStatusError extends Error {
  override name = "HttpStatusError";
  readonly status: number;
  /** For how many seconds the server wants no further request. */
  readonly retryAfterSeconds: number | undefined;

  constructor(response: Pick<Response, "status" | "statusText" | "headers">) {
    super(`the server answered ${response.status} ${response.statusText}`.trimEnd());
    this.status = response.status;
    const seconds = response.headers.get("retry-after");
    this.retryAfterSeconds = seconds !== null && /^\d{1,6}$/.test(seconds) ? Number(seconds) : undefined;
  }
}

/** Sends messages with `fetch`. */
export const systemHttpPoster: HttpPoster = {
  async post(url, { headers, body, timeoutMs }) {
    const signal = AbortSignal.timeout(timeoutMs);
    // Who was agreed to is this server, not the one to which it sends us on.
    const response = await fetch(url, { method: "POST", headers: { ...headers }, body, redirect: "manual", signal })
      .catch((error) => {
        throw signal.aborted ? new Error(`it took longer than ${timeoutMs / 1000} s`) : withoutAddress(error, url);
      });
    await response.body?.cancel();
    if (!response.ok) throw new HttpStatusError(response);
  },
};

export interface HttpLines {
  /**
   * @returns the lines without their ends; a line that is longer than `maxLineChars` is left out
   * @throws {HttpStatusError} when the server does not answer with success; a redirect is not followed
   * @throws when the connection breaks, and the signal's reason when it is aborted
   */
  read(url: string, request: HttpLinesRequest): AsyncIterable<string>;
}

interface HttpLinesRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly maxLineChars: number;
  readonly signal: AbortSignal;
}

/** Reads lines with `fetch`. */
export const systemHttpLines: HttpLines = { read: readLines };

async function* readLines(url: string, { headers, maxLineChars, signal }: HttpLinesRequest): AsyncGenerator<string> {
  const hide = (error: unknown): never => {
    throw signal.aborted ? signal.reason : withoutAddress(error, url);
  };
  const response = await fetch(url, { headers: { ...headers }, redirect: "manual", signal }).catch(hide);
  if (!response.ok) {
    await response.body?.cancel();
    throw new HttpStatusError(response);
  }
  let line = "";
  let isTooLong = false;
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(hide);
      if (done) return;
      const [first = "", ...others] = value.split("\n");
      const ended: string[] = [];
      line += isTooLong ? "" : first;
      for (const next of others) {
        if (!isTooLong && line.length <= maxLineChars) ended.push(line);
        [line, isTooLong] = [next, false];
      }
      if (line.length > maxLineChars) [line, isTooLong] = ["", true];
      yield* ended;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Where an address leads, without what may be secret in it: user, password, path and query. */
export function originOf(address: string): string {
  return URL.parse(address)?.origin ?? "an address that cannot be read";
}

function withoutAddress(error: unknown, url: string): Error {
  const href = URL.parse(url)?.href ?? url;
  const said = error instanceof Error ? error.message : String(error);
  return new Error(said.replaceAll(href, originOf(url)).replaceAll(url, originOf(url)), { cause: error });
}
