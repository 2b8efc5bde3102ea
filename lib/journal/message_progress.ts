import { flag, object, oneOf, optional, text, type ValueOf } from "../base/schema.ts";
import { MESSAGE_WAYS } from "../base/terms.ts";
import { compareText } from "../base/text/order.ts";

export const outsideMessage = object({
  id: text,
  worker: text,
  by: oneOf(...MESSAGE_WAYS),
  who: optional(text),
  wantsResponse: flag,
  receivedAt: text,
  /**
   * `waiting`: for its agent; `sending`: its turn has begun; `sent`: the agent has it; `answered`: the turn is over;
   * `failed`: it is not sent any more, or its turn has failed
   */
  status: oneOf("waiting", "sending", "sent", "answered", "failed"),
  since: text,
  reason: optional(text),
  /** The file with the response, absolute; missing as long as there is none, or where none was wanted. */
  archivedAs: optional(text),
});

export type OutsideMessageProgress = ValueOf<typeof outsideMessage>;

const MAX_MESSAGES_OVER = 20;

export function messageChanged(
  { messages }: { readonly messages: readonly OutsideMessageProgress[] },
  id: string,
  change: Partial<OutsideMessageProgress>,
): { readonly messages: readonly OutsideMessageProgress[] } {
  const changed = messages.map((message) => message.id === id ? { ...message, ...change } : message);
  const over = changed.filter((message) => message.id !== id && isMessageOver(message))
    .toSorted((one, other) => compareText(one.since, other.since));
  const isOneMore = changed.some((message) => message.id === id && isMessageOver(message));
  const dropped = new Set(isOneMore ? over.slice(0, 1 - MAX_MESSAGES_OVER) : []);
  return { messages: dropped.size === 0 ? changed : changed.filter((message) => !dropped.has(message)) };
}

function isMessageOver({ status }: OutsideMessageProgress): boolean {
  return status === "answered" || status === "failed";
}
