import type { TerminalStatus } from "../../../lib/base/status.ts";
import type { Scene, Stage, Truth } from "./scene.ts";

/**
 * What a person types that changes the composer or opens a list by it; no dialog, and nothing is asked. A list may hide
 * whether there was a turn.
 */
const TYPED: readonly { readonly state: string; readonly key: string; readonly hides: boolean }[] = [
  { state: "shell-mode", key: "!", hides: false },
  { state: "slash-menu", key: "/", hides: true },
  { state: "file-menu", key: "@", hides: true },
  { state: "shortcuts", key: "?", hides: true },
];

/** The composer in its other shapes, before the first turn and after it; both CLIs have them. */
export const MENU_SCENE: Scene = {
  name: "menus",
  files: { "cart.txt": "tea 4\n" },
  turns: [[{ do: "say", text: "The total is right." }]],
  async play(stage) {
    await stage.settle();
    await typeAll(stage, { status: "idle", turn: "none", before: "nothing was asked" });
    await stage.submit("Is the total right?");
    await stage.turn("over");
    await typeAll(stage, { status: "completed", turn: "over", before: "the turn is over" });
  },
};

async function typeAll(
  stage: Stage,
  { status, turn, before }: { readonly status: TerminalStatus; readonly before: string } & Pick<Truth, "turn">,
): Promise<void> {
  for (const { state, key, hides } of TYPED) {
    await stage.press(key);
    const note = `"${key}" was typed, ${before}`;
    await stage.capture(`${status}-${state}`, status, { turn, note, alone: !hides });
    // An Escape would close what was opened, but interrupts or asks to rewind where nothing is open.
    await stage.press("BSpace");
    await stage.pause(500);
  }
}
