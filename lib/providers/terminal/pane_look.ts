import { type Classification, classifyScene, createScene } from "../../screen/classify.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import type { Composer } from "../../screen/regions.ts";
import type { RulePack } from "../../screen/rules.ts";
import type { RowRange, Screen } from "../../screen/screen.ts";
import { lastLines } from "../../text/lines.ts";

/** One look at an agent's pane: what it shows, and what that means. */
export interface PaneLook {
  readonly screen: Screen;
  readonly classification: Classification;
  /** `undefined` where no prompt can be typed. */
  readonly composer: Composer | undefined;
  /** The rows below the composer. */
  readonly footer: RowRange;
  /** The row on which a dialog begins; `undefined` where there is none. */
  readonly dialogRow: number | undefined;
}

/** Reads a screen with a provider's rules. */
export function readScreen(screen: Screen, rules: RulePack): PaneLook {
  const scene = createScene(screen, rules);
  const { composer, dialog, footer } = scene.regions;
  return { screen, classification: classifyScene(scene, rules), composer, footer, dialogRow: dialog?.first };
}

/** The dialog that waits for an answer at this moment; `undefined` where none does, whatever else looks like one. */
export function openDialog({ classification: { status, dialog } }: PaneLook): DialogInfo | undefined {
  return status === "waiting_user_answer" ? dialog : undefined;
}

/** Whether the screen shows a dialog, or says otherwise that only an answer helps. */
export function showsDialog({ classification }: PaneLook): boolean {
  return classification.dialog !== undefined || classification.status === "waiting_user_answer";
}

/**
 * Whether the agent's program has ended, whatever its last screen shows. An error that rests on the pane's process, not on
 * rows of the screen, is of this kind.
 */
export function isProcessGone({ screen, classification }: PaneLook): boolean {
  return screen.dead === true ||
    (classification.status === "error" && classification.evidence.some(({ row }) => row < 0));
}

/** How many rows of a screen an error message shows. */
const EXCERPT_ROWS = 12;

/**
 * The last rows of a screen, for an error message: no control characters, blank rows left out.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseScreen } from "../../screen/screen.ts";
 * assertEquals(screenExcerpt(parseScreen("one\n\n\x1b[1mtwo\x1b[0m\n")), "The screen was:\n  | one\n  | two");
 * ```
 */
export function screenExcerpt(screen: Screen): string {
  const rows = lastLines(screen.rows.map(({ text }) => text).join("\n"), EXCERPT_ROWS);
  return rows.length === 0
    ? "The screen was blank."
    : ["The screen was:", ...rows.map((row) => `  | ${row}`)].join("\n");
}
