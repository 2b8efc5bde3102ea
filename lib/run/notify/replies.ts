import type { Clock } from "../../base/ports/clock.ts";
import { type HttpLines, HttpStatusError } from "../../base/ports/http.ts";
import { isObject } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { ntfyAuthorization, topicUrl } from "./ntfy.ts";
import { pauseMs } from "./outbox.ts";
import type { NtfyPlan } from "./plan.ts";

export interface Reply {
  readonly text: string;
  /** When the server got it, in seconds since 1970. */
  readonly seconds: number;
}

interface ReadRepliesOptions {
  readonly plan: NtfyPlan;
  readonly topic: string;
  readonly since: Date;
  readonly lines: HttpLines;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told when it cannot be listened, once until it can be again. */
  readonly onProblem: (message: string) => void;
  /** Whether only what is there now is read, in one try. @default {false} */
  readonly isPoll?: boolean;
  readonly random?: () => number;
}

const SILENCE_MS = 100_000;

const MAX_LINE_CHARS = 4096;

const REMEMBERED = 200;

/**
 * Listens to the topic that buttons publish to, until the signal is aborted: a connection that breaks is made again,
 * and what came meanwhile is read then.
 *
 * @throws the signal's reason
 */
export async function* readReplies(options: ReadRepliesOptions): AsyncGenerator<Reply> {
  const { plan, topic, since, lines, clock, signal, onProblem, isPoll = false, random = Math.random } = options;
  const seen = new Set<string>();
  let from = String(Math.floor(since.getTime() / 1000));
  let isTold = false;
  for (let failures = 0;;) {
    signal.throwIfAborted();
    using silence = createSilence(clock);
    let leastMs = 0;
    try {
      const request = {
        headers: ntfyAuthorization(plan),
        maxLineChars: MAX_LINE_CHARS,
        signal: AbortSignal.any([signal, silence.signal]),
      };
      for await (
        const line of lines.read(`${topicUrl(plan, topic)}/json?since=${from}${isPoll ? "&poll=1" : ""}`, request)
      ) {
        silence.heard();
        failures = 0;
        const { opens, event } = readLine(line);
        // A server that opens a stream, and then keeps it silent, cannot be heard either.
        if (!opens) isTold = false;
        if (event === undefined || seen.has(event.id)) continue;
        seen.add(event.id);
        if (seen.size > REMEMBERED) seen.delete(seen.values().next().value!);
        from = event.id;
        yield { text: event.text, seconds: event.seconds };
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof HttpStatusError) leastMs = (error.retryAfterSeconds ?? 0) * 1000;
      if (!isTold) onProblem(`Cannot hear the buttons of notifications: ${errorText(error)}`);
      isTold = true;
    }
    if (isPoll) return;
    failures++;
    await clock.sleep(Math.max(pauseMs(failures, random()), leastMs), signal);
  }
}

interface ReplyLine {
  readonly opens: boolean;
  readonly event?: Reply & { readonly id: string };
}

function readLine(line: string): ReplyLine {
  try {
    const value: unknown = JSON.parse(line);
    if (!isObject(value) || value["event"] !== "message") {
      return { opens: isObject(value) && value["event"] === "open" };
    }
    const { id, message, time } = value;
    const isMessage = typeof id === "string" && /^[A-Za-z0-9]{1,64}$/.test(id) && typeof message === "string";
    if (!isMessage) return { opens: false };
    return { opens: false, event: { id, text: message.trim(), seconds: typeof time === "number" ? time : 0 } };
  } catch {
    return { opens: false };
  }
}

function createSilence(clock: Clock) {
  const limit = new AbortController();
  let waiting = new AbortController();
  const wait = (until: AbortController) => {
    clock.sleep(SILENCE_MS, until.signal).then(() => limit.abort(new Error("the server is silent")), () => {});
  };
  wait(waiting);
  return {
    signal: limit.signal,
    heard() {
      waiting.abort();
      waiting = new AbortController();
      wait(waiting);
    },
    [Symbol.dispose]: () => waiting.abort(),
  };
}
