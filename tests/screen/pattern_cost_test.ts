import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { RULE_PACKS } from "../../lib/agents/mod.ts";
import { choicesOf, MAX_PATTERN_TEXT, patternProblem } from "../../lib/screen/pattern_cost.ts";
import { createRandom, type Random } from "../support/random.ts";
import { countMatchSteps } from "../support/steps/regexp_steps.ts";

/** Patterns that are known to take exponential or high polynomial time in a backtracking matcher. */
const HARMFUL = [
  "(a+)+$",
  "^(a|a)*$",
  "^(a|ab)*$",
  "(?:a|[ab])+c",
  "(.*)*",
  "^(\\w+\\s?)*$",
  "^(?:a?){30}a{30}",
  "(x+x+)+y",
  "^.*.*.*=.*$",
  "^a*a*a*a*b",
  "\\s+$.*x.*y",
  "(?:(?:a|b)c?)*d",
  "^(?:\\d+,)*\\d+$",
  "^(?:[^()]|\\([^()]*\\))*$",
  `^${"(?:a|a)".repeat(24)}b`,
  `^${"a?".repeat(28)}${"a".repeat(28)}`,
];

/** Patterns such as a person may write for a row. */
const HARMLESS = [
  "^• Busy: press q to stop$",
  "^◆ Busy for \\d+ s",
  "^[•◦] \\S.*(?<styled>\\((?:\\d{1,4}m )?\\d{1,2}s · )",
  "^✻ [A-Z][a-z]{1,30}ing… \\(\\d+s\\)$",
  "esc to (?:interrupt|stop)",
  "\\besc (?:to )?(?:cancel|interrupt)\\b",
  "^\\S.* · \\d{1,6} tokens ",
  "^(?:\\d\\d:)+\\d\\d ",
  "^(?!Ran |Exited )[^(]+\\(",
  "^(?<=^)\\p{Lu}[\\p{L} ]*:",
  "^[\\u2800-\\u28ff\\x41] \\u{1f600}?",
  "Press \\S{1,20} to stop",
  "^\\(\\[a\\]\\) [)(\\]|]{2,}",
];

Deno.test("patterns that can take very long are refused", () => {
  for (const source of HARMFUL) {
    const problem = patternProblem(source);
    assert(problem !== undefined, source);
    assertStringIncludes(problem, "could take very long on some texts");
  }
});

Deno.test("patterns that need what is not reckoned with are refused", () => {
  assertEquals(
    patternProblem("^(\\d+) \\1"),
    "cannot be checked: it must not refer back to a group (\\1, \\k<name>)",
  );
  assertStringIncludes(patternProblem("(?<=a*b)c") ?? "", "could take very long on some texts");
  assertStringIncludes(patternProblem("^(?i:busy)") ?? "", 'cannot be checked: a group that begins with "(?i"');
  assertEquals(patternProblem("["), "is not a regular expression: Unterminated character class");
  assertEquals(patternProblem("\\q"), "is not a regular expression: Invalid escape");
  assertEquals(patternProblem("x".repeat(501)), "must have at most 500 characters");
});

Deno.test("patterns for rows are let through", () => {
  for (const source of HARMLESS) assertEquals(patternProblem(source), undefined, source);
});

Deno.test("choices are multiplied", () => {
  const choices: readonly (readonly [string, number])[] = [
    ["^abc$", 1],
    ["abc", MAX_PATTERN_TEXT],
    ["^a?b{2,5}c{3}", 2 * 4],
    ["^a*", MAX_PATTERN_TEXT],
    ["^a{7,}", MAX_PATTERN_TEXT],
    ["^(?:a|bc|d)", 3],
    ["^(?:a|b?){3}", 27],
    ["^a|b", 1 + MAX_PATTERN_TEXT],
    ["^(?!a|b)(?<name>c?)", 2 * 2],
    ["^[*+?{(|]\\(\\|[^\\]|]", 1],
    ["^\\p{L}?\\u{1f600}{1,2}", 2 * 2],
  ];
  for (const [source, count] of choices) assertEquals(choicesOf(source), count, source);
});

function* patternsOf(value: unknown): Generator<string> {
  if (value instanceof RegExp) yield value.source;
  else if (typeof value === "object" && value !== null) {
    for (const inner of Object.values(value)) yield* patternsOf(inner);
  }
}

/** Texts made of pieces of a pattern, so that much of it nearly matches. */
function hostileTexts(source: string, random: Random): string[] {
  const pieces = [...source.matchAll(/[\p{L}\p{N} ().,:=•✻]+/gu)].map(([piece]) => piece);
  const units = ["a", "a ", "(1s ", "x1", "• ", ...pieces];
  return Array.from({ length: 4 }, (_, round) => {
    let text = round % 2 === 0 ? pieces[0] ?? "" : "";
    const fixed = random.pick(units);
    while (text.length < MAX_PATTERN_TEXT) text += round % 3 === 0 ? fixed : random.pick(units);
    return text.slice(0, MAX_PATTERN_TEXT);
  });
}

function countSteps(source: string, text: string): number {
  const pattern = new RegExp(source, "u");
  return countMatchSteps(pattern, { text, from: 0, found: pattern.exec(text), limit: Infinity });
}

/**
 * What each character of a text may cost at most: the choices but for the one that is unbounded, and a pattern's
 * length.
 */
const stepsPerCharacter = (source: string) => Math.ceil(choicesOf(source) / MAX_PATTERN_TEXT) * source.length;

Deno.test("hostile text is matched in steps that grow with its length alone", () => {
  const random = createRandom(11);
  const sources = new Set([...HARMLESS, ...RULE_PACKS.flatMap((pack) => [...patternsOf(pack)])]);
  for (const source of sources) {
    for (const text of hostileTexts(source, random)) {
      for (const length of [100, MAX_PATTERN_TEXT]) {
        const steps = countSteps(source, text.slice(0, length));
        const most = (length + 1) * stepsPerCharacter(source);
        assert(steps <= most, `${source} took ${steps} of ${most} steps on ${JSON.stringify(text.slice(0, 60))}…`);
      }
    }
  }
});

Deno.test("the count tells a harmful pattern: its steps outgrow the text", () => {
  for (const source of ["^.*.*.*=.*$", "^a*a*a*a*b", "(x+x+)+y", "^(a|a)*$"]) {
    const unit = /[ax]/.exec(source)?.[0] ?? "a";
    const [few, many] = [8, 16].map((length) => countSteps(source, `${unit.repeat(length)}!`));
    assert(many! > 4 * few!, `${source}: ${few}, then ${many}`);
  }
});
