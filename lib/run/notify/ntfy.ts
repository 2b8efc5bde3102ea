import { readRegularText } from "../../base/ports/regular_file.ts";
import type { NtfyPlan } from "./plan.ts";
import type { Action, Delivery } from "./channel.ts";
import { present } from "../../base/schema.ts";

export const TOPIC = /^[A-Za-z0-9_-]{1,64}$/;

export function ntfyRequest(plan: NtfyPlan, { notification: { title, text, priority }, actions, page }: Delivery) {
  return {
    url: topicUrl(plan, plan.topic),
    headers: {
      title: encodeHeader(title),
      priority: String(priority),
      ...present({ click: page }),
      ...(actions.length === 0 ? {} : { actions: asciiJson(actions.map(buttonOf)) }),
      ...ntfyAuthorization(plan),
    },
    body: text,
  };
}

export function topicUrl({ url }: Pick<NtfyPlan, "url">, topic: string): string {
  return `${url.replace(/\/+$/, "")}/${encodeURIComponent(topic)}`;
}

export function ntfyAuthorization({ tokenFile }: Pick<NtfyPlan, "tokenFile">): { readonly authorization?: string } {
  if (tokenFile === undefined) return {};
  const token = readRegularText(tokenFile, { maxBytes: 4096 }).trim();
  // A file that was named by mistake, or by somebody else, must not leave the machine.
  if (!/^tk_[A-Za-z0-9]{10,64}$/.test(token)) throw new Error(`${tokenFile} does not hold an access token (tk_…)`);
  return { authorization: `Bearer ${token}` };
}

function buttonOf({ label, url, body }: Action) {
  return { action: "http", label, url, method: "POST", body, clear: true };
}

function encodeHeader(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?UTF-8?B?${btoa(String.fromCharCode(...bytes))}?=`;
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
