// deno-lint-ignore-file no-control-regex -- control characters are the subject here

/** Control characters, and the invisible ones that hide or reorder text; U+2065 is reserved to become one of them. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2065]/gu;
const UNSAFE_BUT_LAYOUT = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u2065]/gu;

/**
 * Foreign text made safe for a person's terminal: control characters, and invisible ones that reorder or hide text,
 * become visible escapes. Newlines and tabs stay.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(sanitizeText("a\x1b[2Jb\r\n"), "a\\x1b[2Jb\\r\n");
 * ```
 */
export function sanitizeText(text: string): string {
  return text.replaceAll(UNSAFE_BUT_LAYOUT, visibleEscape);
}

/**
 * Foreign text made safe for one row of a person's terminal: like {@linkcode sanitizeText}, but newlines and tabs
 * become escapes too.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(sanitizeLine("a\tb\nc\u{e0041}"), "a\\tb\\nc\\u{e0041}");
 * ```
 */
export function sanitizeLine(text: string): string {
  return text.replaceAll(UNSAFE, visibleEscape);
}

/**
 * A value as one line of JSON with its newline, in which every character that a terminal could act on is an escape.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(jsonLine({ text: "a\x1b[2J\u009b" }), '{"text":"a\\u001b[2J\\u009b"}\n');
 * ```
 */
export function jsonLine(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return `${JSON.stringify(value).replaceAll(UNSAFE, (character) => character.split("").map(escaped).join(""))}\n`;
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = { "\r": "\\r", "\n": "\\n", "\t": "\\t" };

function visibleEscape(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  return NAMED_ESCAPES[character] ??
    (code < 0x100 ? `\\x${hex.padStart(2, "0")}` : code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\u{${hex}}`);
}

/**
 * Text made safe for a pane: pasted into a terminal program, it acts as nothing but text.
 *
 * Line ends become LF, tabs stay. Every other control character is replaced by its visible picture (ESC by `␛`), so
 * that neither the paste terminator `ESC [ 201 ~` nor any key or escape sequence can leave the paste. Lone surrogates
 * become U+FFFD.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(sanitizePaste("one\r\ntwo\tx\u001b[201~\u0003"), "one\ntwo\tx␛[201~␃");
 * ```
 */
export function sanitizePaste(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, controlPicture);
}

function controlPicture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}

const OSC_OR_STRING = /\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?/g;
const CSI = /\x1b\[[0-?]*[ -/]*[@-~]?/g;
const OTHER_ESCAPE = /\x1b[ -/]*[0-~]?/g;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g;

/**
 * Text of agents and programs made safe for a file, a prompt or a journal. Line ends are `\n`, a line that was
 * overwritten with carriage returns keeps its last state, and escape sequences and control characters are removed.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(plainText("\x1b[31mred\x1b[0m\r\n10%\r100%\n"), "red\n100%\n");
 * ```
 */
export function plainText(text: string): string {
  const bare = text.replace(OSC_OR_STRING, "").replace(CSI, "").replace(OTHER_ESCAPE, "").replaceAll("\r\n", "\n");
  return bare.split("\n").map(lastOverwrite).join("\n").replace(CONTROL, "");
}

function lastOverwrite(line: string): string {
  if (!line.includes("\r")) return line;
  return line.split("\r").findLast((part) => part !== "") ?? "";
}
