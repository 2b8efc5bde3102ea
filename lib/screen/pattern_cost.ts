import { ANY_CHARACTER, type CharacterSet, overlaps, parsePattern, type PatternNode, unite } from "./pattern_tree.ts";
import { errorText } from "../text/error_text.ts";

/** How long a text may be that a rule's pattern meets: rows and titles are cut at this length. */
export const MAX_PATTERN_TEXT = 1000;

/** How many steps a pattern may take on the worst text: some ten milliseconds. */
export const MAX_PATTERN_STEPS = 10_000_000;

/** How long a pattern may be. */
const MAX_PATTERN_LENGTH = 500;

/** What a pattern's part can cost, when it is entered once. */
interface Cost {
  /** In how many ways it can match, at most: each of them may be tried when what follows does not match. */
  readonly ways: number;
  readonly steps: number;
}

/** What a part can begin with. */
interface Beginning {
  readonly set: CharacterSet;
  /** Whether it can match without taking a character. */
  readonly empty: boolean;
}

/** Why a pattern is refused; the message goes on after the pattern's name. */
class UnsafePattern extends Error {}

function beginningOf(node: PatternNode): Beginning {
  switch (node.kind) {
    case "characters":
      return { set: node.set, empty: false };
    case "sequence":
      return beginningOfSequence(node.items, { set: [], empty: true });
    case "alternatives": {
      const all = node.alternatives.map(beginningOf);
      return { set: unite(all.map(({ set }) => set)), empty: all.some(({ empty }) => empty) };
    }
    case "repeat": {
      const { set, empty } = beginningOf(node.body);
      return { set, empty: empty || node.min === 0 };
    }
    case "group":
      return beginningOf(node.body);
    case "edge":
      // Nothing follows the end. The other edges can hold anywhere.
      return node.edge === "end" ? { set: [], empty: false } : { set: ANY_CHARACTER, empty: true };
    case "look":
    case "reference":
      return { set: ANY_CHARACTER, empty: true };
  }
}

function beginningOfSequence(items: readonly PatternNode[], follow: Beginning): Beginning {
  const sets: CharacterSet[] = [];
  for (const item of items) {
    const { set, empty } = beginningOf(item);
    sets.push(set);
    if (!empty) return { set: unite(sets), empty: false };
  }
  return { set: unite([...sets, follow.set]), empty: follow.empty };
}

/** How many characters a part takes, where that is always the same number. */
function fixedLength(node: PatternNode): number | undefined {
  switch (node.kind) {
    case "characters":
      return 1;
    case "sequence": {
      const lengths = node.items.map(fixedLength);
      return lengths.includes(undefined) ? undefined : lengths.reduce<number>((sum, each) => sum + (each ?? 0), 0);
    }
    case "alternatives":
      return node.alternatives.every((each) => isSingleCharacter(each)) ? 1 : undefined;
    case "repeat": {
      const length = fixedLength(node.body);
      return node.min === node.max && length !== undefined ? length * node.min : undefined;
    }
    case "group":
      return fixedLength(node.body);
    case "edge":
      return 0;
    case "look":
    case "reference":
      return undefined;
  }
}

/** A part that is one character; alternatives of such parts are no more than a set of characters. */
function isSingleCharacter(node: PatternNode): boolean {
  if (node.kind === "characters") return true;
  if (node.kind === "sequence") return node.items.length === 1 && isSingleCharacter(node.items[0] as PatternNode);
  return node.kind === "group" && isSingleCharacter(node.body);
}

function costOf(node: PatternNode, follow: Beginning): Cost {
  switch (node.kind) {
    case "characters":
    case "edge":
      return { ways: 1, steps: 1 };
    case "group":
      return costOf(node.body, follow);
    case "reference":
      throw new UnsafePattern("must not refer back to a group (\\1, \\k<name>)");
    case "look":
      // Looking back goes from right to left, which nothing here reckons with.
      if (!node.ahead && fixedLength(node.body) === undefined) {
        throw new UnsafePattern("must not look back ((?<= ), (?<! )) at what has no fixed length");
      }
      return { ways: 1, steps: costOf(node.body, { set: ANY_CHARACTER, empty: true }).steps };
    case "sequence": {
      let ways = 1;
      let steps = 0;
      for (const [index, item] of node.items.entries()) {
        const cost = costOf(item, beginningOfSequence(node.items.slice(index + 1), follow));
        steps += ways * cost.steps;
        ways *= cost.ways;
      }
      return { ways, steps };
    }
    case "alternatives":
      return costOfAlternatives(node.alternatives, follow);
    case "repeat":
      return costOfRepeat(node, follow);
  }
}

