import { NOTIFICATION_SETTINGS } from "../../config/notification_settings.ts";
import { programProblem } from "../../run/programs.ts";
import { desktopProgram } from "../../run/notify/desktop.ts";
import { ntfyAuthorization } from "../../run/notify/ntfy.ts";
import { ownKeyOf } from "../../run/notify/webhook.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { Finding } from "./finding.ts";
import { type LookContext, placeIn } from "./look_context.ts";

interface NotificationsToLookAt {
  readonly notifications?: NotificationPlan;
  readonly workdir: string;
}

const { desktop: DESKTOP, notifyCommand: COMMAND, ntfyTokenFile: TOKEN_FILE, webhookSecretFile: SECRET_FILE } =
  NOTIFICATION_SETTINGS;

/** What shows without sending anything of messages that could never arrive: programs and files that are not there. */
export function lookAtNotifications(
  { notifications = {}, workdir }: NotificationsToLookAt,
  context: Pick<LookContext, "env">,
): readonly Finding[] {
  const { command, desktop = false, ntfy, webhook } = notifications;
  const problemOf = (program: string) => programProblem(program, placeIn(workdir, context));
  const found: Finding[] = [];
  const commandProblem = command && problemOf(command[0]);
  if (commandProblem !== undefined) {
    found.push({
      check: COMMAND.names.key,
      status: "fail",
      detail: `${JSON.stringify(command)} cannot be run: ${commandProblem}`,
      remedy: "Correct it, or install the program.",
    });
  }
  // The same configuration may be used on a machine without a desktop.
  const desktopProblem = desktop ? problemOf(desktopProgram(Deno.build.os)) : undefined;
  if (desktopProblem !== undefined) {
    found.push({
      check: DESKTOP.names.key,
      status: "warn",
      detail: desktopProblem,
      remedy: "Install it, or nothing is shown on this desktop.",
    });
  }
  const lookAtFile = (check: string, read: () => unknown) => {
    try {
      read();
    } catch (error) {
      found.push({ check, status: "fail", detail: errorText(error), remedy: "Correct the file, or the path." });
    }
  };
  if (ntfy !== undefined) lookAtFile(TOKEN_FILE.names.key, () => ntfyAuthorization(ntfy));
  if (webhook !== undefined) lookAtFile(SECRET_FILE.names.key, () => ownKeyOf(webhook));
  return found;
}
