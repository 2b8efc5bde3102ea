import { unaskedCalls } from "../../turn/desk/decision.ts";
import { type HookChannel, openHookChannel } from "../../turn/desk/hook_channel.ts";
import { STATE_FOLDER_HINT } from "../../base/ports/state_folder.ts";
import { hooksOf } from "../../run/state_names.ts";
import type { AcpActivity } from "../../agents/acp/activity.ts";
import { activityPathOf } from "../../run/activity_file.ts";
import { type ActivityWriter, openActivityWriter } from "../../run/activity_writer.ts";
import type { Role } from "../../base/roles.ts";
import { openSpool, type Spool } from "../../agents/spool.ts";
import { errorText } from "../../base/text/error_text.ts";
import { agentsUsed } from "./plan.ts";
import { agentInUse } from "./role_due.ts";
import type { RunParts } from "./run_parts.ts";

type ChannelParts = Pick<RunParts, "plan" | "folder" | "state" | "record" | "redactor" | "clock">;

/**
 * Opens the channel that the agents' hooks ask through. Its folder is the person's: one in the working directory could
 * be written by an agent in a sandbox. Without it every permission has its dialog.
 */
export async function openHooks(parts: ChannelParts): Promise<HookChannel | undefined> {
  const { plan, folder, record } = parts;
  const hasHooks = agentsUsed(plan).some((provider) => provider.terminal?.hasPermissionHook);
  const place = hooksOf(folder.id);
  if (!hasHooks || place === undefined) return undefined;
  try {
    return await openHookChannel({
      place,
      refusalOf(role, request) {
        const ruled = unaskedCalls(plan, { role, provider: agentInUse(role, parts).provider })?.(request);
        return ruled && !plan.permissions.dryRun ? ruled.reason : undefined;
      },
    });
  } catch (error) {
    const message = `the agents' hooks cannot be answered, so each permission opens its dialog, and deny and ask of ` +
      `permissions do not hold for what a CLI runs without asking: ${errorText(error)}`;
    record({ type: "warning", message });
    return undefined;
  }
}

/**
 * Opens the place where the agents' hooks tell of their turns, in the folder of the channel and removed with it.
 * Without it the screens and the CLIs' own records do.
 */
export async function openTurnEvents(
  { folder, record, clock }: ChannelParts,
): Promise<Spool | undefined> {
  try {
    const place = hooksOf(folder.id, "turns");
    if (place === undefined) throw new Error(STATE_FOLDER_HINT);
    return await openSpool(place, { clock });
  } catch (error) {
    const message = `the agents' hooks cannot report their turns, so their ends are noticed later: ${errorText(error)}`;
    record({ type: "warning", message });
    return undefined;
  }
}

export function openActivities(
  { folder, redactor, record }: ChannelParts,
) {
  const writers = new Map<Role, ActivityWriter>();
  const writerOf = (role: Role) => {
    const onProblem = (message: string) => {
      try {
        record({ type: "warning", role, message });
      } catch {
        /* of a journal that cannot be written the next record of the turn tells: here nobody could catch it */
      }
    };
    const writer = writers.get(role) ?? openActivityWriter(activityPathOf(folder, role), { redactor, onProblem });
    writers.set(role, writer);
    return writer;
  };
  return {
    onActivity: (role: Role, activity: AcpActivity) => writerOf(role).write(activity),
    [Symbol.dispose]: () => writers.forEach((writer) => writer[Symbol.dispose]()),
  };
}