function costOfAlternatives(alternatives: readonly PatternNode[], follow: Beginning): Cost {
  const costs = alternatives.map((each) => costOf(each, follow));
  const beginnings = alternatives.map(beginningOf);
  const distinct = beginnings.every(({ set, empty }, index) =>
    !empty && beginnings.slice(index + 1).every((other) => !overlaps(set, other.set))
  );
  const ways = costs.map((cost) => cost.ways);
  return {
    ways: distinct ? Math.max(...ways) : ways.reduce((sum, each) => sum + each, 0),
    steps: costs.reduce((sum, { steps }) => sum + steps, 0),
  };
}

/**
 * A repetition can end in one way only where what follows cannot begin like another round: then it goes on as long as it
 * can. Otherwise each number of rounds is a way.
 */
function costOfRepeat({ body, min, max }: PatternNode & { kind: "repeat" }, follow: Beginning): Cost {
  const inner = costOf(body, { set: unite([follow.set, beginningOf(body).set]), empty: follow.empty });
  const begins = beginningOf(body);
  const sure = !begins.empty && !overlaps(begins.set, follow.set);
  if (max <= 1) {
    return { ways: sure ? inner.ways : min === 0 ? inner.ways + 1 : inner.ways, steps: inner.steps + 1 };
  }
  const length = fixedLength(body);
  if (length === undefined || length === 0 || inner.ways > 1) {
    throw new UnsafePattern(
      "must not repeat what can match in more than one way: within ( )*, ( )+ and ( ){n} there can be no other repetition, " +
        "nothing optional, and no alternatives but different characters",
    );
  }
  const rounds = Math.min(max, Math.ceil(MAX_PATTERN_TEXT / length));
  return { ways: sure ? 1 : Math.max(1, rounds - min + 1), steps: rounds * (inner.steps + 1) };
}

/** Whether a match can begin at the start of the text only. */
function isAnchored(node: PatternNode): boolean {
  switch (node.kind) {
    case "edge":
      return node.edge === "start";
    case "sequence":
      return node.items[0] !== undefined && isAnchored(node.items[0]);
    case "alternatives":
      return node.alternatives.every(isAnchored);
    case "group":
      return isAnchored(node.body);
    default:
      return false;
  }
}

/**
 * How many steps a backtracking matcher needs for a pattern at most, on any text of 1,000 characters: an upper bound, from
 * the pattern alone. A repetition counts once where what follows it cannot begin like another round of it, and with each of
 * its lengths otherwise.
 *
 * @throws {SyntaxError} for a pattern with parts that are not supported
 * @throws {Error} for one that can match the same text in too many ways to tell
 * @example
 * ```ts
 * import { assert, assertThrows } from "@std/assert";
 * assert(worstSteps("^• .* \\((\\d+)s") <= MAX_PATTERN_STEPS);
 * assert(worstSteps(".*a.*b.*c") > MAX_PATTERN_STEPS);
 * assertThrows(() => worstSteps("^(a|ab)*$"));
 * ```
 */
export function worstSteps(source: string): number {
  const tree = parsePattern(source);
  const { steps } = costOf(tree, { set: [], empty: false });
  return isAnchored(tree) ? steps : steps * MAX_PATTERN_TEXT;
}

/**
 * Says what is wrong with a pattern that a person wrote, as the end of a sentence that begins with its name: it is no
 * regular expression, or hostile text could keep it busy. Nothing for a pattern that may be used.
 *
 * Every pattern that is let through needs a bounded number of steps; some harmless ones are refused as well.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(patternProblem("^• Working"), undefined);
 * assertEquals(patternProblem("("), "is no regular expression: Unterminated group");
 * assertEquals(patternProblem("(a+)+$")?.slice(0, 47), "could take very long on some texts: it must not");
 * ```
 */
export function patternProblem(source: string): string | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return `must have at most ${MAX_PATTERN_LENGTH} characters`;
  try {
    new RegExp(source, "u");
  } catch (error) {
    const reason = errorText(error).split(": ").at(-1);
    return `is no regular expression: ${reason}`;
  }
  try {
    if (worstSteps(source) <= MAX_PATTERN_STEPS) return undefined;
    return "could take very long on some texts: begin it with ^, and use fewer of .* and .+, or give them an end that " +
      "they cannot contain, as in [^(]*\\(";
  } catch (error) {
    if (error instanceof UnsafePattern) return `could take very long on some texts: it ${error.message}`;
    if (error instanceof SyntaxError) return `cannot be checked: ${error.message}`;
    throw error;
  }
}
