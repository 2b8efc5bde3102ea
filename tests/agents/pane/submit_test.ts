import { assertEquals, assertRejects } from "@std/assert";
import {
  AgentAtWorkError,
  DraftInTheWayError,
  HumanInterventionRequiredError,
  RuntimeError,
} from "../../../lib/base/errors.ts";
import type { Clock } from "../../../lib/base/ports/clock.ts";
import { CODEX_RULES } from "../../../lib/agents/codex/rules.ts";
import { readScreen } from "../../../lib/agents/pane/glance.ts";
import type { AgentPane, PaneLook } from "../../../lib/agents/pane/pane_look.ts";
import { submitText } from "../../../lib/agents/pane/submit.ts";
import { parseScreen, type ScreenMeta } from "../../../lib/screen/screen.ts";

const TEXT = "fix the bug";

function look(rows: readonly string[], meta: ScreenMeta = {}): PaneLook {
  return readScreen(parseScreen(["  >_ OpenAI Codex (v0.169.0)", "", ...rows].join("\n"), meta), CODEX_RULES);
}

const FOOTER = "  GPT-6.1-Sol default · /home/dev/proj";
const PLACEHOLDER = "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m";
const EMPTY = look([PLACEHOLDER, "", FOOTER]);
const BUSY = look(["\x1b[2m•\x1b[0m \x1b[2mWorking (1s • esc to interrupt)\x1b[0m", "", PLACEHOLDER, "", FOOTER]);
const BUSY_WITH_DRAFT = look([
  "\x1b[2m•\x1b[0m \x1b[2mWorking (1s • esc to interrupt)\x1b[0m",
  "",
  "\x1b[1m›\x1b[0m human words",
  "",
  FOOTER,
]);
const draft = (text: string): PaneLook => look([`\x1b[1m›\x1b[0m ${text}`, "", FOOTER]);
const DIALOG = look([
  "  \x1b[1mWould you like to run the following command?\x1b[0m",
  "",
  "  $ touch x",
  "",
  "\x1b[1;7m› 1. Yes, proceed (y)\x1b[0m",
  "  2. No, and tell Codex what to do differently (esc)",
  "",
  "  Press enter to confirm or esc to cancel",
]);
const DEAD = look([PLACEHOLDER, "", FOOTER], { dead: true });
const SHELL = look([PLACEHOLDER, "", FOOTER], { command: "bash" });

interface Act {
  /** What is shown at each look; the last one goes on. A string is a look that fails. */
  readonly before?: readonly (PaneLook | string)[];
  readonly afterPaste?: readonly (PaneLook | string)[];
  readonly afterEnter?: readonly (PaneLook | string)[];
  readonly afterSecondEnter?: readonly (PaneLook | string)[];
  readonly mayBePasted?: boolean;
}

/** Plays the looks of an act, under a clock of its own, and tells what was done and how long it took. */
async function play(act: Act): Promise<{ done: string[]; ms: number; error: Error | undefined }> {
  const done: string[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    sleep: (ms) => {
      now += ms;
      return Promise.resolve();
    },
  };
  let scenes = [...act.before ?? [EMPTY]];
  const later = [act.afterPaste ?? [draft(TEXT)], act.afterEnter ?? [BUSY], act.afterSecondEnter ?? [BUSY]];
  const pane: AgentPane = {
    name: "analyst",
    look() {
      const scene = scenes.length > 1 ? scenes.shift()! : scenes[0]!;
      return typeof scene === "string" ? Promise.reject(new Error(scene)) : Promise.resolve(scene);
    },
    paste(text) {
      done.push(`paste ${text}`);
      scenes = [...later.shift()!];
      return Promise.resolve();
    },
    press() {
      if (done.length === 0) later.shift();
      done.push(`enter at ${now}`);
      scenes = [...later.shift()!];
      return Promise.resolve();
    },
    proofTimeoutMs: 5000,
    clock,
  };
  const { mayBePasted = false } = act;
  const error = await submitText(pane, { text: TEXT, pastedToEnterMs: 300, mayBePasted }).then(
    () => undefined,
    (reason: Error) => reason,
  );
  return { done, ms: now, error };
}

const PASTED = `paste ${TEXT}`;

Deno.test("one paste, the pause, one Enter, and busy is proof", async () => {
  assertEquals(await play({}), { done: [PASTED, "enter at 300"], ms: 300, error: undefined });
});

Deno.test("an empty composer is proof when it stays empty for 50 ms", async () => {
  assertEquals((await play({ afterEnter: [EMPTY] })).ms, 350);
  assertEquals((await play({ afterEnter: [EMPTY, draft(TEXT), EMPTY] })).ms, 400);
});

Deno.test("an approval that the agent asks for at once is proof as well", async () => {
  assertEquals((await play({ afterEnter: [DIALOG] })).error, undefined);
});

Deno.test("what is in the way for a moment is waited for", async () => {
  const { done, error } = await play({ before: [DIALOG, BUSY, draft("human"), look([]), EMPTY] });
  assertEquals([done, error], [[PASTED, "enter at 500"], undefined]);
});

for (
  const [name, before, kind, words] of [
    ["a dialog", DIALOG, HumanInterventionRequiredError, "a dialog (command) is open"],
    ["a person's draft", draft("human words"), DraftInTheWayError, "a draft that is not ours"],
    ["work", BUSY, AgentAtWorkError, "still at work"],
    ["work under a person's draft", BUSY_WITH_DRAFT, AgentAtWorkError, "still at work"],
    ["a screen without composer", look(["loading"]), RuntimeError, "no composer"],
    ["an agent that has ended", DEAD, RuntimeError, "has ended"],
    ["a shell", SHELL, RuntimeError, "has ended"],
  ] as const
) {
  Deno.test(`${name} that stays keeps the text from being pasted`, async () => {
    const { done, error, ms } = await play({ before: [before] });
    assertEquals([done, ms], [[], 5000]);
    await assertRejects(() => Promise.reject(error), kind, words);
  });
}

