import type { AskPolicy } from "../../base/terms.ts";
import type { HandoffSettings } from "../settings.ts";
import { isMcpTool, isUnread } from "../../agents/hook_payload.ts";
import type { Provider } from "../../agents/provider.ts";
import { realPathSnapshot } from "../../base/ports/real_path.ts";
import { mayHoldRepository } from "../../base/ports/repositories.ts";
import type { Role } from "../../base/roles.ts";
import type { DialogInfo, DialogKind } from "../../screen/dialog.ts";
import type { SettingsOf } from "../../base/settings.ts";
import {
  decidePermission,
  decideUnasked,
  judgesUnasked,
  type PermissionContext,
  type PermissionPolicy,
  type PermissionRequest,
  type PermissionVerdict,
} from "../../policy/mod.ts";
import type { Request } from "../../policy/request.ts";
import type { DIALOG_SETTINGS } from "./settings.ts";
import { MAX_ASKED_CHARS } from "./shown.ts";

export interface PermissionPlan extends SettingsOf<typeof DIALOG_SETTINGS> {
  readonly policy: PermissionPolicy;
}

export interface DialogPlan {
  /** Absolute path of the folder in which the agents work. */
  readonly workdir: string;
  readonly handoff: Pick<HandoffSettings, "autoAcceptPermissions">;
  readonly permissions: PermissionPlan;
  /** What a question leads to. @default {"ask"} */
  readonly askPolicy?: AskPolicy;
  /** The sandbox around agents and commands; missing where none is open. */
  readonly sandboxOfCommands?: object | undefined;
}

export interface Offers {
  readonly allow: boolean;
  readonly reject: boolean;
  readonly refuse: boolean;
  /** Tells that there is no plain yes, or no plain no, as a full sentence. */
  readonly noPlain: (missing: "yes" | "no") => string;
}

interface DecisionContext {
  readonly plan: DialogPlan;
  /** Missing for the agent of a step. */
  readonly role: Role | undefined;
  readonly provider: Pick<Provider, "id">;
  readonly offers: Offers;
  /** Why an automatic yes is out of the question, as a full sentence. @default nothing stands against it */
  readonly doubt?: string | undefined;
}

/** Those of a hook: it takes a yes and a no. */
export const PLAIN_OFFERS: Offers = { allow: true, reject: true, refuse: true, noPlain: () => "" };

/**
 * Decides what a run says to a request, whatever way it came: the policy's word, where this is no dry run, the switch is
 * on, nothing is in doubt, and there is a plain yes or no for it; otherwise `ask`: a person has to decide.
 *
 * @param asked what a screen shows is never accepted on that alone: it comes with a doubt
 */
export function decide(asked: Request | DialogInfo, context: DecisionContext): PermissionVerdict {
  return settled(decideInside(asked, context) ?? decideAsked(asked, contextOf(context), context.plan), asked, context);
}

/** The rule by which the sandbox around an agent lets it do what nothing names: no limit of a turn is about that. */
export const INSIDE = "inside";

const INSIDE_KINDS: readonly DialogKind[] = ["command", "patch", "file_write", "file_edit", "other"];

/** In a sandbox around it, an agent does what it wants without being asked, but for what an entry names, or may name. */
function decideInside(asked: Request | DialogInfo, context: DecisionContext): PermissionVerdict | undefined {
  const { plan, provider: { id: provider }, role } = context;
  const { permissions: { dryRun, policy }, sandboxOfCommands } = plan;
  if (sandboxOfCommands === undefined || dryRun) return undefined;
  if (!("source" in asked) || !INSIDE_KINDS.includes(asked.kind)) return undefined;
  const hasEntries = judgesUnasked(policy, { role, provider, tool: asked.tool });
  if (hasEntries && asked.kind === "other") return undefined;
  return (hasEntries ? whatEntriesSay(asked, context) : undefined) ??
    { decision: "allow", rule: INSIDE, reason: "It is in the sandbox around its agent." };
}

/** Which built-in rules are about what the sandbox around an agent keeps from happening, whatever a command says. */
const KEPT_BY_SANDBOX = ["sudo", "rm_outside_workdir", "write_outside_workdir"] as const;

function whatEntriesSay(request: Request, context: DecisionContext): PermissionVerdict | undefined {
  const { permissions: { policy }, sandboxOfCommands, workdir } = context.plan;
  const kept = sandboxOfCommands === undefined ? [] : KEPT_BY_SANDBOX;
  return decideUnasked(matterIn(request), {
    ...contextOf(context),
    ...{ cwd: request.cwd ?? workdir, policy: { ...policy, liftBuiltin: [...policy.liftBuiltin, ...kept] } },
  });
}

