import type { Role } from "../base/roles.ts";
import type { DialogKind } from "../screen/dialog.ts";
import { type CommandPattern, type KnownWord, parseCommandPattern } from "./pattern.ts";
import type { PermissionPolicy, PermissionRule } from "./rules.ts";

export interface ListedRule {
  /** Its place in the configuration: `permissions.deny[0]`. */
  readonly place: string;
  readonly rule: PermissionRule;
  readonly begins: string | undefined;
  readonly pattern: () => CommandPattern;
  /** Whether it is sure that the tool is meant which it names. */
  readonly isSure: boolean;
}

export type RuleLists = ReturnType<typeof ruleLists>;

const PLAIN_START = /^[\w.@:+=,-]+(?=[ \t]|$)/;

/** Sorts the entries of a policy once, so that a decision compares a command with those only that may mean it. */
export function ruleLists(
  policy: PermissionPolicy,
  { role, provider, tool }: {
    readonly role: Role | undefined;
    readonly provider: string;
    /** Missing where it is not known: `deny` and `ask` may mean it then, and `allow` does not. */
    readonly tool?: string | undefined;
  },
) {
  const listed = (list: "deny" | "ask" | "allow") =>
    policy[list].map((rule, index): ListedRule => ({
      ...listedRule(rule, rule.place ?? `permissions.${list}[${index}]`),
      isSure: rule.tool === undefined || tool !== undefined,
    })).filter(({ rule, isSure }) =>
      (rule.roles?.some((named) => named === role) ?? true) && (rule.providers?.includes(provider) ?? true) &&
      (isSure ? rule.tool === undefined || namesTool(rule.tool, tool) : list !== "allow")
    );
  return { deny: listed("deny"), ask: listed("ask"), allow: allowList(listed("allow")) };
}

/** The lists of a policy for calls of any tool, each sorted once. */
export function ruleListsByTool(policy: PermissionPolicy, who: Parameters<typeof ruleLists>[1]) {
  const namesTools = [...policy.deny, ...policy.ask, ...policy.allow].some((rule) => rule.tool !== undefined);
  const lists = new Map<string | undefined, RuleLists>();
  return (called: string | undefined): RuleLists => {
    const tool = namesTools ? called : undefined;
    const known = lists.get(tool) ?? ruleLists(policy, { ...who, tool });
    lists.set(tool, known);
    return known;
  };
}

function namesTool(pattern: string, tool = ""): boolean {
  const parts = pattern.split("*").map((part) => RegExp.escape(part));
  return new RegExp(`^${parts.join("[^]*")}$`).test(tool);
}

export function concernsKind({ rule: { kinds } }: ListedRule, kind: DialogKind): boolean {
  return kinds?.some((named) => named === kind) ?? true;
}

export function concernsWrites(listed: ListedRule): boolean {
  return concernsKind(listed, "file_write") || concernsKind(listed, "command");
}

/** Whether an entry's command may mean one with this first word, also where that has a folder before it. */
export function mayBegin({ begins }: ListedRule, first: KnownWord | undefined): boolean {
  const { value } = first ?? {};
  return begins === undefined || value === undefined || value === begins ||
    value.slice(value.lastIndexOf("/") + 1) === begins;
}

function listedRule(rule: PermissionRule, place: string): Omit<ListedRule, "isSure"> {
  let pattern: CommandPattern | undefined;
  return {
    place,
    rule,
    begins: PLAIN_START.exec(rule.command ?? "")?.[0],
    pattern: () => pattern ??= parseCommandPattern(rule.command ?? rule.path ?? ""),
  };
}

/** The entries of `allow`, by what they name. */
function allowList(rules: readonly ListedRule[]) {
  const commands = rules.filter(({ rule }) => rule.command !== undefined);
  const byFirst = Map.groupBy(commands, ({ begins }) => begins);
  const others = byFirst.get(undefined) ?? [];
  for (const [begins, named] of byFirst) if (begins !== undefined) byFirst.set(begins, [...named, ...others]);
  return {
    /** Those for commands that may begin with a word; `undefined` for a word that is not known. */
    commands: (first: string | undefined): readonly ListedRule[] =>
      first === undefined ? commands : byFirst.get(first) ?? others,
    paths: rules.filter(({ rule }) => rule.command === undefined && rule.path !== undefined),
    whole: rules.filter(({ rule }) => rule.command === undefined && rule.path === undefined),
  };
}
