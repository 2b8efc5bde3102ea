import { type HttpPoster, originOf } from "../../../base/ports/http.ts";
import { readRegularText } from "../../../base/ports/regular_file.ts";
import { hmacSha256 } from "../../../base/text/hmac.ts";
import type { MachineSecrets } from "../machine_secrets.ts";
import type { WebhookPlan } from "../plan.ts";
import type { Channel } from "./channel.ts";
import { payloadOf } from "./payload.ts";

const DAY_MS = 24 * 3600 * 1000;

/** A key that is shorter could be guessed. */
const LEAST_KEY_CHARS = 16;

/**
 * Posts messages to a web address as JSON. `Panewright-Signature: t=<seconds>,v1=<hex>` signs the time and the body:
 * HMAC-SHA256 of `<seconds>.<body>`. `Panewright-Id` is the same whenever a message is sent again.
 */
export function webhookChannel(
  plan: WebhookPlan,
  { http, secrets, wallClock }: {
    readonly http: HttpPoster;
    readonly secrets: MachineSecrets;
    readonly wallClock: () => Date;
  },
): Channel {
  return {
    id: "webhook",
    where: originOf(plan.url),
    maxAgeMs: 3 * DAY_MS,
    hasButtons: true,
    async deliver(delivery, { timeoutMs }) {
      const body = JSON.stringify(payloadOf(delivery));
      const seconds = Math.floor(wallClock().getTime() / 1000);
      await http.post(plan.url, {
        headers: {
          "content-type": "application/json",
          "panewright-id": delivery.id,
          "panewright-signature": await signatureOf(body, { seconds, key: ownKeyOf(plan) ?? secrets("webhook.key") }),
        },
        body,
        timeoutMs,
      });
    },
  };
}

/** The signature of a body, as the header has it. */
export async function signatureOf(
  body: string,
  { seconds, key }: { readonly seconds: number; readonly key: string },
): Promise<string> {
  return `t=${seconds},v1=${(await hmacSha256(key, `${seconds}.${body}`)).toHex()}`;
}

/**
 * The key that the person has made for a webhook; `undefined` where they name none.
 *
 * @throws when the file cannot be read, or holds too little
 */
export function ownKeyOf({ secretFile }: WebhookPlan): string | undefined {
  if (secretFile === undefined) return undefined;
  const key = readRegularText(secretFile, { maxBytes: 4096 }).trim();
  if (key.length < LEAST_KEY_CHARS) throw new Error(`${secretFile} holds fewer than ${LEAST_KEY_CHARS} characters`);
  return key;
}
