import { readOwnLines } from "../base/text/markdown.ts";
import { createFindRefusal, type FindRefusal } from "./refusals.ts";

/** What a review says of the work. */
export type ReviewVerdict = "APPROVED" | "REVISE";
/** What the tester says of the work. */
export type TestVerdict = "PASS" | "FAIL";

interface VerdictForm<V extends string> {
  readonly label: string;
  readonly values: readonly V[];
  /** The beginnings of words that claim a value, in lower case: `passed` claims PASS without stating it. */
  readonly stems: Readonly<Record<V, string>>;
  /** The value that contradicts the other one in every spelling. */
  readonly refusal: V;
  /** Finds those spellings. */
  readonly isRefused: FindRefusal;
}

const REVIEW: VerdictForm<ReviewVerdict> = {
  label: "REVIEW_RESULT",
  values: ["APPROVED", "REVISE"],
  stems: { APPROVED: "approv", REVISE: "revis" },
  refusal: "REVISE",
  isRefused: createFindRefusal({
    label: String.raw`(?:REVIEW[\s_-]?)?RESULT`,
    capitals: "REVIS(?:E|ED|ION)|REJECT(?:ED)?",
    anyCase: "revis(?:e|ed|ion)|rejected",
    approved: "approv",
    offered: ["APPROVED", "REVISE"],
  }),
};

const TEST: VerdictForm<TestVerdict> = {
  label: "RESULT",
  values: ["PASS", "FAIL"],
  stems: { PASS: "pass", FAIL: "fail" },
  refusal: "FAIL",
  isRefused: createFindRefusal({
    label: "RESULT",
    capitals: "FAIL(?:ED|S|ING|URE)?|ERROR|BLOCKED|BROKEN|INCONCLUSIVE",
    anyCase: "fail(?:ed|s|ing|ure)?",
    approved: "pass",
    offered: ["PASS", "FAIL"],
  }),
};

/** A verdict line is short: a longer one states nothing. */
const MAX_VERDICT_LINE = 200;

/**
 * The one verdict that a review states on a line of its own, `REVIEW_RESULT: APPROVED` or `REVIEW_RESULT: REVISE`.
 *
 * Letter case and Markdown decoration (`**…**`, `- …`, `## …`, backticks, a full stop) do not matter. Lines in code
 * blocks, quotes, HTML comments and elements that hide, quote or strike (`<pre>`, `<s>`) do not count, nor does a line that offers both values. A line that states a value
 * with anything else beside it is no verdict, but contradicts a different one; a REVISE contradicts an APPROVED in
 * every spelling (`| RESULT = REVISE |`), and so does what takes an APPROVED back, or cannot be beside it. What a terminal would show differently, behind a bare carriage return,
 * control characters or characters without width, is no verdict.
 *
 * @returns undefined where there is no verdict or where lines contradict each other
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(parseReviewVerdict("Looks right.\n**REVIEW_RESULT: APPROVED**\n"), "APPROVED");
 * assertEquals(parseReviewVerdict("REVIEW_RESULT: APPROVED | REVISE"), undefined);
 * ```
 */
export function parseReviewVerdict(text: string): ReviewVerdict | undefined {
  return parseVerdict(text, REVIEW);
}

/**
 * The one verdict that a test report states on a line of its own, `RESULT: PASS` or `RESULT: FAIL`; the rules are those
 * of {@linkcode parseReviewVerdict}.
 *
 * @returns undefined where there is no verdict or where lines contradict each other
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(parseTestVerdict("result: pass"), "PASS");
 * assertEquals(parseTestVerdict("RESULT: PASS\nRESULT: FAIL"), undefined);
 * assertEquals(parseTestVerdict("> RESULT: PASS"), undefined);
 * ```
 */
export function parseTestVerdict(text: string): TestVerdict | undefined {
  return parseVerdict(text, TEST);
}

const CHOICE_LABEL = "CHOICE";

/**
 * The one letter that is stated on a line of its own, `CHOICE: B`, by the rules of {@linkcode parseReviewVerdict}.
 *
 * @returns undefined where there is none, or where lines name several
 */
