import type { DialogKind } from "../screen/dialog.ts";
import type { Role } from "../base/roles.ts";

export const DECIDED_KINDS = [
  "command",
  "patch",
  "file_write",
  "file_edit",
  "plan",
  "other",
] as const satisfies readonly DialogKind[];

export type PermissionDecision = "allow" | "ask" | "deny";

/** The answers that `permissions.default` may name. */
export const PERMISSION_DECISIONS = ["ask", "allow", "deny"] as const satisfies readonly PermissionDecision[];

/** One entry of a `deny`, `ask` or `allow` list. What it does not name, it holds for. */
export interface PermissionRule {
  /** A command pattern; such a rule is about commands only. */
  readonly command?: string;
  /** A path pattern; such a rule is about files only. */
  readonly path?: string;
  readonly roles?: readonly Role[];
  readonly providers?: readonly string[];
  readonly kinds?: readonly typeof DECIDED_KINDS[number][];
  /** The CLI's own name of the tool, such as `WebFetch`; `*` is any characters: `mcp__github__*`. */
  readonly tool?: string;
  /**
   * What verdicts call it, where it does not come from the person's own list.
   *
   * @default its place in the list: `permissions.allow[0]`
   */
  readonly place?: string;
}

export const BUILTIN_RULES = {
  sudo: "acting as another user: sudo, doas, su",
  pipe_to_shell: "commands that come out of a pipe: curl … | sh",
  command_substitution: "commands that come out of another command: $(…) as the program, eval, or sh -c",
  rm_outside_workdir: "removing folders outside the working directory, or all of it",
  panewright: "driving panewright itself: panewright trust, answer, run and the like",
  write_outside_workdir: "writing or removing files outside the working directory",
} as const;

export type BuiltinRule = keyof typeof BUILTIN_RULES;

export const BUILTIN_RULE_NAMES = Object.keys(BUILTIN_RULES) as readonly string[] as readonly [
  BuiltinRule,
  ...BuiltinRule[],
];

export interface PermissionPolicy {
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly allow: readonly PermissionRule[];
  /**
   * What happens to what no list names.
   *
   * @default {"ask" where `allow` has an entry, otherwise "allow"}
   */
  readonly default?: PermissionDecision;
  readonly liftBuiltin: readonly BuiltinRule[];
  /** Absolute paths of folders outside the working directory in which commands may write. @default {[]} */
  readonly writable?: readonly string[];
}

export const DEFAULT_PERMISSION_POLICY: PermissionPolicy = { deny: [], ask: [], allow: [], liftBuiltin: [] };

export function defaultDecision(policy: Pick<PermissionPolicy, "default" | "allow">): PermissionDecision {
  return policy.default ?? (policy.allow.length > 0 ? "ask" : "allow");
}

export const NEVER_ACCEPTED: Readonly<Record<DialogKind, string>> = {
  question: "the agent asks a question, which only a person can answer",
  trust: "whether a folder is trusted is the person's decision",
  login: "a login is the person's",
  update: "an update changes the person's installation",
  hooks: "whether hooks are trusted is the person's decision",
};
