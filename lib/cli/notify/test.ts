import { present } from "../../base/schema.ts";
import { UsageError } from "../../base/errors.ts";
import type { Channel } from "../../run/notify/channel.ts";
import { channelsOf } from "../../run/notify/channels.ts";
import { type MachineSecrets, machineSecrets } from "../../run/notify/machine_secrets.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import { wayBackOf } from "../../run/notify/way_back.ts";
import { stateFolder } from "../../base/ports/state_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { loadNotificationPlan } from "../notification_plan.ts";
import { outputLine } from "../../api/output/line.ts";
import type { NotifySurroundings } from "./around.ts";

const TIMEOUT_MS = 10_000;

export async function testNotifications(
  config: string | undefined,
  { io, trust, json, quiet }: NotifySurroundings,
): Promise<number> {
  const { plan, file, workdir } = await loadNotificationPlan(config, { io, trust, mayAsk: !json });
  if (plan === undefined) {
    throw new UsageError(`Cannot send a message: ${file ?? "the configuration"} names nobody to tell`, {
      hint: 'Set notifications.ntfy_topic, for example; "panewright config show" has all settings.',
    });
  }
  const state = stateFolder(io.env);
  const secrets = machineSecrets(state);
  const results = await Promise.all(
    channelsOf(plan, { workdir, secrets }).map(async (channel) => {
      const problem = await tryChannel(channel);
      return { channel: channel.id, where: channel.where, ...present({ problem }) };
    }),
  );
  for (const result of results) {
    const { channel, where, problem } = result;
    if (json) io.stdout(outputLine("notification_tried", result));
    else if (problem !== undefined) io.stdout(`${channel}: not sent to ${sanitizeLine(`${where}: ${problem}`)}\n`);
    else if (!quiet) io.stdout(`${channel}: sent to ${sanitizeLine(where)}\n`);
  }
  if (!json && !quiet) {
    for (const line of wordsAbout(plan, { state, secrets })) {
      io.stdout(`${sanitizeLine(line)}\n`);
    }
  }
  return results.every(({ problem }) => problem === undefined) ? 0 : 1;
}

async function tryChannel(channel: Channel): Promise<string | undefined> {
  const text = "This is how a message of panewright arrives. Nobody is needed.";
  const notification = { kind: "test", title: "panewright: test", text, priority: 3 } as const;
  const about = { id: crypto.randomUUID(), at: new Date().toISOString() };
  try {
    await channel.deliver({ ...about, notification, actions: [] }, { timeoutMs: TIMEOUT_MS });
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}

/** What a person has to know besides: where keys are, and who may answer. */
function wordsAbout(
  plan: NotificationPlan,
  { state, secrets }: { readonly state: string | undefined; readonly secrets: MachineSecrets },
): readonly string[] {
  const { webhook, buttons = "none" } = plan;
  const way = wayBackOf(plan, secrets);
  const answered = buttons === "all" ? "questions and permissions" : "questions";
  return [
    ...(webhook !== undefined && webhook.secretFile === undefined
      ? [`The webhook's messages are signed with the key in ${state}/notify/webhook.key`]
      : []),
    ...(way?.by === "topic" ? [`Buttons answer ${answered}; they publish to the topic ${way.topic}`] : []),
    ...(way?.by === "serve" ? [`Buttons answer ${answered}; they lead to ${way.url}`] : []),
  ];
}
