import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { RULE_PACKS } from "../../lib/providers/mod.ts";
import { MAX_PATTERN_STEPS, MAX_PATTERN_TEXT, patternProblem, worstSteps } from "../../lib/screen/pattern_cost.ts";
import { createRandom } from "../support/screens.ts";

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
  "^[•◦] \\S.*(?<styled>\\((?:\\d+m )?\\d+s · )",
  "^✻ [A-Z]\\w+ing… \\(\\d+s\\)$",
  "esc to (?:interrupt|stop)",
  "\\besc (?:to )?(?:cancel|interrupt)\\b",
  "^\\S.* · \\d+ tokens .*$",
  "^(?:\\d\\d:)+\\d\\d ",
  "^(?!Ran |Exited )[^(]+\\(",
  "^(?<=^)\\p{Lu}[\\p{L} ]*:",
  "^[\\u2800-\\u28ff\\x41] \\u{1f600}?",
  "Press \\S+ to stop",
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
    "could take very long on some texts: it must not refer back to a group (\\1, \\k<name>)",
  );
  assertStringIncludes(patternProblem("(?<=a*b)c") ?? "", "must not look back");
  assertStringIncludes(patternProblem("^(?i:busy)") ?? "", 'cannot be checked: a group that begins with "(?i"');
  assertEquals(patternProblem("["), "is no regular expression: Unterminated character class");
  assertEquals(patternProblem("\\q"), "is no regular expression: Invalid escape");
  assertEquals(patternProblem("x".repeat(501)), "must have at most 500 characters");
});

Deno.test("patterns for rows are let through", () => {
  for (const source of HARMLESS) assertEquals(patternProblem(source), undefined, source);
});

function* patternsOf(value: unknown, path: string): Generator<readonly [string, RegExp]> {
  if (value instanceof RegExp) yield [path, value];
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) yield* patternsOf(inner, `${path}.${key}`);
  }
}

Deno.test("every built-in pattern would be let through as well", () => {
  const patterns = RULE_PACKS.flatMap((pack) => [...patternsOf(pack, pack.provider)]);
  assert(patterns.length > 100);
  for (const [path, { source }] of patterns) assert(worstSteps(source) <= MAX_PATTERN_STEPS, `${path}: ${source}`);
});

/** Texts of the length that patterns meet, made of pieces of a pattern, so that much of it nearly matches. */
function hostileTexts(source: string, random: (limit: number) => number): string[] {
  const pieces = [...source.matchAll(/[\p{L}\p{N} ().,:=•✻]+/gu)].map(([piece]) => piece);
  const units = ["a", "a ", "(1s ", "x1", "• ", ...pieces];
  return Array.from({ length: 12 }, (_, round) => {
    let text = round % 2 === 0 ? pieces[0] ?? "" : "";
    const fixed = units[random(units.length)] ?? "a";
    while (text.length < MAX_PATTERN_TEXT) text += round % 3 === 0 ? fixed : units[random(units.length)] ?? "a";
    return text.slice(0, MAX_PATTERN_TEXT);
  });
}

Deno.test("no pattern that is let through takes more than a moment on hostile texts", () => {
  const random = createRandom(11);
  const sources = [
    ...HARMLESS,
    ...RULE_PACKS.flatMap((pack) => [...patternsOf(pack, "")].map(([, { source }]) => source)),
  ];
  for (const source of sources) {
    const pattern = new RegExp(source, source.includes("\\p{") || source.includes("\\u{") ? "u" : "");
    for (const text of hostileTexts(source, random)) {
      const started = performance.now();
      pattern.test(text);
      const took = performance.now() - started;
      assert(took < 250, `${source} took ${took} ms on ${JSON.stringify(text.slice(0, 60))}…`);
    }
  }
});
