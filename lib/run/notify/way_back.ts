import type { Action } from "./channel.ts";
import { topicUrl } from "./ntfy.ts";
import { type ButtonsFolder, issueButtons } from "./buttons.ts";
import type { MachineSecrets } from "./machine_secrets.ts";
import type { Notification } from "./notification.ts";
import type { NotificationPlan, NtfyPlan } from "./plan.ts";

export type WayBack =
  | { readonly by: "serve"; readonly url: string }
  | { readonly by: "topic"; readonly ntfy: NtfyPlan; readonly topic: string };

/** The way back that a plan has; `undefined` without buttons, or where there is none. */
export function wayBackOf(plan: NotificationPlan, secrets: MachineSecrets): WayBack | undefined {
  const { buttons = "none", answerUrl, ntfy } = plan;
  if (buttons === "none") return undefined;
  if (answerUrl !== undefined) return { by: "serve", url: answerUrl.replace(/\/+$/, "") };
  return ntfy && { by: "topic", ntfy, topic: ntfy.replyTopic ?? secrets("reply-topic") };
}

export async function actionsFor(
  { question }: Notification,
  { folder, way, secrets, now }: {
    readonly folder: ButtonsFolder;
    readonly way: WayBack | undefined;
    readonly secrets: MachineSecrets;
    readonly now: Date;
  },
): Promise<readonly Action[]> {
  if (way === undefined || question === undefined || question.choices.length === 0) return [];
  const buttons = await issueButtons(folder, question, { key: secrets("buttons.key"), now });
  return buttons.map(({ label, token }) =>
    way.by === "serve"
      ? { label, url: `${way.url}/v1/buttons/${token}`, body: "" }
      : { label, url: topicUrl(way.ntfy, way.topic), body: token }
  );
}

export function pageOf({ answerUrl }: NotificationPlan, run: string): { readonly page?: string } {
  return answerUrl === undefined ? {} : { page: `${answerUrl.replace(/\/+$/, "")}/runs/${run}` };
}
