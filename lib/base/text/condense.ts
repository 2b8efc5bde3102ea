import { pathsIn } from "./paths_in.ts";

/** Options of {@linkcode condense}. */
interface CondenseOptions {
  /** Maximum lines of the result, including the marks for omissions; at least 1. */
  readonly maxLines: number;
  /** UTF-16 units above which the middle of a line is left out. @default {500} */
  readonly maxLineLength?: number;
}

const DEFAULT_MAX_LINE_LENGTH = 500;
/** The share of the lines that the beginning and the end each get first. */
const EDGE_SHARE = 0.2;

const HEADING = /^\s{0,3}(?:#{1,6}\s|[A-Z][A-Z_ ]{2,40}:|\*\*[^*]{1,80}\*\*:?\s*$)/;
const VERDICT = /\b(?:REVIEW_)?RESULT\s?:/i;
const ERROR =
  /\b(?:errors?|fail(?:s|ed|ure|ures|ing)?|exceptions?|panic(?:ked)?|traceback|assert\w{0,20}|expected|not ok|fatal|denied|timed? ?out)\b|\b\w{1,40}Error\b|✗|✘|❌/i;

/**
 * Reduces a text to a number of lines: its head and tail, its headings, verdicts, errors and lines with file paths, and
 * then as much of the rest as fits, from the top. Each omission is marked with its number of lines.
 *
 * A text that fits is returned unchanged, except for blank lines around it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(condense("a\nb\nc\nd\nError: e\nf\ng", { maxLines: 5 }), "a\n[3 lines left out]\nError: e\nf\ng");
 * assertEquals(condense("short\n", { maxLines: 5 }), "short");
 * ```
 */
export function condense(text: string, options: CondenseOptions): string {
  const maxLength = options.maxLineLength ?? DEFAULT_MAX_LINE_LENGTH;
  const lines = withoutBlankEdges(text.split("\n")).map((line) => shortened(line, maxLength));
  if (lines.length <= options.maxLines) return lines.join("\n");
  return withMarks(lines, choose(lines, options.maxLines));
}

/** Which lines to keep, so that with the marks between them they are at most `maxLines`. */
function choose(lines: readonly string[], maxLines: number): readonly boolean[] {
  const kept = lines.map(() => false);
  let used = 1;
  for (const index of byWorth(lines, maxLines)) {
    const before = index === 0 || kept[index - 1] === true;
    const after = index === lines.length - 1 || kept[index + 1] === true;
    const cost = before && after ? 0 : before || after ? 1 : 2;
    if (used + cost > maxLines) continue;
    used += cost;
    kept[index] = true;
  }
  // A mark for a single line would take the place of that line.
  return kept.map((isKept, index) => isKept || (kept[index - 1] === true && kept[index + 1] === true));
}

function byWorth(lines: readonly string[], maxLines: number): number[] {
  const edge = Math.max(1, Math.floor(maxLines * EDGE_SHARE));
  const worth = lines.map((line, index) => {
    if (line.trim() === "") return 6;
    if (index < edge || index >= lines.length - edge) return 0;
    if (VERDICT.test(line)) return 1;
    if (HEADING.test(line)) return 2;
    if (ERROR.test(line)) return 3;
    return pathsIn(line).length > 0 ? 4 : 5;
  });
  return lines.map((_, index) => index).sort((a, b) => worth[a]! - worth[b]! || a - b);
}

function withMarks(lines: readonly string[], kept: readonly boolean[]): string {
  const result: string[] = [];
  let left = 0;
  const mark = () => {
    if (left > 0) result.push(`[${left} lines left out]`);
    left = 0;
  };
  lines.forEach((line, index) => {
    if (kept[index] !== true) {
      left++;
      return;
    }
    mark();
    result.push(line);
  });
  mark();
  return result.join("\n");
}

function shortened(line: string, maxLength: number): string {
  if (line.length <= maxLength) return line;
  const half = Math.floor(maxLength / 2);
  const [head, tail] = [wholeCharacters(line.slice(0, half)), wholeCharacters(line.slice(-half))];
  return `${head}[${line.length - head.length - tail.length} characters left out]${tail}`;
}

/** Removes half a surrogate pair that a cut may have left. */
function wholeCharacters(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

function withoutBlankEdges(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}
