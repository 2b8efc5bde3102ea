import { decidePermission, type PermissionVerdict } from "./policy/mod.ts";
import type { Role } from "../roles.ts";
import type { PaneProvider } from "../providers/provider.ts";
import type { DialogInfo } from "../screen/dialog.ts";
import type { ReviewRunPlan } from "../jobs/review_loop/plan.ts";

/** Whose dialog it is, and what applies to it. */
export interface DialogContext {
  readonly plan: Pick<ReviewRunPlan, "workdir" | "handoff" | "permissions">;
  readonly role: Role;
  readonly provider: Pick<PaneProvider, "id" | "terminal">;
}

/**
 * What a run does about a dialog: what its policy says, where the switch is on, it is no dry run, and the dialog has a plain
 * yes or no. Pure. Everything else is for a person.
 */
export function decideDialog(dialog: DialogInfo, { plan, role, provider }: DialogContext): PermissionVerdict {
  const { policy, dryRun } = plan.permissions;
  if (!plan.handoff.autoAcceptPermissions && !dryRun) {
    return { decision: "ask", rule: "switch_off", reason: "AUTO_ACCEPT_PERMISSIONS is off." };
  }
  const verdict = decidePermission(dialog, { policy, workdir: plan.workdir, role, provider: provider.id });
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
    case "trust":
    case "login":
    case "update":
    case "hooks":
      return `a dialog about ${kind}`;
    case "other":
      return "a dialog that is not known";
  }
}
