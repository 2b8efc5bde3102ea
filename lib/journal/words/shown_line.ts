import { cut } from "../../base/text/display_width.ts";
import { oneLine } from "../../base/text/lines.ts";
import { sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";

export type Tone = "plain" | "heading" | "good" | "bad" | "caution";

/**
 * Who is shown a line.
 *
 * - `result`: it belongs to standard output; `always`: also with `--quiet`
 * - `normal`: without flags; `detail`: with `--verbose` only
 * - `log`: like `detail`, and without flags where no live line shows it
 */
type Importance = "result" | "always" | "normal" | "log" | "detail";

/** One fact for a person. Its text holds nothing that a terminal would act upon; it may be several lines. */
export interface ShownLine {
  readonly text: string;
  readonly tone: Tone;
  readonly importance: Importance;
}

export function line(value: string, tone: Tone = "plain", importance: Importance = "normal"): ShownLine {
  return { text: sanitizeLine(value), tone, importance };
}

export function paragraph(value: string, tone: Tone = "plain", importance: Importance = "normal"): ShownLine {
  return { text: sanitizeText(value), tone, importance };
}

export function detail(value: string): ShownLine {
  return line(value, "plain", "detail");
}

export function note(why: string | undefined): string {
  return why === undefined || why === "" ? "" : `: ${why}`;
}

const ACTIVITY_WIDTH = 160;

/** A text of an agent's in one line that is not too long. */
export function shortened(value: string): string {
  return cut(sanitizeLine(oneLine(value)), ACTIVITY_WIDTH);
}

export function outputOf(output: string): readonly ShownLine[] {
  return output === "" ? [] : [paragraph(output, "plain", "detail")];
}
