import type { CliName } from "../../support/clis.ts";
import { CLAUDE_DIALOG_SCENES } from "./claude_dialog_scenes.ts";
import { CLAUDE_FEATURE_SCENES } from "./claude_feature_scenes.ts";
import { CLAUDE_SCENES } from "./claude_scenes.ts";
import { CODEX_DIALOG_SCENES } from "./codex_dialog_scenes.ts";
import { CODEX_FEATURE_SCENES } from "./codex_feature_scenes.ts";
import { CODEX_SCENES } from "./codex_scenes.ts";
import { MENU_SCENE } from "./menu_scene.ts";
import type { Scene } from "./scene.ts";

/** Every scene of each CLI. */
export const SCENES: Readonly<Record<CliName, readonly Scene[]>> = {
  codex: [...CODEX_SCENES, ...CODEX_FEATURE_SCENES, ...CODEX_DIALOG_SCENES, MENU_SCENE],
  claude_code: [...CLAUDE_SCENES, ...CLAUDE_FEATURE_SCENES, ...CLAUDE_DIALOG_SCENES, MENU_SCENE],
};
