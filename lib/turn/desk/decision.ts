import type { HandoffSettings } from "../settings.ts";
import type { PaneProvider, Provider } from "../../agents/provider.ts";
import type { Role } from "../../base/roles.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import type { SettingsOf } from "../../base/settings.ts";
import {
  decidePermission,
  exactRequest,
  type PermissionContext,
  type PermissionPolicy,
  type PermissionVerdict,
} from "../../policy/mod.ts";
import { isShownBy } from "./request.ts";
import type { Request } from "../../policy/request.ts";
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

/** A request whose text is longer is not put to a person, who could not judge it: it is refused. */
export const MAX_ASKED_CHARS = 20_000;

/** Whose dialog it is, and what applies to it. */
interface DialogContext {
  readonly plan: DialogPlan;
  /** Missing for the agent of a step. */
  readonly role: Role | undefined;
  readonly provider: Pick<PaneProvider, "id" | "terminal">;
  /** What is known of the machine. @default {{}} */
  readonly ground?: Pick<PermissionContext, "home" | "realPath">;
}

/** What is known of the request behind a dialog, besides its screen. */
export interface KnownRequest {
  /** The only request that the agent's CLI has on record, or the one among them that the screen shows. */
  readonly request?: Request;
  /**
   * Why an automatic yes is out of the question, as a full sentence; missing where the request is sure to be this one.
   */
  readonly doubt?: string;
}

/** Finds the request that a dialog on the screen is about among those that the CLI has on record. Pure. */
export function knownRequest(
  dialog: Pick<DialogInfo, "kind" | "subject" | "subjectComplete" | "otherReadings">,
  pending: readonly Request[],
  workdir: string,
): KnownRequest {
  const shown = pending.filter((request) => isShownBy(dialog, request, workdir));
  const [only, ...others] = pending;
  if (only === undefined) {
    return {
      doubt: "Its exact words are not known: only the screen shows them, and a screen may leave something out.",
    };
  }
  if (others.length > 0) {
    const doubt = "The agent waits for several answers, and the screen does not prove which one this is.";
    return { doubt, ...(shown.length === 1 ? { request: shown[0]! } : {}) };
  }
  if (only.kind !== dialog.kind) return { doubt: "The screen shows another kind of dialog than the agent asks for." };
  if (shown.length === 1) return { request: only };
  return { request: only, doubt: "The screen does not show just that: it leaves something out, or adds something." };
}

/** What is decided, and about what. */
interface DialogDecision extends PermissionVerdict {
  readonly request?: Request;
}

/**
 * Decides what a run does about a dialog. Pure.
 *
 * @returns what the policy says of the request behind it, if the switch is on, this is not a dry run, and the dialog
 * has a plain yes or no for it; otherwise `ask`: a person has to decide. A dialog is never accepted on its screen
 * alone.
 */
export function decideDialog(
  dialog: DialogInfo,
  { request, doubt }: KnownRequest,
  context: DialogContext,
): DialogDecision {
  const about = request === undefined ? {} : { request };
  const asked = request ?? dialog;
  const verdict = decideRequest(asked, context);
  if (verdict.decision === "ask") return { ...verdict, ...about };
  if (verdict.decision === "allow" && doubt !== undefined) {
    return { decision: "ask", rule: "not_exact", reason: doubt, ...about };
  }
  const answer = verdict.decision === "allow" ? "accept" : "decline";
  if (context.provider.terminal.answerWay(dialog, answer) !== undefined) return { ...verdict, ...about };
  const missing = answer === "accept" ? "yes" : "no";
  const reason = `Its plain ${missing} is not among the choices. ${verdict.reason}`;
  return { decision: "ask", rule: `no_plain_${missing}`, reason, ...about };
}

/** Decides what a run says to a request. In a dry run, and with the switch off, that is `ask`. Pure. */
export function decideRequest(
  request: Request | DialogInfo,
  { plan, role, provider, ground }: Omit<DialogContext, "provider"> & { readonly provider: Pick<Provider, "id"> },
): PermissionVerdict {
  const { policy, dryRun } = plan.permissions;
  // No switch lets a policy answer a question.
  if (!plan.handoff.autoAcceptPermissions && !dryRun && request.kind !== "question") {
    return { decision: "ask", rule: "switch_off", reason: "AUTO_ACCEPT_PERMISSIONS is off." };
  }
  const { workdir } = plan;
  const exact = "fingerprint" in request ? request : exactRequest(request.kind, request.subject);
  const asked = { workdir, role, provider: provider.id, ...ground };
  const verdict = decidePermission(exact, { ...asked, policy });
  if (verdict.decision === "allow" && "source" in request && request.leavesSandbox === true) {
    const isNamed = decidePermission(exact, { ...asked, policy: namedOnly(policy) }).decision === "allow";
    if (!isNamed) return { decision: "ask", rule: "leaves_sandbox", reason: LEAVES_SANDBOX };
  }
  if (verdict.decision === "allow" && "source" in request && (request.cwd ?? workdir) !== workdir) {
    const reason = `It would run in ${request.cwd}, and not in the working directory.`;
    return { decision: "ask", rule: "other_folder", reason };
  }
  if (!dryRun || verdict.decision === "ask") return verdict;
  const would = verdict.decision === "allow" ? "accepted" : "declined";
  const reason = `This is a dry run; it would have been ${would}. ${verdict.reason}`;
  return { decision: "ask", rule: `dry_run:${verdict.decision}:${verdict.rule}`, reason };
}

const LEAVES_SANDBOX = "It asks to run outside of the CLI's sandbox, and no entry of permissions.allow names it.";

/**
 * A policy as it holds for what leaves the sandbox: the default accepts nothing, nor does an entry that names only
 * kinds, or that the person has not written.
 */
function namedOnly(policy: PermissionPolicy): PermissionPolicy {
  const allow = policy.allow.filter(({ command, path, place }) =>
    place === undefined && (command !== undefined || path !== undefined)
  );
  return { ...policy, default: "ask", allow };
}

/** What the agent asks for, in a few words. */
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
