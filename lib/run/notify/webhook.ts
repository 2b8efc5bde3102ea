import { readRegularText } from "../../base/ports/regular_file.ts";
import { hmacSha256 } from "../../base/text/hmac.ts";
import type { MachineSecrets } from "./machine_secrets.ts";
import type { WebhookPlan } from "./plan.ts";
import type { Delivery } from "./channel.ts";
import { present } from "../../base/schema.ts";

const LEAST_KEY_CHARS = 16;

/**
 * What posts a message to a web address as JSON. `Panewright-Signature: t=<seconds>,v1=<hex>` signs the time and the body:
 * HMAC-SHA256 of `<seconds>.<body>`. `Panewright-Id` is the same whenever a message is sent again.
 */
export async function webhookRequest(
  plan: WebhookPlan,
  delivery: Delivery,
  { secrets, now }: { readonly secrets: MachineSecrets; readonly now: Date },
) {
  const body = JSON.stringify(payloadOf(delivery));
  const seconds = Math.floor(now.getTime() / 1000);
  const key = ownKeyOf(plan) ?? secrets("webhook.key");
  return {
    headers: {
      "content-type": "application/json",
      "panewright-id": delivery.id,
      "panewright-signature": await signatureOf(body, { seconds, key }),
    },
    body,
  };
}

export function payloadOf({ id, at, run, notification, actions, page }: Delivery) {
  const { kind, title, text, priority, question } = notification;
  return {
    ...{ type: "notification" as const, v: 1, id, at, run: run ?? null, kind, title, text, priority },
    question: question?.id ?? null,
    actions: actions.map(({ label, url, body }) => ({ label, url, method: "POST" as const, body })),
    ...present({ page }),
  };
}

export async function signatureOf(
  body: string,
  { seconds, key }: { readonly seconds: number; readonly key: string },
): Promise<string> {
  return `t=${seconds},v1=${(await hmacSha256(key, `${seconds}.${body}`)).toHex()}`;
}

/** The key that the person has made for a webhook; `undefined` where they name none. */
export function ownKeyOf({ secretFile }: WebhookPlan): string | undefined {
  if (secretFile === undefined) return undefined;
  const key = readRegularText(secretFile, { maxBytes: 4096 }).trim();
  if (key.length < LEAST_KEY_CHARS) throw new Error(`${secretFile} holds fewer than ${LEAST_KEY_CHARS} characters`);
  return key;
}
