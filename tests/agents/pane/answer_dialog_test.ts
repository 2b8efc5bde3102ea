import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError } from "../../../lib/base/errors.ts";
import { answerDialog, type AnswerOutcome } from "../../../lib/agents/pane/answer_dialog.ts";
import type { AnswerWay, DialogAnswer } from "../../../lib/agents/pane/dialog_keys.ts";
import { claudeCodeProvider } from "../../../lib/agents/claude_code/provider.ts";
import { readScreen } from "../../../lib/agents/pane/glance.ts";
import { openDialog, type PaneLook } from "../../../lib/agents/pane/pane_look.ts";
import { parseScreen } from "../../../lib/screen/screen.ts";
import { stillClock } from "../../support/still_clock.ts";

const RULE = "─".repeat(60);

function look(rows: readonly string[]): PaneLook {
  return readScreen(parseScreen(rows.join("\n"), { cols: 60, command: "claude" }), claudeCodeProvider.terminal.rules);
}

interface Asked {
  readonly command?: string;
  readonly above?: string;
  /** Without numbers, the selection is moved. */
  readonly options?: readonly string[];
  readonly selected?: number;
}

/** A permission dialog of Claude Code. */
function prompt({ command = "touch one", above = "Working on it.", options, selected = 0 }: Asked = {}): PaneLook {
  const labels = options ?? ["1. Yes", "2. Yes, and always allow touch", "3. No"];
  const choices = labels.map((label, index) => index === selected ? ` \x1b[38;5;153m❯ ${label}\x1b[0m` : `   ${label}`);
  const rule = `╌`.repeat(60);
  const body = [" \x1b[1mBash command\x1b[0m", rule, ` ${command}`, rule, " Do you want to proceed?"];
  return look([`● ${above}`, "", RULE, ...body, ...choices, "", " Esc to cancel · Tab to amend"]);
}

const BUSY = look([
  "● Working on it.",
  "",
  "✢ Pondering…",
  "",
  RULE,
  "❯\u00a0",
  RULE,
  "  ⏸ manual mode on · esc to interrupt",
]);
const REST = look(["● All done.", "", RULE, "❯\u00a0", RULE, "  ⏸ manual mode on · ? for shortcuts"]);

interface Played {
  readonly outcome: AnswerOutcome | undefined;
  readonly error: Error | undefined;
  readonly pressed: readonly string[];
  readonly pressedAtMs: readonly number[];
}

/** Answers a dialog in a pane that shows something new after each key, one look after the other; the last one stays. */
async function play(
  { dialog = prompt(), before, after, answer = "accept", way, isMeant = () => true }: {
    readonly dialog?: PaneLook;
    readonly before?: readonly PaneLook[];
    readonly after: readonly (readonly PaneLook[])[];
    readonly answer?: DialogAnswer;
    readonly way?: AnswerWay;
    readonly isMeant?: (keys: number) => boolean;
  },
): Promise<Played> {
  const asked = openDialog(dialog);
  assert(asked, "the test's own screen shows no dialog");
  const clock = stillClock();
  const scenes = [[...before ?? [dialog]], ...after.map((looks) => [...looks])];
  const pressed: string[] = [];
  const pressedAtMs: number[] = [];
  const target = {
    name: "analyst",
    look() {
      const scene = scenes[0]!;
      return Promise.resolve(scene.length > 1 ? scene.shift()! : scene[0]!);
    },
    press(keys: readonly string[]) {
      pressed.push(...keys);
      pressedAtMs.push(clock.now());
      if (scenes.length > 1) scenes.shift();
      return Promise.resolve();
    },
    paste: () => Promise.reject(new TypeError("a dialog is answered with keys")),
    proofTimeoutMs: 1000,
    clock,
  };
  try {
    const outcome = await answerDialog(target, {
      dialog: asked,
      answer,
      way: way ?? claudeCodeProvider.terminal.answerWay(asked, answer),
      isMeant: () => Promise.resolve(isMeant(pressed.length)),
    });
    return { outcome, error: undefined, pressed, pressedAtMs };
  } catch (error) {
    assert(error instanceof Error);
    return { outcome: undefined, error, pressed, pressedAtMs };
  }
}

Deno.test("a dialog is answered with one key, and its going away is the proof", async () => {
  for (const [answer, key] of [["accept", "1"], ["decline", "3"]] as const) {
    const { outcome, pressed } = await play({ after: [[prompt(), prompt(), BUSY]], answer });
    assertEquals([outcome?.result, pressed], ["closed", [key]]);
    assertEquals(outcome?.after, BUSY.screen);
  }
});

