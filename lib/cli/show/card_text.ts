import type { Card } from "../../api/card/card.ts";
import { type CardLine, headOf, sectionsOf } from "../../api/card/sections.ts";
import { displayWidth } from "../../base/text/display_width.ts";
import { sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";
import type { Tone } from "../../journal/words/lines.ts";
import { paint, type Style } from "../console/color.ts";
import { MAX_COLUMNS, padEnd, wrap } from "../console/layout.ts";

interface CardTextOptions {
  readonly columns: number;
  readonly color: boolean;
  /** How a person calls panewright: `panewright apply fix-it`. */
  readonly commandOf: (words: readonly string[]) => string;
}

const LABEL = 12;
const VERB = 10;
const TASK_ROWS = 3;

/** A card for a terminal. */
export function cardText(card: Card, { color, columns, commandOf }: CardTextOptions): string {
  const width = Math.max(40, Math.min(columns, MAX_COLUMNS));
  const whole = (words: readonly string[]) =>
    commandOf(words.filter((word) => word !== "…")) + (words.includes("…") ? ' "…"' : "");
  const { facts, mark, tone, word } = headOf(card);
  const first = `${mark} ${word}`;
  const task = sanitizeText(card.task).split("\n").filter((row) => row.trim() !== "");
  const shown = task.slice(0, TASK_ROWS).flatMap((row) => wrap(row, width - 2)).slice(0, TASK_ROWS);
  return [
    aside(`${paint(first, styleOf(tone), color)}  ${paint(sanitizeLine(card.name), "strong", color)}`, {
      ...{ left: `${first}  ${card.name}`, right: facts, width },
    }),
    ...shown.map((row) => `  ${row}`),
    "",
    ...sectionsOf(card).flatMap(({ label, lines }) =>
      lines.flatMap((line, index) => rowsOf(line, { label: index === 0 ? label : "", color, width, whole }))
    ),
    ...actionRows(card, { width, whole }),
  ].map((row) => `${row.trimEnd()}\n`).join("");
}

interface Laying {
  readonly width: number;
  readonly whole: (words: readonly string[]) => string;
}

function rowsOf(
  { text, tone = "plain", words }: CardLine,
  { color, label, width, whole }: Laying & { readonly label: string; readonly color: boolean },
): readonly string[] {
  const plain = sanitizeLine(text);
  const rows = /^\s/.test(text) ? [`${text.match(/^\s*/)?.[0]}${plain.trimStart()}`] : wrap(plain, width - LABEL);
  const [first = "", ...rest] = rows.map((row) => paint(row, styleOf(tone), color));
  const head = `  ${padEnd(label, LABEL - 2)}${first}`;
  const left = `  ${padEnd(label, LABEL - 2)}${rows[0] ?? ""}`;
  return [
    ...(words === undefined ? [head] : aside(head, { left, right: whole(words), width }).split("\n")),
    ...rest.map((row) => `${" ".repeat(LABEL)}${row}`),
  ];
}

/** A row with something at its right end; below it where there is no room. */
function aside(
  shown: string,
  { left, right, width }: { readonly left: string; readonly right: string; readonly width: number },
): string {
  const room = width - displayWidth(left) - displayWidth(right);
  return room >= 2 ? `${shown}${" ".repeat(room)}${right}` : `${shown}\n${" ".repeat(LABEL)}${right}`;
}

function actionRows({ next }: Card, { width, whole }: Laying): readonly string[] {
  if (next.length === 0) return [];
  const does = Math.max(...next.map((one) => displayWidth(one.does)));
  const widest = Math.max(...next.map(({ words }) => displayWidth(whole(words))));
  const isWide = 2 + VERB + does + 3 + widest <= width;
  const rows = next.flatMap(({ does: what, verb, words }) => {
    const head = `  ${padEnd(verb, VERB)}${isWide ? padEnd(what, does + 3) : what}`;
    return isWide ? [`${head}${whole(words)}`] : [head, `${" ".repeat(LABEL)}${whole(words)}`];
  });
  return ["", ...rows];
}

function styleOf(tone: Tone): Style | undefined {
  return tone === "plain" ? undefined : tone === "heading" ? "strong" : tone;
}
