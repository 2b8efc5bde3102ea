import type { HandoffSettings } from "../handoff/settings.ts";
import type { PaneProvider } from "../providers/provider.ts";
import type { Role } from "../roles.ts";
import type { DialogInfo } from "../screen/dialog.ts";
import type { SettingsOf } from "../settings.ts";
import {
  decidePermission,
  type PermissionContext,
  type PermissionPolicy,
  type PermissionVerdict,
} from "./policy/mod.ts";
import type { DIALOG_SETTINGS } from "./settings.ts";

/** How permission dialogs are answered. Whether any are, and how many, is in the settings of the handoff. */
export interface PermissionPlan extends SettingsOf<typeof DIALOG_SETTINGS> {
  readonly policy: PermissionPolicy;
}

/** What a run says about dialogs. */
export interface DialogPlan {
  /** Absolute path of the folder in which the agents work. */
  readonly workdir: string;
  readonly handoff: Pick<HandoffSettings, "autoAcceptPermissions">;
  readonly permissions: PermissionPlan;
}

/** Whose dialog it is, and what applies to it. */
export interface DialogContext {
  readonly plan: DialogPlan;
  readonly role: Role;
  readonly provider: Pick<PaneProvider, "id" | "terminal">;
  /** What is known of the machine. @default {{}} */
  readonly ground?: Pick<PermissionContext, "home" | "realPath">;
}

/**
 * Decides what a run does about a dialog. Pure.
 *
 * @returns what the policy says, if the switch is on, this is not a dry run, and the dialog has a plain yes or no for
 * it; otherwise `ask`: a person has to decide
 */
export function decideDialog(dialog: DialogInfo, { plan, role, provider, ground }: DialogContext): PermissionVerdict {
  const { policy, dryRun } = plan.permissions;
  if (!plan.handoff.autoAcceptPermissions && !dryRun) {
    return { decision: "ask", rule: "switch_off", reason: "AUTO_ACCEPT_PERMISSIONS is off." };
  }
  const verdict = decidePermission(dialog, { policy, workdir: plan.workdir, role, provider: provider.id, ...ground });
  if (verdict.decision === "ask") return verdict;
  const answer = verdict.decision === "allow" ? "accept" : "decline";
  if (dryRun) {
    const reason = `This is a dry run; it would have been ${
      answer === "accept" ? "accepted" : "declined"
    }. ${verdict.reason}`;
    return { decision: "ask", rule: `dry_run:${verdict.decision}:${verdict.rule}`, reason };
  }
  if (provider.terminal.answerWay(dialog, answer) !== undefined) return verdict;
  const missing = answer === "accept" ? "yes" : "no";
  const reason = `Its plain ${missing} is not among the choices. ${verdict.reason}`;
  return { decision: "ask", rule: `no_plain_${missing}`, reason };
}

/**
 * What the agent asks for, in a few words.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(requestOf({ kind: "command", subject: "npm test" }), "the command `npm test`");
 * assertEquals(requestOf({ kind: "patch", subject: "a.ts\nb.ts" }), "a change to a.ts, b.ts");
 * ```
 */
export function requestOf({ kind, subject }: Pick<DialogInfo, "kind" | "subject">): string {
  const names = subject?.split("\n").join(", ");
  switch (kind) {
    case "command":
      return subject === undefined ? "a command that is not shown" : `the command \`${subject}\``;
    case "patch":
    case "file_edit":
      return `a change to ${names ?? "a file that is not shown"}`;
    case "file_write":
      return `writing ${names ?? "a file that is not shown"}`;
    case "plan":
      return "its plan";
    case "question":
      return "a question to the person";
    case "other":
      return "an unknown dialog";
    default:
      return `a dialog about ${kind.replaceAll("_", " ")}`;
  }
}
