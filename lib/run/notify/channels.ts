import { type HttpPoster, originOf, systemHttpPoster } from "../../base/ports/http.ts";
import { type CommandSpec, type ProcessRunner, systemProcessRunner } from "../../base/ports/process.ts";
import { lastLines } from "../../base/text/lines.ts";
import type { Channel, Delivery } from "./channel.ts";
import { desktopCommand } from "./desktop.ts";
import { type MachineSecrets, machineSecrets } from "./machine_secrets.ts";
import { ntfyRequest } from "./ntfy.ts";
import type { NotificationPlan } from "./plan.ts";
import { isQuiet } from "./quiet_hours.ts";
import { payloadOf, webhookRequest } from "./webhook.ts";

interface ChannelParts {
  readonly workdir: string;
  readonly http?: HttpPoster;
  readonly run?: ProcessRunner;
  readonly secrets?: MachineSecrets;
  readonly wallClock?: () => Date;
}

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

export function channelsOf(plan: NotificationPlan, parts: ChannelParts): readonly Channel[] {
  const { workdir: cwd, http = systemHttpPoster, run = systemProcessRunner } = parts;
  const { secrets = machineSecrets(), wallClock = () => new Date() } = parts;
  const { ntfy, webhook, desktop = false, command } = plan;
  const lasting = { maxAgeMs: 3 * DAY_MS, hasButtons: true };
  const ways: readonly (Channel | undefined)[] = [
    ntfy && {
      ...{ id: "ntfy", where: originOf(ntfy.url), ...lasting },
      deliver: async (delivery, limit) => {
        const { url, ...request } = ntfyRequest(ntfy, delivery);
        await http.post(url, { ...request, ...limit });
      },
    },
    webhook && {
      ...{ id: "webhook", where: originOf(webhook.url), ...lasting },
      deliver: async (delivery, limit) => {
        const request = await webhookRequest(webhook, delivery, { secrets, now: wallClock() });
        await http.post(webhook.url, { ...request, ...limit });
      },
    },
    desktop
      ? {
        // What was worth seeing on a desktop is old news soon.
        ...{ id: "desktop", where: "the desktop", maxAgeMs: 10 * MINUTE_MS, hasButtons: false },
        deliver: ({ notification }: Delivery, limit: { readonly timeoutMs: number }) =>
          runToSuccess({ argv: desktopCommand(notification, Deno.build.os), ...limit }, run),
      }
      : undefined,
    command && {
      ...{ id: "command", where: command[0], ...lasting },
      deliver: (delivery, limit) =>
        runToSuccess({ argv: command, cwd, stdin: `${JSON.stringify(payloadOf(delivery))}\n`, ...limit }, run),
    },
  ];
  return ways.filter((way) => way !== undefined).map((way) => ({
    ...way,
    deliver: (delivery, limit) => way.deliver(heard(delivery, { plan, now: wallClock() }), limit),
  }));
}

/** In quiet hours a message comes, and makes no sound: none is held back, which nobody might be there to send later. */
function heard(
  delivery: Delivery,
  { plan: { quietHours }, now }: { readonly plan: NotificationPlan; readonly now: Date },
): Delivery {
  if (!isQuiet(quietHours, now)) return delivery;
  return { ...delivery, notification: { ...delivery.notification, priority: 1 } };
}

/** @throws when the program cannot be started, takes too long, or ends with another exit code than 0 */
async function runToSuccess(spec: CommandSpec, runner: ProcessRunner): Promise<void> {
  const [program] = spec.argv;
  const { code, stderr, timedOut } = await runner.run(spec).catch((error) => {
    throw error instanceof Deno.errors.NotFound ? new Error(`there is no program ${program}`) : error;
  });
  if (code === 0) return;
  if (timedOut) throw new Error(`${program} took longer than ${(spec.timeoutMs ?? 0) / 1000} s`);
  const [said = ""] = lastLines(stderr, 1);
  throw new Error(`${program} ended with exit code ${code}${said === "" ? "" : `: ${said.slice(0, 200)}`}`);
}
