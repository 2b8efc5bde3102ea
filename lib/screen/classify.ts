import { type Evidence, type Scene, testCondition } from "./conditions.ts";
import type { DialogInfo } from "./dialog.ts";
import { findRegions } from "./regions.ts";
import type { Rule, RulePack } from "./rules.ts";
import type { Screen } from "./screen.ts";
import type { TerminalStatus } from "./status.ts";

export type { Evidence } from "./conditions.ts";

/** A rule that would have applied, had none of higher priority done so. */
export interface BeatenRule {
  readonly rule: string;
  readonly status: TerminalStatus;
  readonly evidence: readonly Evidence[];
  /** Where a person wrote the rule; missing for one that is built in. */
  readonly origin?: string;
}

/** What a screen tells, and why. */
export interface Classification {
  readonly status: TerminalStatus;
  /** The id of the rule that decided; `"none"` where no rule applied. */
  readonly rule: string;
  /** Where a person wrote the rule that decided; missing for one that is built in. */
  readonly origin?: string;
  readonly evidence: readonly Evidence[];
  /** Worked out when it is read. */
  readonly beaten: readonly BeatenRule[];
  readonly dialog?: DialogInfo;
  /** What the rule that decided says about its own doubts; missing where it has none. */
  readonly doubtful?: Rule["doubtful"];
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

/** Every rule's verdict, one after the other, highest priority first. */
function* judge(scene: Scene, rules: readonly Rule[]): Generator<RuleVerdict> {
  let decided = false;
  for (const rule of rules) {
    const applied = applyRule(scene, rule);
    if (applied.verdict !== "applies") yield { rule, verdict: applied.verdict, evidence: applied.evidence };
    else {
      yield { rule, verdict: decided ? "beaten" : "decided", evidence: applied.evidence };
      decided = true;
    }
  }
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

function createScene(screen: Screen, { layout }: RulePack): Scene {
  return { screen, regions: findRegions(screen, layout), layout };
}

/**
 * Tells what an agent is doing from one screen: the applicable rule of the highest priority decides, and where none
 * applies, the status is `unknown`. Pure; never throws.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { CODEX_RULES } from "../providers/codex/rules.ts";
 * import { parseScreen } from "./screen.ts";
 * const screen = parseScreen("› say hi\n\n• hi\n\n›\n100% context left\n");
 * assertEquals(classify(screen, CODEX_RULES).status, "completed");
 * ```
 */
export function classify(screen: Screen, pack: RulePack): Classification {
  const scene = createScene(screen, pack);
  const verdicts = judge(scene, byPriority(pack.rules));
  const winner = nextOf(verdicts, "decided");
  let beaten: readonly BeatenRule[] | undefined;
  return {
    status: winner?.rule.status ?? "unknown",
    rule: winner?.rule.id ?? "none",
    ...originOf(winner?.rule),
    evidence: winner?.evidence ?? [],
    get beaten() {
      return beaten ??= [...verdicts].filter(({ verdict }) => verdict === "beaten")
        .map(({ rule, evidence }) => ({ rule: rule.id, status: rule.status, evidence, ...originOf(rule) }));
    },
    ...(scene.regions.dialog ? { dialog: scene.regions.dialog.info } : {}),
    ...(winner?.rule.doubtful ? { doubtful: winner.rule.doubtful } : {}),
  };
}

function originOf(rule: Rule | undefined): { readonly origin?: string } {
  return rule?.origin === undefined ? {} : { origin: rule.origin };
}

function nextOf(verdicts: Iterator<RuleVerdict>, wanted: RuleVerdict["verdict"]): RuleVerdict | undefined {
  for (let next = verdicts.next(); !next.done; next = verdicts.next()) {
    if (next.value.verdict === wanted) return next.value;
  }
  return undefined;
}

/** What became of every rule of the pack on a screen, highest priority first. */
export function judgeRules(screen: Screen, pack: RulePack): readonly RuleVerdict[] {
  return [...judge(createScene(screen, pack), byPriority(pack.rules))];
}
