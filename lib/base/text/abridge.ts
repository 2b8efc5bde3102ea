/** Of what is kept, the beginning has this share: what a text is about, and most of it; conclusions are at the end. */
const HEAD_SHARE = 2 / 3;

/**
 * A text of about `maxChars` UTF-16 units: its beginning and its end, cut between lines where they are not too long,
 * and a line between them that says how much was left out. One that fits is returned unchanged.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(abridge("one\ntwo\nthree\nfour\nfive", { maxChars: 12 }), "one\ntwo\n[2 lines left out, 11 characters]\nfive");
 * assertEquals(abridge("short", { maxChars: 12 }), "short");
 * ```
 */
export function abridge(text: string, { maxChars }: { readonly maxChars: number }): string {
  if (text.length <= maxChars) return text;
  const headLimit = Math.ceil(maxChars * HEAD_SHARE);
  const tailLimit = maxChars - headLimit;
  const head = headOf(text, headLimit);
  const tail = tailOf(text, tailLimit);
  const left = text.slice(head.length, text.length - tail.length);
  const lines = left.split("\n").length - 1;
  const what = lines === 0 ? "" : `${lines} ${lines === 1 ? "line" : "lines"} left out, `;
  const mark = `[${what}${left.length} characters${lines === 0 ? " left out" : ""}]`;
  return `${head}${head.endsWith("\n") || head === "" ? "" : "\n"}${mark}\n${tail}`;
}

/** The beginning, up to a line end unless the last line takes more than half of it. */
function headOf(text: string, limit: number): string {
  const end = text.lastIndexOf("\n", limit - 1) + 1;
  if (end > limit / 2) return text.slice(0, end);
  // Half of a surrogate pair is no character.
  return text.slice(0, limit).replace(/[\ud800-\udbff]$/, "");
}

/** The end, from the beginning of a line unless the first one takes more than half of it. */
function tailOf(text: string, limit: number): string {
  const from = text.length - limit;
  const start = text.indexOf("\n", from - 1) + 1;
  if (start > 0 && start - from < limit / 2) return text.slice(start);
  return text.slice(from).replace(/^[\udc00-\udfff]/, "");
}
