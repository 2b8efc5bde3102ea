import { outputLine } from "../../api/output/line.ts";
import { UsageError } from "../../base/errors.ts";
import { stateFolder } from "../../base/ports/state_folder.ts";
import { present } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { channelsOf } from "../../run/notify/channels.ts";
import { type MachineSecrets, machineSecrets } from "../../run/notify/machine_secrets.ts";
import type { Notification } from "../../run/notify/notification.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import { loadNotificationPlan } from "../notification_plan.ts";
import type { NotifySurroundings } from "./around.ts";

const TIMEOUT_MS = 10_000;

export interface PlanToTell {
  readonly plan: NotificationPlan;
  readonly workdir: string;
  readonly secrets: MachineSecrets;
}

/** @throws {UsageError} where the configuration names nobody to tell */
export async function planToTell(
  config: string | undefined,
  { io, json, trust }: NotifySurroundings,
): Promise<PlanToTell> {
  const { plan, file, workdir } = await loadNotificationPlan(config, { io, trust, mayAsk: !json });
  if (plan === undefined) {
    throw new UsageError(`Cannot send a message: ${file ?? "the configuration"} names nobody to tell`, {
      hint: 'Set notifications.ntfy_topic, for example; "panewright config show" has all settings.',
    });
  }
  return { plan, workdir, secrets: machineSecrets(stateFolder(io.env)) };
}

/** Sends a message to all that are named, once, and says how that went; whether it reached each. */
export async function sendToAll(
  { plan, ...parts }: PlanToTell,
  notification: Notification,
  { io, json, quiet }: Pick<NotifySurroundings, "io" | "json" | "quiet">,
): Promise<boolean> {
  const about = { id: crypto.randomUUID(), at: new Date().toISOString(), notification, actions: [] };
  const results = await Promise.all(
    channelsOf(plan, parts).map(async ({ deliver, id: channel, where }) => {
      const problem = await deliver(about, { timeoutMs: TIMEOUT_MS }).then(() => undefined, errorText);
      return { channel, where, ...present({ problem }) };
    }),
  );
  for (const result of results) {
    const { channel, where, problem } = result;
    if (json) io.stdout(outputLine("notification_tried", result));
    else if (problem !== undefined) io.stdout(`${channel}: not sent to ${sanitizeLine(`${where}: ${problem}`)}\n`);
    else if (!quiet) io.stdout(`${channel}: sent to ${sanitizeLine(where)}\n`);
  }
  return results.every(({ problem }) => problem === undefined);
}
