import type { Condition } from "../../run/condition.ts";

export const COLOR_CHOICES = ["auto", "always", "never"] as const;

export type ColorChoice = typeof COLOR_CHOICES[number];

export interface Colors {
  readonly stdout: boolean;
  readonly stderr: boolean;
}

interface ColorSurroundings {
  env(name: string): string | undefined;
  readonly isTerminal: Colors;
}

export const NO_COLORS: Colors = { stdout: false, stderr: false };

/**
 * Which streams are coloured. `--color` decides; without it `NO_COLOR`, which means none whatever its value
 * (https://no-color.org); then `FORCE_COLOR`, which means both, or none where it is `0` or `false`; otherwise each
 * stream that is a terminal, unless `TERM` is `dumb`. A variable that is empty counts as not set.
 */
export function colorsOf(choice: ColorChoice, { env, isTerminal }: ColorSurroundings): Colors {
  const everywhere = (on: boolean): Colors => ({ stdout: on, stderr: on });
  if (choice !== "auto") return everywhere(choice === "always");
  if ((env("NO_COLOR") ?? "") !== "") return NO_COLORS;
  const forced = env("FORCE_COLOR") ?? "";
  if (forced !== "") return everywhere(forced !== "0" && forced !== "false");
  return canMoveCursor({ env }) ? { stdout: isTerminal.stdout, stderr: isTerminal.stderr } : NO_COLORS;
}

/** Whether a terminal, where there is one, understands control sequences: `TERM=dumb` says that it does not. */
export function canMoveCursor({ env }: Pick<ColorSurroundings, "env">): boolean {
  return env("TERM") !== "dumb";
}

export type Style = "good" | "bad" | "caution" | "error" | "strong" | "faint" | "cyan" | "blue" | "magenta";

const SGR: Readonly<Record<Style, string>> = {
  good: "32",
  bad: "31",
  caution: "33",
  error: "1;31",
  strong: "1",
  faint: "2",
  cyan: "36",
  blue: "34",
  magenta: "35",
};

/** A text in its style, row by row, so that a pager that shows some of the rows shows them right. */
export function paint(text: string, style: Style | undefined, color: boolean): string {
  if (!color || style === undefined || text === "") return text;
  return `\x1b[${SGR[style]}m${text.replaceAll("\n", `\x1b[0m\n\x1b[${SGR[style]}m`)}\x1b[0m`;
}

/** The style of a role: who reviews has the colour of whose work it is. Undefined for other names. */
export function roleStyle(name: string): Style | undefined {
  return ROLE_STYLES.get(name.replace(/_review$/, ""));
}

const ROLE_STYLES: ReadonlyMap<string, Style> = new Map([
  ["analyst", "cyan"],
  ["programmer", "blue"],
  ["tester", "magenta"],
]);

/** A text in its style, but for the name of a role with which it may begin: that has the role's. */
export function paintAfterRole(text: string, style: Style | undefined, color: boolean): string {
  const [name = ""] = /^\w+/.exec(text) ?? [];
  const role = roleStyle(name);
  return role === undefined
    ? paint(text, style, color)
    : paint(name, role, color) + paint(text.slice(name.length), style, color);
}

export function conditionStyle(condition: Condition): Style | undefined {
  switch (condition) {
    case "running":
      return "strong";
    case "passed":
      return "good";
    case "waiting":
    case "stopped":
    case "needs_person":
      return "caution";
    case "failed":
    case "killed":
    case "error":
    case "unreadable":
      return "bad";
    case "empty":
      return undefined;
  }
}