/**
 * The same for a call of an agent that may need no permission. That the CLI's settings let a tool of an MCP server run
 * says nothing here: a repository may bring the server, and the rule as well.
 */
export function decideCall(request: Request, context: DecisionContext): PermissionVerdict | undefined {
  const { plan: { permissions: { policy, dryRun } }, role, provider } = context;
  // Its hook may be there for another reason, such as allow_write.
  if (request.needsPermission === false && !judgesUnasked(policy, { role, provider: provider.id })) return undefined;
  if (request.needsPermission !== false) return decide(request, context);
  const ruled = whatEntriesSay(request, context);
  // What a known tool is told to do, and nobody can read, may be anything.
  const isAsked = isUnread(request) || isMcpTool(request.tool);
  if (isAsked && (dryRun || ruled?.decision !== "deny")) return decide(request, context);
  return ruled && settled(ruled, request, context);
}

/** What is decided about a call that needs no permission; `undefined` where the policy is about none. */
export function unaskedCalls(
  plan: DialogPlan,
  whose: Pick<DecisionContext, "role" | "provider">,
): ((request: Request) => PermissionVerdict | undefined) | undefined {
  if (!judgesUnasked(plan.permissions.policy, { role: whose.role, provider: whose.provider.id })) return undefined;
  return (request) => decideCall(request, { ...whose, plan, offers: PLAIN_OFFERS });
}

function contextOf({ plan, role, provider }: DecisionContext): PermissionContext {
  return { ...machineGround(), workdir: plan.workdir, role, provider: provider.id, policy: plan.permissions.policy };
}

function settled(
  ruled: PermissionVerdict,
  { subject = "" }: Request | DialogInfo,
  context: DecisionContext,
): PermissionVerdict {
  const verdict = asOffered(ruled, context);
  const { decision, reason } = verdict;
  if (decision !== "ask" || subject.length <= MAX_ASKED_CHARS || !context.offers.refuse) return verdict;
  return { decision: "deny", rule: "too_long", reason: `It is too long for a person to read. ${reason}` };
}

function asOffered(
  verdict: PermissionVerdict,
  { offers, doubt }: Pick<DecisionContext, "offers" | "doubt">,
): PermissionVerdict {
  const { decision, reason } = verdict;
  if (decision === "allow" && doubt !== undefined) return { decision: "ask", rule: "not_exact", reason: doubt };
  const isOffered = { allow: offers.allow, deny: offers.reject, ask: true }[decision];
  if (isOffered) return verdict;
  const missing = decision === "allow" ? "yes" : "no";
  return { decision: "ask", rule: `no_plain_${missing}`, reason: `${offers.noPlain(missing)} ${reason}` };
}

function decideAsked(
  asked: Request | DialogInfo,
  whose: PermissionContext,
  { handoff, permissions: { dryRun } }: DialogPlan,
): PermissionVerdict {
  // No switch lets a policy answer a question.
  if (!handoff.autoAcceptPermissions && !dryRun && asked.kind !== "question") {
    return { decision: "ask", rule: "switch_off", reason: "AUTO_ACCEPT_PERMISSIONS is off." };
  }
  const matter = matterIn(asked);
  const verdict = decidePermission(matter, whose);
  if (verdict.decision === "allow" && "source" in asked) {
    const { workdir, policy } = whose;
    const { cwd = workdir, leavesSandbox = false } = asked;
    if (leavesSandbox && decidePermission(matter, { ...whose, policy: namedOnly(policy) }).decision !== "allow") {
      return { decision: "ask", rule: "leaves_sandbox", reason: LEAVES_SANDBOX };
    }
    if (cwd !== workdir) {
      const reason = `It would run in ${cwd}, and not in the working directory.`;
      return { decision: "ask", rule: "other_folder", reason };
    }
  }
  if (!dryRun || verdict.decision === "ask") return verdict;
  const would = verdict.decision === "allow" ? "accepted" : "declined";
  const reason = `This is a dry run; it would have been ${would}. ${verdict.reason}`;
  return { decision: "ask", rule: `dry_run:${verdict.decision}:${verdict.rule}`, reason };
}

function matterIn(asked: Request | DialogInfo): PermissionRequest {
  return "source" in asked ? { ...asked, unread: isUnread(asked) } : asked;
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

/** What the policy may know of this machine for one decision: the home folder, and where links lead now. */
function machineGround(): Pick<PermissionContext, "home" | "realPath" | "mayHoldRepository"> {
  const home = Deno.env.get("HOME");
  return { ...(home?.startsWith("/") ? { home } : {}), realPath: realPathSnapshot(), mayHoldRepository };
}

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
