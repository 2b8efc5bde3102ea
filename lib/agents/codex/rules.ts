import { createRulePack, type ScreenData } from "../../screen/screen_data.ts";
import screen from "./screen.json" with { type: "json" };

/**
 * What only the UI of a Codex that is at work shows, in any text: the hint of its status row, or the cell of a running
 * exploration. From the first seed; the rules also ask where it stands.
 */
export const ACTIVE_WORK_UI_PATTERN = /\besc to interrupt\b|^[ \t]*[•◦][ \t]+Exploring\b/m;

/** A prompt that was sent, with its text on the same line. From the first seed: no line break between the two. */
export const USER_PREFIX_PATTERN = /^›[ \t]+\S/m;

export const CODEX_SCREEN: ScreenData = screen as ScreenData;

export const CODEX_RULES = createRulePack("codex", CODEX_SCREEN);
