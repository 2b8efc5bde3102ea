/**
 * Text that can be pasted into a terminal program without acting as anything but text.
 *
 * Line ends become LF, tabs stay. Every other control character is replaced by its visible picture (ESC by `␛`), so that
 * neither the paste terminator `ESC [ 201 ~` nor any key or escape sequence can leave the paste. Half characters become
 * U+FFFD.
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
    // deno-lint-ignore no-control-regex -- control characters are what this is about
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, controlPicture);
}

function controlPicture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : "\ufffd";
}
