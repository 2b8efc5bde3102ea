// deno-lint-ignore-file no-control-regex -- control sequences are the subject here
const CONTROL = /[\x00-\x1f\x7f-\x9f]/;

const SGR = /\x1b\[[0-9;:]*m/g;

const ESC = 0x1b;
const BEL = 0x07;
const C1_DCS = 0x90, C1_SOS = 0x98, C1_CSI = 0x9b, C1_ST = 0x9c, C1_OSC = 0x9d, C1_PM = 0x9e, C1_APC = 0x9f;

/** Where the string of an OSC, DCS, SOS, PM or APC ends: after its terminator, or at the end of the row. */
function endOfString(raw: string, from: number): number {
  for (let i = from; i < raw.length; i++) {
    const code = raw.charCodeAt(i);
    if (code === BEL || code === C1_ST) return i + 1;
    if (code === ESC) return raw.charCodeAt(i + 1) === 0x5c ? i + 2 : i;
  }
  return raw.length;
}

/**
 * Where a control sequence ends, given the index of its first parameter; a truncated one ends before the first
 * character that cannot be part of it.
 */
function endOfCsi(raw: string, from: number): number {
  let i = from;
  while (i < raw.length) {
    const code = raw.charCodeAt(i);
    if (code >= 0x40 && code <= 0x7e) return i + 1;
    if (code < 0x20 || code > 0x7e) return i;
    i++;
  }
  return i;
}

/** Where the control character or sequence at `at` ends. */
function endOfControl(raw: string, at: number): number {
  const code = raw.charCodeAt(at);
  if (code === C1_CSI) return endOfCsi(raw, at + 1);
  if (code === C1_DCS || code === C1_SOS || code === C1_OSC || code === C1_PM || code === C1_APC) {
    return endOfString(raw, at + 1);
  }
  if (code !== ESC) return at + 1;
  const next = raw.charCodeAt(at + 1);
  if (next === 0x5b) return endOfCsi(raw, at + 2);
  if (next === 0x5d || next === 0x50 || next === 0x58 || next === 0x5e || next === 0x5f) {
    return endOfString(raw, at + 2);
  }
  let i = at + 1;
  while (i < raw.length && raw.charCodeAt(i) >= 0x20 && raw.charCodeAt(i) <= 0x2f) i++;
  const final = raw.charCodeAt(i);
  return final >= 0x30 && final <= 0x7e ? i + 1 : i;
}

/** Calls back for each run of plain text and each SGR sequence of a row, in order. */
export function scanRow(
  raw: string,
  onText: (start: number, end: number) => void,
  onSgr: (params: string) => void,
): void {
  let textFrom = 0;
  let i = 0;
  while (i < raw.length) {
    const code = raw.charCodeAt(i);
    if (code >= 0x20 && code < 0x7f || code > 0x9f) {
      i++;
      continue;
    }
    if (i > textFrom) onText(textFrom, i);
    const end = endOfControl(raw, i);
    if (raw.charCodeAt(end - 1) === 0x6d) {
      if (code === ESC && raw.charCodeAt(i + 1) === 0x5b) onSgr(raw.slice(i + 2, end - 1));
      else if (code === C1_CSI) onSgr(raw.slice(i + 1, end - 1));
    }
    textFrom = i = end;
  }
  if (i > textFrom) onText(textFrom, i);
}

/**
 * A row's text without control characters and sequences, even truncated ones.
 *
 * A tab becomes one blank; a string sequence (OSC, DCS, …) without a terminator ends with the row.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(plainRow("\x1b[1m›\x1b[0m \x1b[2mAsk\x1b["), "› Ask");
 * ```
 */
export function plainRow(raw: string): string {
  if (!CONTROL.test(raw)) return raw;
  // Most rows contain no control characters other than complete style sequences.
  const unstyled = raw.replace(SGR, "");
  if (!CONTROL.test(unstyled)) return unstyled;
  if (raw.includes("\t")) raw = raw.replaceAll("\t", " ");
  let text = "";
  scanRow(raw, (start, end) => text += raw.slice(start, end), () => {});
  return text;
}