export function parseChoice<Letter extends string>(text: string, letters: readonly Letter[]): Letter | undefined {
  if (HIDING.test(text)) return undefined;
  const said = readOwnLines(text).flatMap(({ text: line, plain }) => {
    const value = afterLabel(line, CHOICE_LABEL)?.toUpperCase();
    if (value === undefined) return [];
    return [plain ? letters.find((letter) => letter === value) : undefined];
  });
  const [choice, ...others] = new Set(said);
  return others.length === 0 ? choice : undefined;
}

/** How a prompt asks for it. */
export function choiceForm(letters: readonly string[]): string {
  return `The last line of your response is your choice and holds nothing else. Its form, with exactly one of the letters:
${CHOICE_LABEL}: ${letters.join(" | ")}`;
}

/** How a prompt asks for a verdict. Whoever repeats the line that offers both values states none. */
function askFor<V extends string>({ label, values }: VerdictForm<V>): string {
  return `The last line of your response is the verdict and holds nothing else. Its form, with exactly one of the two words:
${label}: ${values.join(" | ")}`;
}

export const REVIEW_VERDICT_FORM = askFor(REVIEW);
export const TEST_VERDICT_FORM = askFor(TEST);

/** What hides, overwrites or turns round other text: escape sequences but those of styles, and marks of direction. */
// deno-lint-ignore no-control-regex -- control sequences are the subject here
const HIDING = /\x1b(?!\[(?:(?:[0-79]|[1-9]\d+)?(?:[;:]|(?=m)))*m)|[\x80-\x9f\u202a-\u202e\u2066-\u2069]/;

function parseVerdict<V extends string>(text: string, form: VerdictForm<V>): V | undefined {
  if (HIDING.test(text.replaceAll(/[345]8[;:]5[;:]\d{1,3}/g, "0"))) return undefined;
  const stated = new Set<V>();
  const claimed = new Set<V>();
  const lines = readOwnLines(text);
  for (const { text: line, plain } of lines) {
    const said = afterLabel(line, form.label);
    if (said === undefined) continue;
    const value = form.values.find((value) => said.toUpperCase() === value);
    if (value !== undefined) {
      (plain && line.trimEnd().length <= MAX_VERDICT_LINE ? stated : claimed).add(value);
      continue;
    }
    const claim = isTemplate(said, form) ? undefined : claimOf(said, form);
    if (claim !== undefined) claimed.add(claim);
  }
  const [verdict, ...others] = [...new Set([...stated, ...claimed])];
  if (verdict === undefined || others.length > 0 || !stated.has(verdict)) return undefined;
  return verdict !== form.refusal && form.isRefused(lines.map(({ text }) => text)) ? undefined : verdict;
}

/** What follows `LABEL:` on a line that begins with it, both without Markdown decoration. */
function afterLabel(line: string, label: string): string | undefined {
  const bare = line.slice(0, MAX_VERDICT_LINE).replaceAll("\\_", "_")
    .replace(/^(?:#{1,6}|[-+*]|\d{1,3}[.)])[ \t]+/, "")
    .replace(/[*`]/g, "").replace(/^[ \t_]+/, "");
  if (bare.slice(0, label.length).toUpperCase() !== label) return undefined;
  const [separator] = /^_{0,3}[ \t]{0,3}:/.exec(bare.slice(label.length)) ?? [];
  if (separator === undefined) return undefined;
  return trimDecoration(bare.slice(label.length + separator.length));
}

function trimDecoration(text: string): string {
  const leading = /^[\s_]*/.exec(text)?.[0].length ?? 0;
  let end = text.length;
  while (end > leading && /[\s_.!,;]/.test(text.charAt(end - 1))) end--;
  return text.slice(leading, end);
}

/** Whether a line only offers the values, as `PASS or RESULT: FAIL`, `PASS | FAIL`, `<PASS/FAIL>`. */
function isTemplate<V extends string>(said: string, form: VerdictForm<V>): boolean {
  const words = said.toUpperCase().split(/[^A-Z_]+/).filter((word) => word !== "" && word !== "OR");
  const named = words.filter((word) => word !== form.label);
  return form.values.every((value) => named.includes(value)) &&
    named.every((word) => form.values.some((value) => word === value));
}

function claimOf<V extends string>(said: string, form: VerdictForm<V>): V | undefined {
  const [word] = /[a-z]+/.exec(said.toLowerCase()) ?? [];
  return word === undefined ? undefined : form.values.find((value) => word.startsWith(form.stems[value]));
}
