import type * as z from "zod";
import commonRules from "./common_rules.json" with { type: "json" };
import type { Condition, Layout, Rule, RulePack, StylePattern } from "./rules.ts";
import type { condition, rule } from "./rules_schema.ts";
import type { TerminalStatus } from "../base/status.ts";
import { present } from "../base/schema.ts";

/** A regular expression that is valid in Unicode mode, or several of which one must match. */
export type PatternData = string | readonly string[];

type Written<Data> = Data extends readonly (infer Each)[] ? readonly Written<Each>[]
  : Data extends object ? { readonly [Key in keyof Data]: Written<Data[Key]> }
  : Data;

/** Conditions of which all must hold, as built-in rules and people's own are written. See {@linkcode Condition}. */
export type ConditionData = Written<z.infer<ReturnType<typeof condition>>>;

/** A rule as it is written. See {@linkcode Rule}. */
export type RuleData = Written<z.infer<ReturnType<typeof rule>>>;

/**
 * A layout as it is written, or what differs in one: {@linkcode Layout} with its names in snake_case and patterns as
 * text. The schema says what it may hold.
 */
export type LayoutData = Readonly<Record<string, unknown>>;

/** What is known of one CLI's screens, as it is written: plain JSON. */
export interface ScreenData {
  readonly note?: string;
  readonly layout: LayoutData;
  readonly rules: readonly RuleData[];
}

/** Where most rules of a status stand: the priority of a rule that names none. */
const PRIORITIES: Readonly<Record<TerminalStatus, number>> = {
  waiting_user_answer: 900,
  processing: 800,
  idle: 700,
  error: 690,
  completed: 500,
  unknown: 50,
};

/** The rules and the layout of a provider's screens, the rules that all providers share included. */
export function createRulePack(provider: string, { layout, rules }: ScreenData): RulePack {
  const all = [...commonRules as readonly RuleData[], ...rules];
  return {
    provider,
    layout: compileLayout(layout, compileFast) as Layout,
    rules: all.map((rule) => compileRule(rule, compileFast)),
  };
}

/** The ids of the rules that all providers share. */
export const COMMON_RULE_IDS: readonly string[] = (commonRules as readonly RuleData[]).map(({ id }) => id);

/**
 * Every regular expression of a provider's screens, as it is written.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const rules = [{ id: "busy", status: "processing", title: ["^a", "^b"] }] as const;
 * assertEquals(patternsOf({ layout: { head: "^• ", dialog: { max_below: 2 } }, rules }), ["^• ", "^a", "^b"]);
 * ```
 */
export function patternsOf({ layout, rules }: ScreenData): readonly string[] {
  const found: string[] = [];
  const collect: Compile = (pattern) => {
    found.push(...[pattern].flat());
    return /(?:)/;
  };
  compileLayout(layout, collect);
  for (const rule of rules) compileRule(rule, collect);
  return found;
}

/** A person's entry, and where it stands, such as `panewright.jsonc:12`. */
export interface RuleChange {
  readonly rule: RuleData;
  readonly origin: string;
}

/**
 * A pack with a person's changes. Of rules with the same priority, the person's go first, in their order.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { CODEX_RULES } from "../agents/codex/rules.ts";
 * import { classify } from "./classify.ts";
 * import { parseScreen } from "./screen.ts";
 * const screen = parseScreen("› say hi\n\n• Busy: press q to stop\n\n›\n100% context left\n");
 * const rule = { id: "busy", status: "processing", region: "status", pattern: "^• Busy:" } as const;
 * const pack = changeRulePack(CODEX_RULES, { rules: [{ rule, origin: "panewright.jsonc:3" }] });
 * assertEquals(classify(screen, CODEX_RULES).status, "completed");
 * assertEquals(classify(screen, pack).status, "processing");
 * ```
 */
