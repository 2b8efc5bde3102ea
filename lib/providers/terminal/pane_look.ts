import { applyingRules, createScene, decideScene, type Decision } from "../../screen/classify.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import type { Composer } from "../../screen/regions.ts";
import type { RulePack } from "../../screen/rules.ts";
import { parsePartlyStyled } from "../../screen/partly_styled.ts";
import { parseScreen, type RowRange, type Screen } from "../../screen/screen.ts";
import { lastLines } from "../../text/lines.ts";
import {
  type CapturedPane,
  type CaptureOptions,
  capturePane,
  capturePanePartly,
  type PartOptions,
} from "../../tmux/capture.ts";
import type { TmuxClient } from "../../tmux/client.ts";

/** One look at an agent's pane: what it shows, and what that means. */
export interface PaneLook {
  readonly screen: Screen;
  readonly classification: Decision;
  /** `undefined` where no prompt can be typed. */
  readonly composer: Composer | undefined;
  /** The rows below the composer. */
  readonly footer: RowRange;
  /** The row on which a dialog begins; `undefined` where there is none. */
  readonly dialogRow: number | undefined;
  /** The signs that were looked for and found (see {@linkcode ReadOptions}). */
  readonly seenSigns: readonly string[];
  /** The rows whose style this reading needed, from top to bottom. */
  readonly styledRows: readonly number[];
}

/** What one look is to find out besides the status. */
export interface ReadOptions {
  /** Ids of rules that lift a doubt about later screens of the agent when one of its screens shows them. */
  readonly signs?: ReadonlySet<string>;
}

/** Reads a screen with a provider's rules. */
export function readScreen(screen: Screen, rules: RulePack, { signs }: ReadOptions = {}): PaneLook {
  const scene = createScene(screen, rules);
  const { composer, dialog, footer } = scene.regions;
  const classification = decideScene(scene, rules);
  const seenSigns = classification.status === "processing" && signs !== undefined && signs.size > 0
    ? applyingRules(scene, rules.rules.filter(({ id }) => signs.has(id)))
    : [];
  const styledRows = screen.rows.flatMap((row, index) => row.isStyleRead ? [index] : []);
  return { screen, classification, composer, footer, dialogRow: dialog?.first, seenSigns, styledRows };
}

/** Captures what a pane shows now. */
export async function captureScreen(client: TmuxClient, pane: CapturedPane, options?: CaptureOptions): Promise<Screen> {
  const { text, facts } = await capturePane(client, pane, options);
  return parseScreen(text, facts);
}

/** Captures what a pane shows now, with the style of some rows only; `undefined` where all styles are needed. */
export async function captureScreenPartly(
  client: TmuxClient,
  pane: CapturedPane,
  options: PartOptions,
): Promise<Screen | undefined> {
  const capture = await capturePanePartly(client, pane, options);
  return capture && parsePartlyStyled(capture.text, capture.parts, capture.facts);
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
