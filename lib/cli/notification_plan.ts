import { resolve } from "@std/path/posix";
import { loadSettings } from "../config/load.ts";
import { notificationsIn } from "../config/common_plan.ts";
import type { NotificationPlan } from "../run/notify/plan.ts";
import type { CliIo } from "./console/command.ts";
import { configSource } from "./environment.ts";
import { requireTrust, type TrustSurroundings } from "./trust.ts";

interface NotificationConfig {
  readonly plan: NotificationPlan | undefined;
  /** The config file as messages call it; undefined where there is none. */
  readonly file: string | undefined;
  readonly workdir: string;
}

export async function loadNotificationPlan(
  config: string | undefined,
  around: Pick<TrustSurroundings, "io" | "trust" | "mayAsk">,
): Promise<NotificationConfig> {
  const { io } = around;
  const loaded = await loadSettings(await configSource(io, { path: config }));
  await requireTrust({ config: loaded }, around);
  return { plan: notificationsIn(loaded.config).notifications, file: loaded.file, workdir: loaded.workdir };
}

export async function notificationPlanOfRun(
  { configFile, workdir }: { readonly configFile: string | null; readonly workdir: string },
  { io, trust }: { readonly io: CliIo; readonly trust: boolean },
): Promise<NotificationPlan | undefined> {
  const there = { ...io, cwd: workdir };
  const path = configFile === null ? undefined : resolve(workdir, configFile);
  return (await loadNotificationPlan(path, { io: there, trust, mayAsk: false })).plan;
}
