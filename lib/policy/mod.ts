/**
 * The permission policy: which dialogs of agents are accepted, denied, or put to the person. Pure.
 *
 * @module
 */
export { decidePermission, decideUnasked, judgesUnasked, permissionDecider, type PermissionVerdict } from "./decide.ts";
export type { PermissionContext, PermissionRequest } from "./matter.ts";
export { type CommandPattern, matchCommand, parseCommandPattern, patternProblem } from "./pattern.ts";
export {
  BUILTIN_RULE_NAMES,
  BUILTIN_RULES,
  type BuiltinRule,
  DECIDED_KINDS,
  DEFAULT_PERMISSION_POLICY,
  defaultDecision,
  NEVER_ACCEPTED,
  PERMISSION_DECISIONS,
  type PermissionDecision,
  type PermissionPolicy,
  type PermissionRule,
} from "./rules.ts";
