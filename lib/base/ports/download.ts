import { PanewrightError, UsageError } from "../errors.ts";
import { joinBytes } from "./bytes.ts";

/** How {@linkcode download} works. */
interface DownloadOptions {
  readonly maxBytes: number;
  /** How long all of it may take. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** More redirects than this are a circle. */
const MAX_REDIRECTS = 5;

const REDIRECTS = [301, 302, 303, 307, 308];

const LOOPBACK = ["127.0.0.1", "[::1]", "localhost"];

/**
 * The bytes behind an address, which is `https:`, or `http:` on this machine. A redirect leads to `https:` only, or
 * from this machine to this machine.
 *
 * @throws {UsageError} for another address, or one that holds a user or a password
 * @throws {PanewrightError} when the file cannot be had, is too large, or a redirect leads elsewhere
 * @throws the signal's reason when it is aborted
 */
export async function download(
  address: string,
  { maxBytes, timeoutMs, signal }: DownloadOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  let url = URL.parse(address);
  if (url === null) throw new UsageError(`Cannot download ${address}: it is not an address`);
  const problem = problemOf(url);
  if (problem !== undefined) throw new UsageError(`Cannot download ${shownAddress(address)}: ${problem}`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response: Response = await fetch(url, { redirect: "manual", signal: limit });
      if (!REDIRECTS.includes(response.status)) return await bytesOf(response, maxBytes);
      await response.body?.cancel();
      const location = response.headers.get("location");
      const next: URL | null = location === null ? null : URL.parse(location, url);
      const wrong = next === null ? "it names no address" : problemOf(next, url);
      if (next === null || wrong !== undefined) throw new Error(`a redirect is refused: ${wrong}`);
      url = next;
    }
    throw new Error(`more than ${MAX_REDIRECTS} redirects`);
  } catch (error) {
    signal.throwIfAborted();
    const said = error instanceof Error ? error.message.replaceAll(url.href, shownAddress(url.href)) : String(error);
    const reason = limit.aborted ? `it took longer than ${timeoutMs / 1000} s` : said;
    throw new PanewrightError(`Cannot download ${shownAddress(address)}: ${reason}`, { cause: error });
  }
}

/** An address without what may be secret in it: user, password, query. */
export function shownAddress(address: string): string {
  const url = URL.parse(address);
  return url === null ? address : `${url.protocol}//${url.host}${url.pathname}`;
}

/** What is wrong with an address; `from` is the one that leads to it. */
function problemOf({ protocol, hostname, username, password }: URL, from?: URL): string | undefined {
  if (username !== "" || password !== "") return "an address must hold no user and no password";
  if (protocol === "https:") return undefined;
  if (protocol !== "http:") return `${protocol} is not https:`;
  if (!LOOPBACK.includes(hostname)) return "http: is for this machine only; use https:";
  return from === undefined || from.protocol === "http:" ? undefined : "it leads from https: to http:";
}

async function bytesOf(response: Response, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`the server answered ${response.status} ${response.statusText}`.trimEnd());
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    // Leaving the loop ends the transfer.
    if (length > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}
