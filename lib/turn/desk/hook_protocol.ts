/** The file in a channel's folder that tells a hook where to ask; only its owner can read it. */
export interface ChannelFile {
  /** Absolute path of the unix socket. */
  readonly socket: string;
  readonly secret: string;
}

interface HookMessage {
  readonly secret: string;
  readonly role: string;
  readonly payload: string;
}

interface HookReply {
  readonly output: string;
}

export const CHANNEL_FILE = "channel.json";

/** No payload may be longer; a hook without an answer leaves the question to the dialog. */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

export const HOOK_TIMEOUT_SECONDS = 30;

/** How long a hook waits for its answer: it gives up before the CLI does. */
export const ANSWER_TIMEOUT_MS = 25_000;

/** Reads a stream up to the end of its first line. */
export async function readLine(source: ByteSource, { maxBytes }: ReadLimit): Promise<string | undefined> {
  return await readUntil(source, { maxBytes, end: (chunk) => chunk.indexOf(0x0a) });
}

/** Reads a stream to its end. */
export async function readAll(source: ByteSource, { maxBytes }: ReadLimit): Promise<string | undefined> {
  return await readUntil(source, { maxBytes });
}

interface ByteSource {
  read(buffer: Uint8Array): Promise<number | null>;
}

interface ReadLimit {
  readonly maxBytes: number;
}

/** @param options.end where in a chunk the text ends, or -1; without it the text ends with the stream */
async function readUntil(
  source: ByteSource,
  { maxBytes, end }: ReadLimit & { readonly end?: (chunk: Uint8Array) => number },
): Promise<string | undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  for (let length = 0; length <= maxBytes;) {
    const count = await source.read(buffer);
    if (count === null) return end === undefined ? text + decoder.decode() : undefined;
    const chunk = buffer.subarray(0, count);
    const at = end?.(chunk) ?? -1;
    text += decoder.decode(at < 0 ? chunk : chunk.subarray(0, at), { stream: at < 0 });
    if (at >= 0) return text;
    length += count;
  }
  return undefined;
}

export async function writeLine(
  target: { write(bytes: Uint8Array): Promise<number> },
  value: HookMessage | HookReply,
): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  for (let written = 0; written < bytes.length;) written += await target.write(bytes.subarray(written));
}
