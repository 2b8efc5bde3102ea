import { createRulePack, type ScreenData } from "../../screen/screen_data.ts";
import screen from "./screen.json" with { type: "json" };

/** The screens of Claude Code, as they are written. */
export const CLAUDE_CODE_SCREEN: ScreenData = screen as ScreenData;

/** The screens of Claude Code. */
export const CLAUDE_CODE_RULES = createRulePack("claude_code", CLAUDE_CODE_SCREEN);
