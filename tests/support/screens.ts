import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import type { Recording } from "../../lib/lab/recordings/recording.ts";
import { plainRow } from "../../lib/base/text/ansi.ts";
import type { Color, Row, Screen, Style } from "../../lib/screen/mod.ts";

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

/** A colour as `foreground` or `background`, or none. */
export type Recolor = (color: Color) => Color | undefined;

function recolorParams(params: readonly string[], recolor: Recolor): readonly string[] {
  const out: string[] = [];
  const put = (ground: 38 | 48, color: Color) => {
    const changed = recolor(color);
    if (typeof changed === "number") out.push(`${ground}`, "5", `${changed}`);
    if (typeof changed !== "string") return;
    const rgb = parseInt(changed.slice(1), 16);
    out.push(`${ground}`, "2", `${rgb >> 16}`, `${rgb >> 8 & 255}`, `${rgb & 255}`);
  };
  for (let at = 0; at < params.length; at++) {
    const code = Number(params[at]);
    const ground = code === 38 || code >= 30 && code <= 37 || code >= 90 && code <= 97 ? 38 : 48;
    if (code === 38 || code === 48) {
      if (params[at + 1] === "5") put(ground, Number(params[at + 2]));
      else {put(
          ground,
          `#${params.slice(at + 2, at + 5).map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`,
        );}
      at += params[at + 1] === "5" ? 2 : 4;
    } else if (code >= 30 && code <= 37 || code >= 40 && code <= 47) put(ground, code % 10);
    else if (code >= 90 && code <= 97 || code >= 100 && code <= 107) put(ground, code % 10 + 8);
    else out.push(params[at] ?? "0");
  }
  return out;
}

/** A capture in other colours, or without any; bold, dim, italic, underlined and reverse stay. */
export function recolored(ansi: string, recolor: Recolor): string {
  // deno-lint-ignore no-control-regex
  return ansi.replaceAll(/\x1b\[([0-9;]*)m/g, (_, params: string) => {
    const left = recolorParams(params.split(";"), recolor);
    return left.length === 0 ? "" : `\x1b[${left.join(";")}m`;
  });
}
