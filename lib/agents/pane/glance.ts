import { present } from "../../base/schema.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { applyingRules, createScene, decideScene } from "../../screen/classify.ts";
import { StyleNotCapturedError } from "../../screen/partly_styled.ts";
import type { RulePack } from "../../screen/rules.ts";
import type { RowRange, Screen } from "../../screen/screen.ts";
import type { PaneLook } from "./pane_look.ts";

export function readScreen(shown: Screen, rules: RulePack, { signs }: {
  readonly signs?: ReadonlySet<string>;
} = {}): PaneLook {
  const scene = createScene(shown, rules);
  const { screen } = scene;
  const { composer, dialog, footer } = scene.regions;
  const classification = decideScene(scene, rules);
  const seenSigns = classification.status === "processing" && signs !== undefined && signs.size > 0
    ? applyingRules(scene, rules.rules.filter(({ id }) => signs.has(id)))
    : [];
  const styledRows = screen.rows.flatMap((row, index) => row.isStyleRead ? [index] : []);
  return { screen, classification, composer, footer, dialogRow: dialog?.first, seenSigns, styledRows };
}

/** What a caller may pass to a glance. */
export interface GlanceOptions {
  readonly signal?: AbortSignal;
}

/** Rows this close together are captured as one range: a range costs tmux about as much as two rows (3.3a). */
const MAX_GAP = 2;

const PROGRAM_AGE_MS = 1000;

/**
 * Makes a look for one that looks at a pane over and over. It asks tmux for the styles of those rows only that the last
 * readings needed. A reading that needs another one is repeated with all styles, so that a glance tells what a look
 * with all styles tells. The name of the foreground program is asked for once a second: it changes when the agent has
 * ended and a shell is left.
 */
export function createGlance(
  { capture, capturePartly, read, clock }: {
    capture(options: GlanceOptions): Promise<Screen>;
    capturePartly(
      options: GlanceOptions & { readonly styledRows: readonly RowRange[]; readonly withCommand: boolean },
    ): Promise<Screen | undefined>;
    read(screen: Screen): PaneLook;
    readonly clock: Clock;
  },
): (options?: GlanceOptions) => Promise<PaneLook> {
  let asked: ReadonlySet<number> = new Set();
  let lastRows: readonly number[] = [];
  let styledRows: readonly RowRange[] | undefined;
  let program: Pick<Screen, "command"> = {};
  let programAtMs = -Infinity;
  const noteProgram = (screen: Screen) => {
    program = present({ command: screen.command });
    programAtMs = clock.now();
    return screen;
  };
  const tryPartly = async (options: GlanceOptions) => {
    if (styledRows === undefined) return undefined;
    const withCommand = clock.now() - programAtMs >= PROGRAM_AGE_MS;
    try {
      const screen = await capturePartly({ ...options, styledRows, withCommand });
      return screen && read(withCommand ? noteProgram(screen) : { ...screen, ...program });
    } catch (error) {
      if (error instanceof StyleNotCapturedError) return undefined;
      throw error;
    }
  };
  return async (options = {}) => {
    const partial = await tryPartly(options);
    if (partial !== undefined) return partial;
    const look = read(noteProgram(await capture(options)));
    const { styledRows: rows } = look;
    // While a screen moves, its rows are others each time: most of it would be captured twice.
    const isSettled = rows.length > 0 && rows.every((row) => asked.has(row));
    styledRows = isSettled ? toRanges([...asked].sort((one, other) => one - other)) : undefined;
    // Of two screens that take turns, the rows of both.
    if (!isSettled) asked = new Set([...lastRows, ...rows]);
    lastRows = rows;
    return look;
  };
}

function toRanges(rows: readonly number[]): readonly RowRange[] {
  const ranges: { first: number; last: number }[] = [];
  for (const row of rows) {
    const last = ranges.at(-1);
    if (last !== undefined && row - last.last <= MAX_GAP) last.last = row;
    else ranges.push({ first: row, last: row });
  }
  return ranges;
}
