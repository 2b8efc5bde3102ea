import type { Delivery } from "./channel.ts";
import { present } from "../../../base/schema.ts";

/** The version of {@linkcode payloadOf}: it grows when a field goes, or means something else. */
const PAYLOAD_VERSION = 1;

/** A message as programs get it: one JSON object. */
export function payloadOf({ id, at, run, notification, actions, page }: Delivery) {
  const { kind, title, text, priority, question } = notification;
  return {
    type: "notification" as const,
    v: PAYLOAD_VERSION,
    id,
    at,
    run: run ?? null,
    kind,
    title,
    text,
    priority,
    question: question?.id ?? null,
    actions: actions.map(({ label, url, body }) => ({ label, url, method: "POST" as const, body })),
    ...present({ page }),
  };
}