for (
  const [name, afterPaste, kind, words] of [
    ["a dialog", DIALOG, HumanInterventionRequiredError, "a dialog (command) opened"],
    ["the command of a dialog, which is told,", DIALOG, HumanInterventionRequiredError, "$ touch x"],
    ["other words", draft(`wait, ${TEXT}`), DraftInTheWayError, "something other"],
    ["nothing", EMPTY, RuntimeError, "does not show"],
    ["work without the text", BUSY, AgentAtWorkError, "does not show"],
    ["the end of the agent", DEAD, RuntimeError, "ended while"],
  ] as const
) {
  Deno.test(`${name} after the paste keeps Enter from being pressed`, async () => {
    const { done, error } = await play({ afterPaste: [afterPaste] });
    assertEquals(done, [PASTED]);
    await assertRejects(() => Promise.reject(error), kind, words);
  });
}

Deno.test("text that shows late is waited for, for as long as the proof may take", async () => {
  const late = Array.from({ length: 40 }, () => EMPTY);
  assertEquals((await play({ afterPaste: [...late, draft(TEXT)] })).done, [PASTED, "enter at 1300"]);
});

Deno.test("the pause before Enter begins when the text is seen, however long it took to show", async () => {
  for (const late of [0, 1, 4, 100]) {
    const { done } = await play({ afterPaste: [...Array.from({ length: late }, () => EMPTY), draft(TEXT)] });
    assertEquals(done, [PASTED, `enter at ${late * 25 + 300}`]);
  }
});

Deno.test("a text that comes in pieces must stand still for the pause", async () => {
  const { done, error } = await play({ afterPaste: [draft("fix"), draft("fix the"), draft(TEXT), draft(TEXT)] });
  assertEquals([done, error], [[PASTED, "enter at 900"], undefined]);
});

Deno.test("what happens to the text in the pause keeps Enter from being pressed", async () => {
  for (const [shown, words] of [[DIALOG, "opened while"], [draft(`wait, ${TEXT}`), "something other"]] as const) {
    const { done, error } = await play({ afterPaste: [draft(TEXT), shown] });
    assertEquals(done, [PASTED]);
    await assertRejects(() => Promise.reject(error), HumanInterventionRequiredError, words);
  }
});

Deno.test("a second Enter comes only after all of the time, when exactly the text is still there", async () => {
  const retried = await play({ afterEnter: [draft(TEXT)] });
  assertEquals([retried.done, retried.error], [[PASTED, "enter at 300", "enter at 5300"], undefined]);
  const changed = await play({ afterEnter: [draft("other words")] });
  assertEquals(changed.done, [PASTED, "enter at 300"]);
  await assertRejects(() => Promise.reject(changed.error), DraftInTheWayError, "nothing shows that the text was taken");
});

Deno.test("a first Enter that has its effect late needs no second, also where the agent asks for something at once", async () => {
  // The screen stands still until the time for the proof is up.
  const still = Array.from({ length: 201 }, () => draft(TEXT));
  for (const shown of [DIALOG, BUSY, EMPTY]) {
    const { done, error } = await play({ afterEnter: [...still, shown] });
    assertEquals([done, error], [[PASTED, "enter at 300"], undefined]);
  }
});

Deno.test("a third Enter and a second paste never come", async () => {
  const { done, error, ms } = await play({ afterEnter: [draft(TEXT)], afterSecondEnter: [draft(TEXT)] });
  assertEquals([done, ms], [[PASTED, "enter at 300", "enter at 5300"], 10_300]);
  await assertRejects(() => Promise.reject(error), RuntimeError, "› fix the bug");
});

Deno.test("text that an earlier attempt left is submitted without a paste", async () => {
  assertEquals((await play({ before: [draft(TEXT)] })).done, ["enter at 0"]);
});

Deno.test("a marker is taken for the text only where it may have been pasted before", async () => {
  const marker = draft("[Pasted Content 11 chars]");
  const { done, error } = await play({ before: [marker] });
  assertEquals([done, error instanceof HumanInterventionRequiredError], [[], true]);
  assertEquals((await play({ before: [marker], mayBePasted: true })).done, ["enter at 0"]);
  assertEquals((await play({ mayBePasted: true })).done, [PASTED, "enter at 300"]);
  for (const words of ["human words", "bug", "fix the"]) {
    const other = await play({ before: [draft(words)], mayBePasted: true });
    assertEquals([other.done, other.error instanceof DraftInTheWayError], [[], true], words);
  }
});

Deno.test("an agent that ends on Enter is no success", async () => {
  const { error } = await play({ afterEnter: [DEAD] });
  await assertRejects(() => Promise.reject(error), RuntimeError, "ended when Enter was pressed");
});

Deno.test("a look that fails once is tried again, one that keeps failing is the error", async () => {
  const { done, error } = await play({ afterPaste: ["tmux is busy", draft(TEXT)] });
  assertEquals([done, error], [[PASTED, "enter at 400"], undefined]);
  const failed = await play({ afterPaste: ["tmux is gone"] });
  assertEquals([failed.done, failed.error?.message], [[PASTED], "tmux is gone"]);
});
