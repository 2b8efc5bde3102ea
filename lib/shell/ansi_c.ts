const SIMPLE = new Map(
  [..."abeEfnrtv\\'\"?"].map((letter, index) => [letter, "\x07\b\x1b\x1b\f\n\r\t\v\\'\"?"[index]]),
);
const NUMERIC = /[0-7]{1,3}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{1,4}|U[0-9A-Fa-f]{1,8}|c[\s\S]/y;

/**
 * Decodes bash's `$'…'`, up to and including the closing quote.
 *
 * @returns the text and the index after the quote; `undefined` without a closing quote
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(decodeAnsiC("a\\x41\\n'rest", { from: 0, end: 11 }), { text: "aA\n", end: 8 });
 * ```
 */
export function decodeAnsiC(
  source: string,
  range: { readonly from: number; readonly end: number },
): { readonly text: string; readonly end: number } | undefined {
  let text = "";
  for (let index = range.from; index < range.end;) {
    const next = source[index] as string;
    if (next === "'") return { text, end: index + 1 };
    if (next !== "\\" || index + 1 >= range.end) {
      text += next;
      index++;
      continue;
    }
    const escaped = source[index + 1] as string;
    NUMERIC.lastIndex = index + 1;
    const numeric = NUMERIC.exec(source)?.[0];
    text += SIMPLE.get(escaped) ?? (numeric === undefined ? `\\${escaped}` : decodeNumber(numeric));
    index += 1 + (SIMPLE.has(escaped) ? 1 : numeric?.length ?? 1);
  }
  return undefined;
}

function decodeNumber(text: string): string {
  if (text.startsWith("c")) return String.fromCharCode(text.charCodeAt(1) & 0x1f);
  const code = /^[0-7]/.test(text) ? parseInt(text, 8) & 0xff : parseInt(text.slice(1), 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}
