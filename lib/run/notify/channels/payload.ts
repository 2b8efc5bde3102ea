import type { Delivery } from "./channel.ts";

/** The version of {@linkcode payloadOf}: it grows when a field goes, or means something else. */
const PAYLOAD_VERSION = 1;

/**
 * A message as programs get it: one JSON object.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const notification = { kind: "test", title: "panewright: test", text: "It works.", priority: 3 } as const;
 * assertEquals(payloadOf({ id: "7", at: "2026-11-20T07:26:05.000Z", notification, actions: [] }), {
 *   ...{ type: "notification", v: 1, id: "7", at: "2026-11-20T07:26:05.000Z", run: null, kind: "test" },
 *   ...{ title: "panewright: test", text: "It works.", priority: 3, question: null, actions: [] },
 * });
 * ```
 */
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
    ...(page === undefined ? {} : { page }),
  };
}
