import { type HttpPoster, systemHttpPoster } from "../ports/http.ts";
import type { Redactor } from "../redact/redactor.ts";
import { errorText } from "../text/error_text.ts";

/** Where a person is told about a run. */
export interface NotificationPlan {
  /** The ntfy server. */
  readonly url: string;
  readonly topic: string;
}

/** A message to the person who waits for a run. */
export interface Notification {
  readonly title: string;
  readonly text: string;
  /** ntfy's scale from 1 to 5: 3 a pass, 4 a failure, 5 an agent that needs a person. */
  readonly priority: 3 | 4 | 5;
}

/** A slow server must not hold up a run. */
const TIMEOUT_MS = 10_000;

/**
 * Publishes a message to an ntfy topic.
 *
 * @returns what went wrong; `undefined` when the message was sent. A message that does not arrive never ends a run
 */
export async function notify(
  notification: Notification,
  options: { readonly plan: NotificationPlan; readonly http?: HttpPoster },
): Promise<string | undefined> {
  const { plan, http = systemHttpPoster } = options;
  try {
    await http.post(`${plan.url.replace(/\/+$/, "")}/${encodeURIComponent(plan.topic)}`, {
      headers: { title: encodeHeader(notification.title), priority: String(notification.priority) },
      body: notification.text,
      timeoutMs: TIMEOUT_MS,
    });
    return undefined;
  } catch (error) {
    return `Cannot send the notification "${notification.title}" to ${plan.url}: ${errorText(error)}`;
  }
}

/** Messages to a person, sent beside the work; disposal waits until they are gone. */
export interface Messages extends AsyncDisposable {
  send(notification: Notification): void;
}

/** Opens the way to the person who waits for a run; without a plan nobody is told anything. */
export function openMessages(options: {
  readonly plan: NotificationPlan | undefined;
  /** Takes out what must not leave the machine. */
  readonly redactor: Redactor;
  /** Told of a message that did not arrive. */
  readonly onProblem: (message: string) => void;
  readonly http?: HttpPoster;
}): Messages {
  const { plan, redactor, onProblem, http = systemHttpPoster } = options;
  const underWay: Promise<void>[] = [];
  const deliver = async ({ title, text, priority }: Notification) => {
    if (plan === undefined) return;
    const notification = { title: redactor.outgoing(title), text: redactor.outgoing(text), priority };
    const problem = await notify(notification, { plan, http });
    if (problem !== undefined) onProblem(problem);
  };
  return {
    send: (notification) => void underWay.push(deliver(notification)),
    async [Symbol.asyncDispose]() {
      await Promise.all(underWay);
    },
  };
}

/** Headers are Latin-1; ntfy reads RFC 2047 words for the rest. */
function encodeHeader(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?UTF-8?B?${btoa(String.fromCharCode(...bytes))}?=`;
}
