import { type AllowMatch, allowMatch, unnamedCommand, unnamedPath } from "./allowed.ts";
import { findRule, type FoundRule, spelled, wholeOf } from "./found_rules.ts";
import type { Inspection } from "./inspect/inspection.ts";
import { inspectRequest, type PermissionContext, type PermissionRequest } from "./matter.ts";
import { concernsKind, type RuleLists, ruleLists, ruleListsByTool } from "./rule_lists.ts";
import {
  DECIDED_KINDS,
  defaultDecision,
  NEVER_ACCEPTED,
  type PermissionDecision,
  type PermissionPolicy,
} from "./rules.ts";

export interface PermissionVerdict {
  readonly decision: PermissionDecision;
  /** Which rule decided: `permissions.deny[0]`, `builtin:sudo`, `never:trust`, `uncertain`, `allow_list`, `default`. */
  readonly rule: string;
  readonly reason: string;
}

/**
 * Decides about a permission dialog: what only a person answers, then `deny`, the built-in rules, `ask`, and `allow`.
 *
 * A rule of `deny` or `ask` holds where any command in the text is meant by it, whatever runs it; `allow` only where
 * every command is. What cannot be understood or known is put to the person, and so is what may be read in another way
 * that is not allowed.
 */
export function decidePermission(request: PermissionRequest, context: PermissionContext): PermissionVerdict {
  return permissionDecider(context)(request);
}

/** A {@linkcode decidePermission} for many requests: the policy's lists are sorted once. */
export function permissionDecider(context: PermissionContext): (request: PermissionRequest) => PermissionVerdict {
  const { policy, role, provider } = context;
  const listsOf = ruleListsByTool(policy, { role, provider });
  return (request) => decideRequest(request, { ...context, lists: listsOf(request.tool) });
}

/**
 * What the policy says of a call that needs no permission: an agent's CLI would just run it. Entries of `deny` and
 * `ask`, built-in rules and doubts hold for it as for any other; what the default alone would decide is left to the CLI.
 *
 * @returns `undefined` for what is left to the CLI
 */
export function decideUnasked(request: PermissionRequest, context: PermissionContext): PermissionVerdict | undefined {
  // Its own dialog asks the person.
  if (Object.hasOwn(NEVER_ACCEPTED, request.kind)) return undefined;
  const { policy } = context;
  const open = { ...policy, default: "allow", allow: [...policy.allow, { kinds: ["other"] }] } as const;
  if (decidePermission(request, { ...context, policy: open }).decision === "allow") return undefined;
  return decidePermission(request, context);
}

/**
 * Whether a policy is about calls that need no permission: something is to be denied or asked about.
 *
 * @param whose the agent, and the tool; without that, of any
 */
export function judgesUnasked(
  policy: PermissionPolicy,
  whose: Pick<PermissionContext, "role" | "provider"> & Pick<PermissionRequest, "tool">,
): boolean {
  const { deny, ask } = ruleLists(policy, whose);
  return deny.length + ask.length > 0;
}

interface PreparedContext extends PermissionContext {
  readonly lists: RuleLists;
}

function decideRequest(request: PermissionRequest, context: PreparedContext): PermissionVerdict {
  const { kind } = request;
  if (!DECIDED_KINDS.some((decided) => decided === kind)) {
    const why = Object.hasOwn(NEVER_ACCEPTED, kind) ? NEVER_ACCEPTED[kind] : "no policy knows what it asks for";
    return verdict("ask", `never:${kind}`, `This is never accepted automatically: ${why}.`);
  }
  const first = decideByDefault(decideReading(request, context), context.policy);
  if (first.decision === "deny") return first;
  for (const subject of request.otherReadings ?? []) {
    const other = decideReading({ ...request, subject }, context);
    if (other.decision === "allow") continue;
    return first.decision === "ask" ? first : verdict(
      "ask",
      other.rule,
      `Where its lines end is not certain, and it may be read as something else. ${other.reason}`,
    );
  }
  return first;
}

/** Where the default is to deny, so is what would be put to a person only because it is not known. */
function decideByDefault(found: PermissionVerdict, policy: PermissionPolicy): PermissionVerdict {
  const unknown = found.decision === "ask" && !found.rule.startsWith("permissions.");
  if (!unknown || defaultDecision(policy) !== "deny") return found;
  return { ...found, decision: "deny", reason: `${found.reason} The policy's default is deny.` };
}

