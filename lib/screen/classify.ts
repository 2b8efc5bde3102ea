import { present } from "../base/schema.ts";
import { type Evidence, type Scene, testCondition } from "./conditions.ts";
import type { DialogInfo } from "./dialog.ts";
import { findRegions } from "./regions.ts";
import type { Rule, RulePack } from "./rules.ts";
import type { Screen } from "./screen.ts";
import { withoutSidePanel } from "./side_panel.ts";
import type { TerminalStatus } from "../base/status.ts";

export type { Evidence } from "./conditions.ts";

/** A rule that would have applied, had none of higher priority done so. */
export interface BeatenRule {
  /** Its id. */
  readonly rule: string;
  /** What it says of the screen. */
  readonly status: TerminalStatus;
  /** The rows that it rests on. */
  readonly evidence: readonly Evidence[];
  /** Where a person wrote the rule; missing for one that is built in. */
  readonly origin?: string;
}

/** What a screen tells. */
export interface Decision {
  /** What the agent is doing. */
  readonly status: TerminalStatus;
  /** The id of the rule that decided; `"none"` where no rule applied. */
  readonly rule: string;
  /** Where a person wrote the rule that decided; missing for one that is built in. */
  readonly origin?: string;
  /** The rows that it rests on. */
  readonly evidence: readonly Evidence[];
  /** The dialog that waits, if there is one. */
  readonly dialog?: DialogInfo;
  /** What the rule that decided says about its own doubts; missing where it has none. */
  readonly doubtful?: { readonly unlessSeen?: string };
}

/** What a screen tells, and which other rules would have applied. */
export interface Classification extends Decision {
  /** Worked out when it is read. */
  readonly beaten: readonly BeatenRule[];
}

/** What became of one rule on a screen. */
export interface RuleVerdict {
  readonly rule: Rule;
  /**
   * - `decided`: it applies, and no rule before it does.
   * - `beaten`: it applies, but another one decided.
   * - `excluded`: its conditions hold, and so does one that it excludes.
   * - `not_met`: one of its conditions does not hold.
   */
  readonly verdict: "decided" | "beaten" | "excluded" | "not_met";
  /** What the conditions that hold rest on; for `excluded`, what the exclusion rests on. */
  readonly evidence: readonly Evidence[];
}

function applyRule(
  scene: Scene,
  rule: Rule,
): { readonly verdict: "applies" | "excluded" | "not_met"; readonly evidence: readonly Evidence[] } {
  const evidence: Evidence[] = [];
  for (const condition of rule.when) {
    const found = testCondition(scene, condition);
    if (!found) return { verdict: "not_met", evidence };
    evidence.push(found);
  }
  for (const condition of rule.excludes ?? []) {
    const found = testCondition(scene, condition);
    if (found) return { verdict: "excluded", evidence: [found] };
  }
  return { verdict: "applies", evidence };
}

/** The rules of a pack, highest priority first; of equal ones, the earlier in the pack. */
function byPriority(rules: readonly Rule[]): readonly Rule[] {
  return rules.toSorted((a, b) => b.priority - a.priority);
}

/** A screen, without what a CLI draws beside it, and its parts. */
export function createScene(shown: Screen, { layout }: RulePack): Scene {
  const screen = withoutSidePanel(shown, layout.sidePanel);
  return { screen, regions: findRegions(screen, layout), layout };
}

/**
 * Tells what an agent is doing from one screen: the applicable rule of the highest priority decides, and where none
 * applies, the status is `unknown`. Pure; never throws.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { CODEX_RULES } from "../agents/codex/rules.ts";
 * import { parseScreen } from "./screen.ts";
 * const screen = parseScreen("› say hi\n\n• hi\n\n›\n100% context left\n");
 * assertEquals(classify(screen, CODEX_RULES).status, "completed");
 * ```
 */
export function classify(screen: Screen, pack: RulePack): Classification {
  const scene = createScene(screen, pack);
  const decision = decideScene(scene, pack);
  const findBeaten = () => {
    const rules = byPriority(pack.rules);
    const decidedAt = rules.findIndex(({ id }) => id === decision.rule);
    return decidedAt < 0 ? [] : applicable(scene, rules.slice(decidedAt + 1));
  };
  return Object.assign(new LazyBeaten(findBeaten), decision);
}

/** Like {@linkcode classify}, for one who has the screen's parts and does not ask which rules were beaten. */
export function decideScene(scene: Scene, pack: RulePack): Decision {
  let evidence: readonly Evidence[] = [];
  const winner = byPriority(pack.rules).find((rule) => {
    const applied = applyRule(scene, rule);
    if (applied.verdict === "applies") evidence = applied.evidence;
    return applied.verdict === "applies";
  });
  return {
    status: winner?.status ?? "unknown",
    rule: winner?.id ?? "none",
    ...present({ origin: winner?.origin }),
    evidence,
    ...present({ dialog: scene.regions.dialog?.info, doubtful: winner?.doubtful }),
  };
}

/** The ids of those of these rules that apply, whichever decides. */
export function applyingRules(scene: Scene, rules: readonly Rule[]): readonly string[] {
  return applicable(scene, rules).map(({ rule }) => rule);
}

function applicable(scene: Scene, rules: readonly Rule[]): readonly BeatenRule[] {
  return rules.flatMap((rule) => {
    const { verdict, evidence } = applyRule(scene, rule);
    return verdict === "applies"
      ? [{ rule: rule.id, status: rule.status, evidence, ...present({ origin: rule.origin }) }]
      : [];
  });
}

/**
 * Beaten rules that are worked out when they are read: most are never asked for. A class, because what a getter in an
 * object literal refers to, here the whole screen, was seen to stay until the next full garbage collection (Deno
 * 2.9.6).
 */
class LazyBeaten {
  #beaten: readonly BeatenRule[] | undefined;
  readonly #find: () => readonly BeatenRule[];

  constructor(find: () => readonly BeatenRule[]) {
    this.#find = find;
  }

  get beaten(): readonly BeatenRule[] {
    return this.#beaten ??= this.#find();
  }
}

/** What became of every rule of the pack on a screen, highest priority first. */
export function judgeRules(screen: Screen, pack: RulePack): readonly RuleVerdict[] {
  const scene = createScene(screen, pack);
  let decided = false;
  return byPriority(pack.rules).map((rule) => {
    const { verdict, evidence } = applyRule(scene, rule);
    if (verdict !== "applies") return { rule, verdict, evidence };
    const isFirst = !decided;
    decided = true;
    return { rule, verdict: isFirst ? "decided" : "beaten", evidence };
  });
}
