import { objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import { ANSWER_TIMEOUT_MS, CHANNEL_FILE, MAX_PAYLOAD_BYTES, readText, writeLine } from "./hook_protocol.ts";

interface HookQuestion {
  /** Absolute path of the channel's folder. */
  readonly folder: string;
  readonly role: string;
  readonly payload: string;
  readonly signal?: AbortSignal;
}

/** Asks the run that waits behind a channel, as the hook of an agent's CLI. */
export async function askHookChannel(question: HookQuestion): Promise<string> {
  const { folder, role, payload, signal } = question;
  if (new TextEncoder().encode(payload).length > MAX_PAYLOAD_BYTES) return "";
  const gaveUp = Promise.withResolvers<undefined>();
  const giveUp = () => gaveUp.resolve(undefined);
  const timer = setTimeout(giveUp, ANSWER_TIMEOUT_MS);
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const { socket, secret } = JSON.parse(await Deno.readTextFile(`${folder}/${CHANNEL_FILE}`));
    using connection = await Deno.connect({ transport: "unix", path: socket });
    await writeLine(connection, { secret, role, payload });
    const reply = readText(connection, { maxBytes: MAX_PAYLOAD_BYTES, to: "line_end" });
    const line = await Promise.race([reply, gaveUp.promise]);
    return textOf(objectOf(parseJsonObject(line ?? ""))["output"]) ?? "";
  } catch {
    return "";
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}
