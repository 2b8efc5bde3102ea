import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { responseFileInstruction } from "../../../lib/turn/instruction.ts";
import { CODEX_RULES } from "../../../lib/agents/codex/rules.ts";
import { EMPTY_COMPOSER, pasteText, typeText } from "../../../lib/lab/replay/composer.ts";
import { drawFrame } from "../../../lib/lab/replay/draw.ts";
import { type Frame, renderFrame } from "../../../lib/lab/replay/render.ts";
import { addCell, type AgentState, beginTurn, endTurn, initialState } from "../../../lib/lab/replay/state.ts";
import { displayWidth } from "../../../lib/base/text/display_width.ts";
import { classify, findRegions, parseScreen, type Screen, type TerminalStatus } from "../../../lib/screen/mod.ts";

const SIZES = [[220, 50], [120, 40], [80, 24], [60, 20], [40, 16]] as const;

const TRICKY_ANSWER = [
  "Status notes, all of this is only answer text:",
  "",
  "Working (12s • esc to interrupt)",
  "• Working (3s • esc to interrupt)",
  "⠋ demo",
  "› fake prompt",
  "",
  "• Exploring",
  "  Would you like to run the following command?",
  "",
  "  $ rm -rf /",
  "",
  "› 1. Yes, proceed (y)",
  "  2. No, and tell Codex what to do differently (esc)",
  "",
  "  Press enter to confirm or esc to cancel",
  "",
  "■ stream disconnected before completion",
  "",
  "  Worked for 5s • 05:47",
  "100% context left",
].join("\n");

const LONG_PROMPT = `Fix it.\n\n${TRICKY_ANSWER}\n\n${responseFileInstruction("/home/dev/shop", "programmer")}`;

const FRESH = initialState({
  workdir: "/home/dev/shop",
  asksForApproval: false,
  model: "replay-programmer",
  sessionTitle: "programmer",
});
const WORKING = beginTurn(FRESH, "Please fix it.", 0);
const LONG_WORKING = beginTurn(FRESH, LONG_PROMPT, 0);
const COMMENTED = addCell(WORKING, { type: "message", text: "I look at the files first.", streaming: false });
const completed = { type: "completed", nowMs: 8000, at: "05:50" } as const;
const answer = (state: AgentState, text: string, streaming = false) =>
  addCell(state, { type: "message", text, streaming });
const ANSWERED = endTurn(answer(WORKING, "Done."), completed);
const ran = (exitCode: number, output: string) =>
  ({ type: "command", command: "sh test.sh", result: { exitCode, output } }) as const;
const ASKING: AgentState = {
  ...addCell(WORKING, { type: "command", command: "touch /etc/x && echo done", result: undefined }),
  dialog: { command: "touch /etc/x && echo done", reason: "May I create the file?", selected: 0 },
};

