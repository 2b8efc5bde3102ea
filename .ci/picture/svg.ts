import { roleStyle, type Style } from "../../lib/cli/console/color.ts";
import { type Role, ROLES } from "../../lib/base/roles.ts";
import type { Part, PictureRow, Recording } from "./recording.ts";
import { playedTimes, type Step, stepsAnimation } from "./timing.ts";

/** Width of a column, height of a row and where a row's text stands on it, in pixels at 14 px. */
const COLUMN = 8.43;
const ROW = 19;
const BASELINE = 14;

/** Between the window's edge and its text. */
const MARGIN = 16;
const TITLE_BAR = 32;
const ROLE_BAR = 28;

/** Rows of the terminal while the agents' pane is open below it, with its live line, and rows of that pane. */
const LOG_ROWS = 13;
const PANE_ROWS = 15;

/** Rows of the terminal when the pane is closed. */
const ALL_ROWS = LOG_ROWS + PANE_ROWS + 1;

const FOREGROUND = "#e6edf3";
const BACKGROUND = "#0d1117";
const BAR = "#161b22";
const EDGE = "#30363d";

/** The terminal's sixteen colours. */
const PALETTE = [
  ...["#484f58", "#ff7b72", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#c9d1d9"],
  ...["#8b949e", "#ffa198", "#7ee787", "#f2cc60", "#a5d6ff", "#e2c5ff", "#b3f0ff", "#ffffff"],
];

/** The palette's colour of what the program's styles call so. */
const STYLE_COLORS: Partial<Record<Style, number>> = { cyan: 6, blue: 4, magenta: 5 };

/** What {@linkcode drawPicture} shows besides the recording. */
export interface PictureOptions {
  /** The command that was typed. */
  readonly typed: string;
}

/**
 * A recording as an SVG that plays itself over and over: a terminal, and below it the pane of the agent at work, which
 * closes at the end. It needs nothing but a monospaced font. Where motion is not wanted, and where nothing plays it, it
 * is a still of the last programmer at work.
 */
export function drawPicture(recording: Recording, { typed }: PictureOptions): string {
  const { columns } = recording;
  const times = playedTimes(recording);
  const log = [typedRow(typed), ...recording.log.map(({ row }) => row)];
  const still = times.at(recording.panes.findLast(({ role }) => role === "programmer")?.atMs ?? 0);
  const rows = new RowBook();

  const logSteps = times.log.map(([at], index): Step => {
    const room = at < times.end ? LOG_ROWS - 1 : ALL_ROWS;
    return [at, translated((room - index - 1) * ROW)];
  });
  const liveRows = unique(recording.live.map(({ row }) => row));
  const liveSteps = recording.live.map(({ atMs, row }): Step => [
    times.at(atMs),
    translated(-liveRows.findIndex((each) => isSame(each, row)) * ROW),
  ]);
  const frames = unique(recording.panes.map(({ rows: shown }) => croppedPane(shown)));
  const paneSteps = recording.panes.map(({ atMs, rows: shown }): Step => [
    times.at(atMs),
    translated(-frames.findIndex((frame) => isSame(frame, croppedPane(shown))) * PANE_ROWS * ROW),
  ]);
  const roleSteps = recording.panes.map(({ atMs, role }): Step => [
    times.at(atMs),
    translated(-ROLES.findIndex((each) => each === role) * ROLE_BAR),
  ]);
  const whileSteps: readonly Step[] = [[0, "visibility:visible"], [times.end, "visibility:hidden"]];

  const animation = (name: string, steps: readonly Step[]) =>
    stepsAnimation(name, { steps, durationMs: times.duration, stillMs: still });
  const width = Math.ceil(columns * COLUMN) + 2 * MARGIN;
  const top = TITLE_BAR + 8;
  const liveTop = top + (LOG_ROWS - 1) * ROW;
  const barTop = top + LOG_ROWS * ROW + 6;
  const paneTop = barTop + ROLE_BAR + 6;
  const height = paneTop + PANE_ROWS * ROW + 10;
  const inside = (y: number, rowCount: number, id: string) =>
    `<clipPath id="${id}"><rect y="${y}" width="${width}" height="${rowCount * ROW}"/></clipPath>`;

  const body = [
    `<g clip-path="url(#all)"><g transform="translate(${MARGIN} ${top})"><g id="log">`,
    ...log.map((row, index) => rows.place(row, index)),
    `</g></g></g>`,
    `<g id="while">`,
    `<rect x="1" y="${liveTop}" width="${width - 2}" height="${height - liveTop - 8}" fill="${BACKGROUND}"/>`,
    `<g clip-path="url(#row)"><g transform="translate(${MARGIN} ${liveTop})"><g id="live">`,
    ...liveRows.map((row, index) => rows.place(row, index)),
    `</g></g></g>`,
    `<path d="M0 ${barTop}h${width}v${ROLE_BAR}h-${width}z" fill="${BAR}" stroke="${EDGE}"/>`,
    `<g clip-path="url(#bar)"><g transform="translate(${MARGIN} ${barTop})"><g id="role">`,
    ...[...ROLES, undefined].map((role, index) => roleBar(role, index)),
    `</g></g></g>`,
    `<g clip-path="url(#pane)"><g transform="translate(${MARGIN} ${paneTop})"><g id="frames">`,
    ...frames.map((frame, index) =>
      `<g transform="translate(0 ${index * PANE_ROWS * ROW})">${
        frame.map((row, at) => rows.place(row, at)).join("")
      }</g>`
    ),
    `</g></g></g></g>`,
  ];
  return windowOf(body, {
    ...{ height, rows, typed, width, title: "panewright demo" },
    about: "A terminal in which the demo runs: five agents take turns, a test fails, the programmer tries " +
      "again, and the run ends with PASS. Below it, the tmux pane of the agent at work.",
    rules: [
      animation("log", logSteps),
      animation("live", liveSteps),
      animation("frames", [[0, translated(PANE_ROWS * ROW)], ...paneSteps]),
      animation("role", [[0, translated(-ROLES.length * ROLE_BAR)], ...roleSteps]),
      animation("while", whileSteps),
      `@media(prefers-reduced-motion:reduce){g{animation:none!important}}`,
    ],
    clips: [
      `<clipPath id="all"><rect y="${top}" width="${width}" height="${height - top - 10}"/></clipPath>`,
      inside(liveTop, 1, "row"),
      `<clipPath id="bar"><rect y="${barTop}" width="${width}" height="${ROLE_BAR}"/></clipPath>`,
      inside(paneTop, PANE_ROWS, "pane"),
    ],
  });
}

/** Rows of a terminal as an SVG that stands still. */
export function drawStill(
  shown: readonly PictureRow[],
  { about, columns, typed }: PictureOptions & { readonly about: string; readonly columns: number },
): string {
  const rows = new RowBook();
  const width = Math.ceil(columns * COLUMN) + 2 * MARGIN;
  const top = TITLE_BAR + 8;
  const placed = [typedRow(typed), ...shown].map((row, index) => rows.place(row, index));
  const body = [`<g transform="translate(${MARGIN} ${top})">`, ...placed, `</g>`];
  const height = top + placed.length * ROW + 12;
  return windowOf(body, { about, height, rows, title: "panewright", typed, width, rules: [], clips: [] });
}

/** The window of a terminal, around what is drawn in it. */
function windowOf(
  body: readonly string[],
  { about, clips, height, rows, rules, title, typed, width }: PictureOptions & {
    readonly about: string;
    readonly clips: readonly string[];
    readonly height: number;
    readonly rows: RowBook;
    readonly rules: readonly string[];
    readonly title: string;
    readonly width: number;
  },
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ` +
    `role="img" aria-labelledby="title about" xml:space="preserve">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="about">${escaped(about)}</desc>`,
    `<style>`,
    `text{font:14px ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;` +
    `fill:${FOREGROUND};white-space:pre}`,
    `.b{font-weight:700}.d{fill-opacity:.6}`,
    rows.colorRules(),
    ...rules,
    `</style>`,
    `<defs>`,
    ...clips,
    rows.definitions(),
    `</defs>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="${BACKGROUND}" stroke="${EDGE}"/>`,
    `<path d="M.5 ${TITLE_BAR}v-24a8 8 0 0 1 8-8h${width - 17}a8 8 0 0 1 8 8v24z" fill="${BAR}" stroke="${EDGE}"/>`,
    ...["#ff5f57", "#febc2e", "#28c840"].map((color, index) =>
      `<circle cx="${20 + index * 20}" cy="16" r="6" fill="${color}"/>`
    ),
    `<text x="${width / 2}" y="21" text-anchor="middle" class="d">${escaped(typed)}</text>`,
    ...body,
    `</svg>`,
    ``,
  ].join("\n");
}

function translated(y: number): string {
  return `transform:translateY(${y}px)`;
}

function typedRow(typed: string): PictureRow {
  return [
    { column: 0, text: "$", color: 2, isBold: true, isDim: false },
    { column: 2, text: typed, isBold: true, isDim: false },
  ];
}

/** The names of all agents, that of the one at work marked. */
function roleBar(atWork: Role | undefined, index: number): string {
  const y = index * ROLE_BAR;
  let x = 0;
  const names = ROLES.map((role) => {
    const width = role.length * COLUMN + 20;
    const color = PALETTE[STYLE_COLORS[roleStyle(role) ?? "strong"] ?? 7];
    const mark = role === atWork
      ? `<rect x="${round(x)}" y="${y + 4}" width="${round(width)}" height="20" rx="4" fill="${color}"/>`
      : "";
    const style = role === atWork ? ` class="b" style="fill:${BACKGROUND}"` : ` style="fill:${color}"`;
    const name = `${mark}<text x="${round(x + 10)}" y="${y + 19}"${style}>${role}</text>`;
    x += width + 6;
    return name;
  });
  return names.join("");
}

/** The lower part of a pane, where several blank rows count as one. */
function croppedPane(rows: readonly PictureRow[]): readonly PictureRow[] {
  const isBlank = (row: PictureRow | undefined) => row !== undefined && row.length === 0;
  const close = rows.filter((row, index) => !isBlank(row) || !isBlank(rows[index - 1]));
  return close.slice(-PANE_ROWS);
}

/** Rows of text, each of them defined once. */
class RowBook {
  readonly #ids = new Map<string, string>();
  readonly #colors = new Map<string, string>();

  /** The row at a place of a list of rows; nothing where it is blank. */
  place(row: PictureRow, index: number): string {
    if (row.length === 0) return "";
    const content = row.map((part) => this.#draw(part)).join("");
    const id = this.#ids.get(content) ?? `r${this.#ids.size.toString(36)}`;
    this.#ids.set(content, id);
    return `<use href="#${id}" y="${index * ROW + BASELINE}"/>`;
  }

  definitions(): string {
    return [...this.#ids].map(([content, id]) => `<text id="${id}">${content}</text>`).join("\n");
  }

  colorRules(): string {
    return [...this.#colors].map(([color, name]) => `.${name}{fill:${color}}`).join("");
  }

  #draw({ column, text, color, isBold, isDim }: Part): string {
    const start = column + text.length - text.trimStart().length;
    const classes = [...(color === undefined ? [] : [this.#colorClass(color)]), isBold ? "b" : "", isDim ? "d" : ""];
    const named = classes.filter((name) => name !== "").join(" ");
    return `<tspan x="${round(start * COLUMN)}"${named === "" ? "" : ` class="${named}"`}>${
      escaped(text.trim())
    }</tspan>`;
  }

  #colorClass(color: number | string): string {
    const value = typeof color === "string" ? color : PALETTE[color] ?? extendedColor(color);
    const name = this.#colors.get(value) ?? `c${this.#colors.size}`;
    this.#colors.set(value, name);
    return name;
  }
}

/** A colour of the cube or of the greys of 256 colours. */
function extendedColor(index: number): string {
  const level = (value: number) => value === 0 ? 0 : 55 + value * 40;
  const cube = index - 16;
  const channels = index >= 232
    ? Array(3).fill(8 + (index - 232) * 10)
    : [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
  return `#${channels.map((channel) => channel.toString(16).padStart(2, "0")).join("")}`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