function decideReading(request: PermissionRequest, context: PreparedContext): PermissionVerdict {
  const { policy, lists } = context;
  const inspection = inspectRequest(request, context);
  const { violations, guarded: [guarded], doubts } = inspection;
  const lifted = (rule: string | undefined) => policy.liftBuiltin.some((name) => name === rule);

  const found = spelled(inspection);
  const denied = findRule(lists.deny, found);
  const isDenied = surely("deny", denied);
  if (isDenied !== undefined) return isDenied;
  const violation = violations.find(({ rule }) => !lifted(rule));
  if (violation !== undefined) {
    return verdict(
      "deny",
      `builtin:${violation.rule}`,
      `The built-in rule ${violation.rule} denies it: ${violation.message}.`,
    );
  }
  const asked = findRule(lists.ask, found);
  const isAsked = surely("ask", asked);
  if (isAsked !== undefined) return isAsked;
  if (guarded !== undefined) return verdict("ask", "protected", `Only a person may allow it: ${guarded}.`);
  const match = allowMatch(inspection, context);
  const doubt = doubts.find(({ about, unless }) =>
    !lifted(about) && !(unless !== undefined && match(unless.words, unless.folders, unless.naming))
  );
  if (doubt !== undefined) return verdict("ask", "uncertain", `What it does is uncertain: ${doubt.message}.`);
  return perhaps(denied) ?? perhaps(asked) ?? decideAllowed(inspection, match, { ...context, request });
}

function surely(decision: "deny" | "ask", { sure }: FoundRule): PermissionVerdict | undefined {
  if (sure === undefined) return undefined;
  const { place, what } = sure;
  const reason = decision === "deny" ? `The policy denies ${what}.` : `The policy asks a person about ${what}.`;
  return verdict(decision, place, reason);
}

function perhaps({ maybe }: FoundRule): PermissionVerdict | undefined {
  if (maybe === undefined) return undefined;
  const { place, isSure } = maybe;
  const reason = isSure
    ? `It may match ${place}: some of its words are known only when it runs.`
    : `It may match ${place}: its tool is not known.`;
  return verdict("ask", "uncertain", reason);
}

/** A command may be as long as a file; the sentence about it is for a person to read. */
const MAX_REASON_LENGTH = 400;

function verdict(decision: PermissionDecision, rule: string, reason: string): PermissionVerdict {
  return {
    decision,
    rule,
    reason: reason.length <= MAX_REASON_LENGTH ? reason : `${reason.slice(0, MAX_REASON_LENGTH)}…`,
  };
}

function decideAllowed(
  inspection: Inspection,
  match: AllowMatch,
  context: PreparedContext & { readonly request: PermissionRequest },
): PermissionVerdict {
  const { kind } = inspection;
  const { policy, lists, request: { unread = false } } = context;
  const wholes = lists.allow.whole.filter((listed) => concernsKind(listed, kind));
  // A dialog that is not understood is only for a rule that names its kind, or a tool of which nothing more is known.
  const named = wholes.find(({ rule: { kinds, tool } }) => kinds !== undefined || (tool !== undefined && !unread));
  if (named !== undefined) return verdict("allow", named.place, `The policy allows ${wholeOf(named.rule, kind)}.`);
  if (kind === "other") {
    return verdict("ask", "uncertain", "What the dialog asks for is not known.");
  }
  const byDefault = defaultDecision(policy);
  if (byDefault === "allow") return verdict("allow", "default", "Nothing in the policy forbids it.");
  const [whole] = wholes;
  if (whole !== undefined) return verdict("allow", whole.place, "The policy allows it.");
  const missing = kind === "command" ? unnamedCommand(inspection, match, context) : unnamedPath(inspection, context);
  if (missing === undefined) return verdict("allow", "allow_list", "The policy's allow list covers all of it.");
  const what = missing === "" ? `this ${kind}` : missing;
  return verdict(
    byDefault,
    policy.allow.length === 0 ? "default" : "allow_list",
    `The policy does not name ${what}, and its default is ${byDefault}.`,
  );
}