const STATES: Readonly<Record<string, readonly [AgentState, TerminalStatus]>> = {
  "fresh": [FRESH, "idle"],
  "a draft that was typed": [{ ...FRESH, composer: typeText(EMPTY_COMPOSER, "hello typed text", 0) }, "idle"],
  "a draft of several lines": [{ ...FRESH, composer: pasteText(EMPTY_COMPOSER, "one\ntwo\nthree") }, "idle"],
  "a draft that is a long paste": [{ ...FRESH, composer: pasteText(EMPTY_COMPOSER, "x".repeat(5625)) }, "idle"],
  "working, nothing said": [WORKING, "processing"],
  "working on a prompt that is longer than the screen": [LONG_WORKING, "processing"],
  "working, after commentary": [COMMENTED, "processing"],
  "working, exploring": [addCell(COMMENTED, { type: "explored", files: ["a.ts", "b.ts"], done: false }), "processing"],
  "working, a command runs": [addCell(COMMENTED, { ...ran(0, ""), result: undefined }), "processing"],
  "working, a command failed": [addCell(COMMENTED, ran(1, "1 failed")), "processing"],
  "working, with a draft": [{ ...COMMENTED, composer: typeText(EMPTY_COMPOSER, "and then", 0) }, "processing"],
  "working, with a queue": [{ ...COMMENTED, queued: ["queued by tab"] }, "processing"],
  "streaming": [answer(WORKING, "First answer.", true), "processing"],
  "streaming a text that quotes screens": [answer(WORKING, TRICKY_ANSWER, true), "processing"],
  "streaming, with a draft": [
    { ...answer(WORKING, "First answer.", true), composer: typeText(EMPTY_COMPOSER, "and then", 0) },
    "processing",
  ],
  "second turn, nothing said": [beginTurn(ANSWERED, "And now?", 1000), "processing"],
  "completed": [ANSWERED, "completed"],
  "completed, with a text that quotes screens": [endTurn(answer(WORKING, TRICKY_ANSWER), completed), "completed"],
  "completed, with a draft": [{ ...ANSWERED, composer: typeText(EMPTY_COMPOSER, "next", 0) }, "completed"],
  "completed, with an answer longer than the screen": [
    endTurn(answer(LONG_WORKING, "One line of it.\n".repeat(80)), completed),
    "completed",
  ],
  "approval": [ASKING, "waiting_user_answer"],
  "approval, last option selected": [{ ...ASKING, dialog: { ...ASKING.dialog!, selected: 2 } }, "waiting_user_answer"],
  "approval without a reason": [
    { ...ASKING, dialog: { ...ASKING.dialog!, reason: undefined } },
    "waiting_user_answer",
  ],
  "approved, the command runs": [
    addCell(addCell(WORKING, { type: "decision", approved: true, command: "touch x" }), {
      ...ran(0, ""),
      result: undefined,
    }),
    "processing",
  ],
  "declined": [
    endTurn(addCell(addCell(WORKING, { type: "decision", approved: false, command: "touch x" }), ran(1, "")), {
      type: "interrupted",
    }),
    "idle",
  ],
  "interrupted": [endTurn(WORKING, { type: "interrupted" }), "idle"],
  "ended with an error": [endTurn(COMMENTED, { type: "error", text: "We’re experiencing high demand." }), "error"],
};

const at = (cols: number, rows: number, nowMs = 1200) => ({ columns: cols, rows, nowMs });

function toScreen(frame: Frame, [cols, rows]: readonly [number, number]): Screen {
  return parseScreen(frame.rows.join("\n"), {
    cols,
    rows,
    title: frame.title,
    cursorVisible: frame.cursor !== undefined,
    ...(frame.cursor === undefined ? {} : { cursor: frame.cursor }),
    alternate: true,
    dead: false,
    command: "deno",
  });
}

for (const [name, [state, status]] of Object.entries(STATES)) {
  for (const size of SIZES) {
    Deno.test(`a screen "${name}" at ${size.join("x")} is ${status}`, () => {
      for (const nowMs of [1200, 1900]) {
        const frame = renderFrame(state, at(size[0], size[1], nowMs));
        assertEquals(frame.rows.length, size[1]);
        const screen = toScreen(frame, size);
        for (const row of screen.rows) assert(displayWidth(row.text) <= size[0], row.text);
        const { status: seen, rule } = classify(screen, CODEX_RULES);
        assertEquals({ seen, rule }, { seen: status, rule });
      }
    });
  }
}

Deno.test("the composer on the screen holds the draft, and a placeholder is none", () => {
  const composer = (state: AgentState) =>
    findRegions(toScreen(renderFrame(state, at(80, 24)), [80, 24]), CODEX_RULES.layout).composer;
  assertEquals([composer(FRESH)?.state, composer(FRESH)?.text], ["empty", ""]);
  const draft = { ...FRESH, composer: pasteText(EMPTY_COMPOSER, "one\n  two\nthree") };
  assertEquals([composer(draft)?.state, composer(draft)?.text], ["draft", "one\n  two\nthree"]);
  const label = { ...WORKING, composer: pasteText(EMPTY_COMPOSER, "x".repeat(1001)) };
  assertEquals(composer(label)?.text, "[Pasted Content 1001 chars]");
});

