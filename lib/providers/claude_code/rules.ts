import { createRulePack, type ScreenData } from "../../screen/screen_data.ts";
import screen from "./screen.json" with { type: "json" };

/** The screens of Claude Code. */
export const CLAUDE_CODE_RULES = createRulePack("claude_code", screen as ScreenData);
