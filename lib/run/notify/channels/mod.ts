import { type HttpPoster, systemHttpPoster } from "../../../base/ports/http.ts";
import { type ProcessRunner, systemProcessRunner } from "../../../base/ports/process.ts";
import { type MachineSecrets, machineSecrets } from "../machine_secrets.ts";
import type { NotificationPlan } from "../plan.ts";
import type { Channel } from "./channel.ts";
import { commandChannel } from "./command.ts";
import { desktopChannel } from "./desktop.ts";
import { ntfyChannel } from "./ntfy.ts";
import { webhookChannel } from "./webhook.ts";

/** What channels are made of. */
interface ChannelParts {
  /** Where a program of the configuration runs. */
  readonly workdir: string;
  /** @default {systemHttpPoster} */
  readonly http?: HttpPoster;
  /** @default {systemProcessRunner} */
  readonly run?: ProcessRunner;
  /** @default {machineSecrets()} */
  readonly secrets?: MachineSecrets;
  /** @default {() => new Date()} */
  readonly wallClock?: () => Date;
}

/** The ways to a person that a plan names. */
export function channelsOf(plan: NotificationPlan, parts: ChannelParts): readonly Channel[] {
  const { workdir, http = systemHttpPoster, run = systemProcessRunner } = parts;
  const { secrets = machineSecrets(), wallClock = () => new Date() } = parts;
  const { ntfy, webhook, desktop = false, command } = plan;
  return [
    ...(ntfy === undefined ? [] : [ntfyChannel(ntfy, { http })]),
    ...(webhook === undefined ? [] : [webhookChannel(webhook, { http, secrets, wallClock })]),
    ...(desktop ? [desktopChannel({ run, os: Deno.build.os })] : []),
    ...(command === undefined ? [] : [commandChannel(command, { run, workdir })]),
  ];
}