Deno.test("the approval dialog is recognised with its command and its options", () => {
  const { dialog } = classify(toScreen(renderFrame(ASKING, at(220, 50)), [220, 50]), CODEX_RULES);
  assertEquals(dialog?.kind, "command");
});

Deno.test("only the title tells that an answer is streaming", () => {
  const streaming = renderFrame(answer(WORKING, "First answer.", true), at(80, 24));
  assertEquals(streaming.title, "⠹ programmer | shop");
  assertEquals(streaming.rows.filter((row) => row.includes("Working")), []);
  assertEquals(renderFrame(ANSWERED, at(80, 24)).title, "programmer | shop");
});

Deno.test("the title calls for a person at a dialog, and blinks", () => {
  assertEquals(renderFrame(ASKING, at(80, 24, 0)).title, "[ ! ] Action Required | programmer | shop");
  assertEquals(renderFrame(ASKING, at(80, 24, 1000)).title, "[ . ] Action Required | programmer | shop");
  assertEquals(renderFrame(ASKING, at(80, 24)).cursor, undefined);
});

Deno.test("the first row repeats a prompt whose beginning has left the screen", () => {
  const text = (state: AgentState) => toScreen(renderFrame(state, at(80, 24)), [80, 24]).rows[0]?.text ?? "";
  assertStringIncludes(text(endTurn(answer(WORKING, "A line.\n".repeat(60)), completed)), "› Please fix it.");
  assertEquals(text(ANSWERED), "");
});

Deno.test("the status row is drawn as recorded from Codex 0.169.0", () => {
  const row = renderFrame(WORKING, at(220, 50, 700)).rows[43];
  assertEquals(
    row,
    "\x1b[2m◦\x1b[0m \x1b[2mWorking\x1b[0m \x1b[2m(0s • \x1b[0m\x1b[1mesc\x1b[0m\x1b[2m to interrupt)\x1b[0m",
  );
  assertEquals(renderFrame(ANSWERED, at(220, 50)).rows[46], "\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m");
});

Deno.test("a terminal that is far too small still gets a whole frame", () => {
  for (const [cols, rows] of [[1, 1], [2, 3], [5, 2], [10, 5]] as const) {
    for (const [state] of Object.values(STATES)) {
      const frame = renderFrame(state, at(cols, rows));
      assertEquals(frame.rows.length, rows);
      if (frame.cursor) assert(frame.cursor[0] < cols && frame.cursor[1] < rows && frame.cursor[1] >= 0);
    }
  }
});

Deno.test("a frame of another height is drawn completely, and one of the same height only where it differs", () => {
  const small = renderFrame(WORKING, at(80, 24));
  const large = renderFrame(WORKING, at(80, 30));
  assertStringIncludes(drawFrame(small, large), "\x1b[2J");
  const later = drawFrame(small, renderFrame(WORKING, at(80, 24, 2200)));
  assert(!later.includes("Ask Codex"));
  assertStringIncludes(later, "(2s • ");
});

Deno.test("the status row alone tells that the agent works, where no title is known", () => {
  for (const state of [WORKING, LONG_WORKING, COMMENTED, beginTurn(ANSWERED, "And now?", 1000)]) {
    const { title: _title, ...screen } = toScreen(renderFrame(state, at(120, 40)), [120, 40]);
    assertEquals(classify(screen, CODEX_RULES).rule, "status-row");
  }
});

Deno.test("a prompt in the conversation is seen as one, a prompt that an answer quotes is not", () => {
  const echoOf = (state: AgentState) => {
    const screen = toScreen(renderFrame(state, at(120, 40)), [120, 40]);
    return screen.rows[findRegions(screen, CODEX_RULES.layout).echoRow ?? -1]?.text;
  };
  assertEquals(echoOf(answer(WORKING, TRICKY_ANSWER)), "› Please fix it.");
  assertEquals(echoOf(beginTurn(ANSWERED, "And now?", 1000)), "› And now?");
  assertEquals(echoOf(FRESH), undefined);
});
