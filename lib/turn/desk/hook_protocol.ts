/** The file in a channel's folder that tells a hook where to ask, and its secret; only its owner can read it. */
export const CHANNEL_FILE = "channel.json";

/** No payload may be longer; a hook without an answer leaves the question to the dialog. */
export const MAX_PAYLOAD_BYTES = 8 * 1024 * 1024;

export const HOOK_TIMEOUT_SECONDS = 30;

/** How long a hook waits for its answer: it gives up before the CLI does. */
export const ANSWER_TIMEOUT_MS = 25_000;

interface ReadOptions {
  readonly maxBytes: number;
  /** Whether the text ends with its first line end, or with the stream. */
  readonly to: "line_end" | "end";
}

/** Reads a stream; `undefined` where it is too long, or ends in its first line. */
export async function readText(
  source: { read(buffer: Uint8Array): Promise<number | null> },
  { maxBytes, to }: ReadOptions,
): Promise<string | undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const buffer = new Uint8Array(64 * 1024);
  let text = "";
  for (let length = 0; length <= maxBytes;) {
    const count = await source.read(buffer);
    if (count === null) return to === "end" ? text + decoder.decode() : undefined;
    const chunk = buffer.subarray(0, count);
    const at = to === "line_end" ? chunk.indexOf(0x0a) : -1;
    text += decoder.decode(at < 0 ? chunk : chunk.subarray(0, at), { stream: at < 0 });
    if (at >= 0) return text;
    length += count;
  }
  return undefined;
}

export async function writeLine(
  target: { write(bytes: Uint8Array): Promise<number> },
  value: Readonly<Record<string, string>>,
): Promise<void> {
  const bytes = new TextEncoder().encode(`${JSON.stringify(value)}\n`);
  for (let written = 0; written < bytes.length;) written += await target.write(bytes.subarray(written));
}