Deno.test("no key is pressed in the first 300 ms: Claude Code drops keys right after a deferred dialog appears", async () => {
  const { pressedAtMs } = await play({ after: [[BUSY]] });
  assert(pressedAtMs[0]! >= 300, `pressed after ${pressedAtMs[0]} ms`);
});

Deno.test("a dialog that is not open any more gets no key", async () => {
  const { outcome, pressed } = await play({ before: [BUSY], after: [] });
  assertEquals([outcome?.result, pressed], ["gone", []]);
});

Deno.test("another dialog that took its place gets no key", async () => {
  const { outcome, pressed } = await play({ before: [prompt({ command: "rm -rf ~" })], after: [] });
  assertEquals([outcome?.result, pressed], ["replaced", []]);
});

Deno.test("a dialog that only looks like the one that was decided about gets no key, and no second one", async () => {
  const other = await play({ after: [], isMeant: () => false });
  assertEquals([other.outcome?.result, other.pressed], ["replaced", []]);
  const next = await play({ after: [[prompt()]], isMeant: (keys) => keys === 0 });
  assertEquals([next.outcome?.result, next.pressed], ["closed", ["1"]]);
});

Deno.test("a frame without the dialog, half drawn, is neither its end before the key nor the proof after it", async () => {
  const { outcome, pressed } = await play({
    before: [look([""]), prompt()],
    after: [[look([""]), prompt(), REST]],
  });
  assertEquals([outcome?.result, pressed], ["closed", ["1"]]);
});

Deno.test("a key without effect is not pressed again: a CLI that stands still would take it for the next dialog", async () => {
  const { error, pressed } = await play({ after: [[prompt()], [prompt({ command: "rm -rf ~" })]] });
  assertEquals(pressed, ["1"]);
  assert(error instanceof HumanInterventionRequiredError);
  assertStringIncludes(error.message, "the dialog (command) stays open, though it was answered");
  assertStringIncludes(error.message, "|  touch one");
});

Deno.test("the same request once more at once is another dialog, after a yes", async () => {
  const again = prompt({ above: "Working on it. Ran one command." });
  const accepted = await play({ after: [[again]] });
  assertEquals([accepted.outcome?.result, accepted.pressed], ["closed", ["1"]]);
});

Deno.test("a dialog that only a person may answer gets no key", async () => {
  const question = look([
    RULE,
    " ☐ Database",
    "",
    "Which database?",
    "",
    "\x1b[38;5;153m❯ 1. PostgreSQL\x1b[0m",
    "  2. SQLite",
    RULE,
    "  3. Chat about this",
    "",
    "Enter to select · ↑/↓ to navigate · Esc to cancel",
  ]);
  const { error, pressed } = await play({ dialog: question, after: [] });
  assert(error instanceof HumanInterventionRequiredError);
  assertStringIncludes(error.message, "(question) is one that only a person may answer");
  assertEquals(pressed, []);
});

Deno.test("in a list without numbers the selection is moved, and looked at before Enter", async () => {
  const options = ["No", "Later", "Yes"];
  const at = (selected: number) => prompt({ options, selected });
  const { outcome, pressed } = await play({ dialog: at(0), after: [[at(0), at(1)], [at(2)], [BUSY]] });
  assertEquals([outcome?.result, pressed], ["closed", ["Down", "Down", "Enter"]]);
  const up = await play({ dialog: at(2), after: [[at(1)], [at(0)], [BUSY]], way: { by: "selection", option: 0 } });
  assertEquals(up.pressed, ["Up", "Up", "Enter"]);
});

Deno.test("a selection that does not move gets no Enter", async () => {
  const stuck = prompt({ options: ["No", "Yes"] });
  const { error, pressed } = await play({ dialog: stuck, after: [[stuck]] });
  assert(error instanceof HumanInterventionRequiredError);
  assertStringIncludes(error.message, "does not let its selection be moved");
  assertEquals(pressed.includes("Enter"), false);
});

Deno.test("a dialog that goes away while its selection is moved gets no Enter", async () => {
  const { outcome, pressed } = await play({ dialog: prompt({ options: ["No", "Yes"] }), after: [[BUSY]] });
  assertEquals([outcome?.result, pressed], ["gone", ["Down"]]);
});

Deno.test("waiting for a dialog ends when it is aborted", async () => {
  const asked = openDialog(prompt());
  assert(asked);
  const controller = new AbortController();
  const target = {
    name: "analyst",
    look: () => Promise.resolve(prompt()),
    press() {
      controller.abort(new Error("stop"));
      return Promise.resolve();
    },
    paste: () => Promise.resolve(),
    proofTimeoutMs: 1000,
    clock: stillClock(),
    signal: controller.signal,
  };
  const options = { dialog: asked, answer: "accept", way: { by: "keys", keys: ["1"] } } as const;
  await assertRejects(() => answerDialog(target, options), Error, "stop");
});
