import { readCorpus } from "../../lib/recordings/corpus.ts";
import type { Recording } from "../../lib/recordings/recording.ts";
import { plainRow } from "../../lib/text/ansi.ts";
import type { Row, Screen, Style } from "../../lib/screen/mod.ts";

const CORPUS = new URL("../../fixtures/screens", import.meta.url).pathname;

const read = new Map<string, Promise<readonly Recording[]>>();

/** Every recording of a provider; read once for each test file. */
export function recordingsOf(provider: string): Promise<readonly Recording[]> {
  return read.getOrInsertComputed(
    provider,
    async () => (await Array.fromAsync(readCorpus(`${CORPUS}/${provider}`))).map(({ recording }) => recording),
  );
}

function sgr(style: Style): string {
  const params = ["0"];
  if (style.bold) params.push("1");
  if (style.dim) params.push("2");
  if (style.italic) params.push("3");
  if (style.underline) params.push("4");
  if (style.reverse) params.push("7");
  for (const [color, code] of [[style.foreground, 38], [style.background, 48]] as const) {
    if (typeof color === "number") params.push(`${code};5;${color}`);
    if (typeof color !== "string") continue;
    const rgb = parseInt(color.slice(1), 16);
    params.push(`${code};2;${rgb >> 16};${rgb >> 8 & 255};${rgb & 255}`);
  }
  return `\x1b[${params.join(";")}m`;
}

/** A row that looks the same wherever it is put: its style is its own. */
export function standAlone(row: Row): string {
  const text = plainRow(row.raw);
  return `${row.spans.map(({ start, end, style }) => sgr(style) + text.slice(start, end)).join("")}\x1b[0m`;
}

/** The rows of a screen without style and without the blank ones below, as text. */
export function plainRows({ rows }: Screen): readonly string[] {
  const texts = rows.map(({ text }) => text);
  while (texts.at(-1)?.trim() === "") texts.pop();
  return texts;
}

// deno-lint-ignore no-control-regex
const SGR = /\x1b\[[0-9;:]*m/g;

/** A capture without any style. */
export function stripStyle(ansi: string): string {
  return ansi.replaceAll(SGR, "");
}

/** A capture as a terminal shows it that was made narrower: longer rows go on in the next one. */
export function rewrap(ansi: string, width: number): string {
  return ansi.split("\n").map((line) => {
    let out = "";
    let column = 0;
    const inked = stripStyle(line).trimEnd().length;
    let seen = 0;
    // deno-lint-ignore no-control-regex
    for (const part of line.split(/(\x1b\[[0-9;:]*m)/)) {
      if (part.startsWith("\x1b")) {
        out += part;
        continue;
      }
      for (const character of part) {
        if (column >= width && seen < inked) {
          out += "\n";
          column = 0;
        }
        out += character;
        column++;
        seen += character.length;
      }
    }
    return out;
  }).join("\n");
}

/** What captures are filled with that are meant to keep a detector busy. */
export const HOSTILE_UNITS: readonly string[] = [
  "\n",
  " ",
  "›\n",
  "  1. x\n",
  "\x1b[1m› 1. x\n",
  "\x1b[1;2;38;5;1m› 1. (1s • … ",
  "\x1b[",
  "\x1b]0;x",
  "\x1b[1m",
  "\x1b[1;",
  "(",
  "• (",
  "• (\n",
  "• (1s\n",
  "* a…",
  "─\n",
  "❯\u00a0\n─\n",
  "      a\n",
  "Allow ",
  "Do you want to ",
  "\x1b[1m❯\x1b[0m ax\n",
  "  $ a\n",
  "  └ a (+1 -\n",
];

/** A capture of 1 MB that is filled with a text. */
export function hostileCapture(unit: string): string {
  return unit.repeat(Math.ceil(1_000_000 / unit.length)).slice(0, 1_000_000);
}
