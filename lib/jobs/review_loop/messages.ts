import type { MessageKind } from "../../base/terms.ts";
import { PanewrightError } from "../../base/errors.ts";
import type { Message } from "../../turn/events.ts";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { errorText } from "../../base/text/error_text.ts";

/** The most that a kept message or response may have: 64 MiB. */
export const MAX_KEPT_BYTES = 64 * 1024 * 1024;

interface KeptMessage {
  /** Its name in the run's folder: `messages/r1-analyst-c1.md`. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

export async function keepMessage(
  folder: RunFolder,
  message: { readonly turnId: string; readonly what: MessageKind; readonly text: string },
): Promise<KeptMessage> {
  const { turnId, what, text } = message;
  const bytes = new TextEncoder().encode(text);
  const base = `${turnId}${what === "prompt" ? "" : `-${what}`}`;
  try {
    await Deno.mkdir(folder.messagesDir, { recursive: true, mode: 0o700 });
    for (let number = 1;; number++) {
      const name = `${base}${number === 1 ? "" : `-${number}`}.md`;
      const file = await createNew(`${folder.messagesDir}/${name}`);
      if (file === undefined) continue;
      using _ = file;
      for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
      await file.syncData();
      return { file: `messages/${name}`, bytes: bytes.length, sha256: await sha256Hex(bytes) };
    }
  } catch (cause) {
    const reason = errorText(cause);
    throw new PanewrightError(`Cannot write a message to ${folder.messagesDir}: ${reason}`, {
      cause,
      hint: "Nothing is sent that cannot be recorded.",
    });
  }
}

export function createKeeper(
  folder: RunFolder,
  { turnId, kept: earlier }: {
    readonly turnId: string;
    readonly kept: Pick<KeptMessage, "file" | "sha256"> | undefined;
  },
): (message: Pick<Message, "what" | "text">) => Promise<KeptMessage> {
  let last: { readonly text: string; readonly kept: KeptMessage } | undefined;
  return async ({ what, text }) => {
    if (last?.text === text) return last.kept;
    const sha256 = await sha256Hex(text);
    const kept = earlier?.sha256 === sha256
      ? { file: earlier.file, bytes: new TextEncoder().encode(text).length, sha256 }
      : await keepMessage(folder, { turnId, what, text });
    last = { text, kept };
    return kept;
  };
}

export async function readMessage(
  folder: RunFolder,
  { file, sha256 }: Pick<KeptMessage, "file" | "sha256">,
): Promise<string> {
  const path = `${folder.path}/${file}`;
  try {
    const bytes = readRegularFile(path, { maxBytes: MAX_KEPT_BYTES });
    if (await sha256Hex(bytes) !== sha256) throw new Error("it was changed after it was written");
    return new TextDecoder().decode(bytes);
  } catch (cause) {
    throw new PanewrightError(`Cannot resume with the message ${path}: ${errorText(cause)}`, {
      cause,
      hint:
        "Without it, panewright cannot tell whether the agent has it: look at the agent's pane, and start a new run.",
    });
  }
}

async function createNew(path: string): Promise<Deno.FsFile | undefined> {
  try {
    return await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return undefined;
    throw error;
  }
}
