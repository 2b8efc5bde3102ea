import { stateFolder } from "../../base/ports/state_folder.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { MachineSecrets } from "../../run/notify/machine_secrets.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import { wayBackOf } from "../../run/notify/way_back.ts";
import type { NotifySurroundings } from "./around.ts";
import { planToTell, sendToAll } from "./send.ts";

export async function testNotifications(config: string | undefined, around: NotifySurroundings): Promise<number> {
  const { io, json, quiet } = around;
  const to = await planToTell(config, around);
  const text = "This is how a message of panewright arrives. Nobody is needed.";
  const notification = { kind: "test", title: "panewright: test", text, priority: 3 } as const;
  const isSent = await sendToAll(to, notification, around);
  if (!json && !quiet) {
    for (const line of wordsAbout(to.plan, { state: stateFolder(io.env), secrets: to.secrets })) {
      io.stdout(`${sanitizeLine(line)}\n`);
    }
  }
  return isSent ? 0 : 1;
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
