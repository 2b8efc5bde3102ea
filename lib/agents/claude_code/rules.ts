import { createRulePack, type ScreenData } from "../../screen/screen_data.ts";
import screen from "./screen.json" with { type: "json" };

export const CLAUDE_CODE_SCREEN: ScreenData = screen as ScreenData;

export const CLAUDE_CODE_RULES = createRulePack("claude_code", CLAUDE_CODE_SCREEN);
