import type { Clock } from "../../base/ports/clock.ts";
import type { Decision } from "../../screen/classify.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import type { Composer } from "../../screen/regions.ts";
import type { RowRange, Screen } from "../../screen/screen.ts";
import { lastLines } from "../../base/text/lines.ts";

export interface PaneLook {
  readonly screen: Screen;
  readonly classification: Decision;
  readonly composer: Composer | undefined;
  readonly footer: RowRange;
  readonly dialogRow: number | undefined;
  readonly seenSigns: readonly string[];
  readonly styledRows: readonly number[];
}

/** The dialog that waits for an answer at this moment; `undefined` where none does, whatever else looks like one. */
export function openDialog({ classification: { status, dialog } }: PaneLook): DialogInfo | undefined {
  return status === "waiting_user_answer" ? dialog : undefined;
}

export function showsDialog({ classification }: PaneLook): boolean {
  return classification.dialog !== undefined || classification.status === "waiting_user_answer";
}

/**
 * Whether the agent's program has ended, whatever its last screen shows. An error that rests on the pane's process, not
 * on rows of the screen, is of this kind.
 */
export function isProcessGone({ screen, classification }: PaneLook): boolean {
  return screen.dead === true ||
    (classification.status === "error" && classification.evidence.some(({ row }) => row < 0));
}

const EXCERPT_ROWS = 12;

/** The last rows of a screen, for an error message: no control characters, blank rows left out. */
export function screenExcerpt(screen: Screen): string {
  const rows = lastLines(screen.rows.map(({ text }) => text).join("\n"), EXCERPT_ROWS);
  return rows.length === 0
    ? "The screen was blank."
    : ["The screen was:", ...rows.map((row) => `  | ${row}`)].join("\n");
}

/**
 * How long a dialog is left alone before its first key, in milliseconds: Claude Code drops the keys of some 500 ms after
 * a dialog appears that it had deferred because somebody typed (2.1.328, 2.1.330), and a key is pressed only once.
 */
export const DEAF_MS = 1000;

/**
 * A key that closes a dialog is pressed only once, and without its effect a person is called: it is waited for so many
 * times as long as for other proofs, since a CLI on a machine under load may stand still for longer than that.
 */
export const CLOSING_PATIENCE = 6;

export interface AgentPane {
  readonly name: string;
  look(): Promise<PaneLook>;
  press(keys: readonly string[]): Promise<void>;
  paste(text: string): Promise<void>;
  /** How long the effect of a key may take, in milliseconds. */
  readonly proofTimeoutMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

export type ShownPane = Pick<AgentPane, "look" | "clock" | "signal">;

export const LOOK_EVERY_MS = 50;

const MAX_LOOK_ATTEMPTS = 3;

export async function lookUntil(
  pane: ShownPane & Pick<AgentPane, "proofTimeoutMs">,
  accept: (look: PaneLook) => boolean,
  { everyMs = LOOK_EVERY_MS, timeoutMs = pane.proofTimeoutMs } = {},
): Promise<PaneLook> {
  const { clock, signal } = pane;
  for (const start = clock.now();;) {
    const now = await lookWithRetry(pane);
    if (accept(now) || clock.now() - start >= timeoutMs) return now;
    await clock.sleep(everyMs, signal);
  }
}

/** Looks, and tries again if that fails: a single failure between a key and its proof must not cost the turn. */
export async function lookWithRetry(pane: ShownPane): Promise<PaneLook> {
  const { clock, signal } = pane;
  for (let attempt = 1;; attempt++) {
    signal?.throwIfAborted();
    try {
      return await pane.look();
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === MAX_LOOK_ATTEMPTS) throw error;
      await clock.sleep(LOOK_EVERY_MS * 2 ** attempt, signal);
    }
  }
}