export function changeRulePack(
  pack: RulePack,
  { rules = [], layout = {} }: { readonly rules?: readonly RuleChange[]; readonly layout?: LayoutData },
): RulePack {
  const changed = new Set(rules.map(({ rule }) => rule.id));
  const added = rules.filter(({ rule }) => rule.remove !== true);
  return {
    ...pack,
    layout: merge(pack.layout, compileLayout(layout, compile)) as Layout,
    rules: [
      ...added.map(({ rule, origin }) => ({ ...compileRule(rule, compile), origin })),
      ...pack.rules.filter(({ id }) => !changed.has(id)),
    ],
  };
}

/** Makes a regular expression of what is written. */
type Compile = (pattern: PatternData) => RegExp;

function compileRule(data: RuleData, toPattern: Compile): Rule {
  const { id, status = "unknown", priority, also = [], excludes, doubtful, ...own } = data;
  const toConditions = (condition: ConditionData) => compileConditions(condition, toPattern);
  const [first, ...others] = [own, ...also].flatMap(toConditions);
  if (first === undefined) throw new TypeError(`Cannot use rule "${id}": it has no condition`);
  return {
    id,
    status,
    priority: priority ?? PRIORITIES[status],
    when: [first, ...others],
    ...present({
      excludes: excludes?.flatMap(toConditions),
      doubtful: doubtful && present({ unlessSeen: doubtful.unless_seen }),
    }),
  };
}

function compileConditions(data: ConditionData, toPattern: Compile): readonly Condition[] {
  const { dead, region, pattern, row, style, style_needed: styleNeeded, title, command, has = [], dialog } = data;
  const conditions: Condition[] = [];
  if (dead === true) conditions.push({ on: "dead" });
  if (region !== undefined && pattern !== undefined) {
    conditions.push({
      on: "rows",
      region,
      text: toPattern(pattern),
      ...present({ row, style: style as StylePattern | undefined, styleNeeded }),
    });
  }
  if (title !== undefined) conditions.push({ on: "title", text: toPattern(title) });
  if (command !== undefined) conditions.push({ on: "command", text: toPattern(command) });
  if (data.cursor_visible !== undefined) conditions.push({ on: "cursor", visible: data.cursor_visible });
  if (data.styled !== undefined) conditions.push({ on: "style", present: data.styled });
  for (const part of has) conditions.push({ on: "layout", has: part });
  if (dialog !== undefined) conditions.push({ on: "dialog", kinds: dialog });
  return conditions;
}

function compile(pattern: PatternData, flags = "u"): RegExp {
  const [only = "", ...others] = [pattern].flat();
  return new RegExp(others.length === 0 ? only : [only, ...others].map((each) => `(?:${each})`).join("|"), flags);
}

/** What only Unicode mode understands: properties and code points beyond 16 bits. */
const NEEDS_UNICODE = /\\[pPu]\{|[\u{10000}-\u{10ffff}]/u;

/** Without Unicode mode, where nothing needs it: in it, long rows take up to three times as long (V8 of Deno 2.9.6). */
function compileFast(pattern: PatternData): RegExp {
  return compile(pattern, NEEDS_UNICODE.test([pattern].flat().join()) ? "u" : "");
}

/** The text of a layout that is no pattern. */
const WORDS = ["kind", "in", "from"];

/** Lists of a layout that are no alternatives of one pattern. */
const LISTS = ["kinds", "subjects", "foreground", "background"];

function compileLayout(data: unknown, toPattern: Compile, key = ""): unknown {
  if (typeof data === "string" && !WORDS.includes(key)) return toPattern(data);
  if (Array.isArray(data)) {
    if (!LISTS.includes(key)) return toPattern(data);
    return data.map((each: unknown) => typeof each === "object" ? compileLayout(each, toPattern) : each);
  }
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      compileLayout(value, toPattern, name),
    ]),
  );
}

function merge(below: unknown, above: unknown): unknown {
  if (above === undefined) return below;
  if (!isPlainObject(below) || !isPlainObject(above)) return above;
  return {
    ...below,
    ...Object.fromEntries(Object.entries(above).map(([key, value]) => [key, merge(below[key], value)])),
  };
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof RegExp);
}
