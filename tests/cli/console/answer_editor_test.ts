import { assertEquals, assertMatch, assertNotMatch, assertStringIncludes, fail } from "@std/assert";
import { type AnswerEditor, EMPTY_ANSWER, onInput, renderAnswer } from "../../../lib/cli/console/answer_editor.ts";
import { askedDialog, askedQuestion, openTerminalPerson } from "../../../lib/cli/console/ask_person.ts";
import { createKeyDecoder } from "../../../lib/base/text/keys.ts";
import { displayWidth } from "../../../lib/base/text/display_width.ts";
import { createManualClock } from "../../lab/replay/manual_clock.ts";
import { fakeIo } from "../../support/fake_io.ts";

/** What pieces of a terminal's input come to: the answer, `left`, or the editor with `|` for the cursor. */
function type(...pieces: readonly string[]): string {
  const decoder = createKeyDecoder();
  let editor = EMPTY_ANSWER;
  for (const piece of pieces) {
    const step = onInput(editor, decoder.push(new TextEncoder().encode(piece)));
    if (step.type === "sent") return `sent: ${step.answer}`;
    if (step.type === "left") return "left";
    editor = step.editor;
  }
  return `${editor.before}|${editor.after}`;
}

Deno.test("Enter sends what was typed, however the terminal cuts and ends it", () => {
  assertEquals(type("PostgreSQL\r"), "sent: PostgreSQL");
  assertEquals(type("Post", "greSQL", "\n"), "sent: PostgreSQL");
  assertEquals(type("a\r\n"), "sent: a");
  assertEquals(type("\r", "  \r", "x", "\r"), "sent: x");
});

Deno.test("an answer may have several lines: Alt+Enter, a backslash before Enter, a paste", () => {
  assertEquals(type("one", "\x1b\r", "two", "\r"), "sent: one\ntwo");
  assertEquals(type("one\\", "\r", "two", "\r"), "sent: one\ntwo");
  assertEquals(type("\x1b[200~one\rtwo\r\x1b[201~", "\r"), "sent: one\ntwo");
  assertEquals(type("\x1b[200~one\n", "two", "\x1b[20", "1~", "\r"), "sent: one\ntwo");
  assertEquals(type("one\ntwo\nthree\n"), "sent: one\ntwo\nthree");
  // Typed faster than it was read: it comes at once.
  assertEquals(type("one\\\rtwo\\\rthree\r"), "sent: one\ntwo\nthree");
});

Deno.test("Esc is a key of its own: it takes nothing of what is typed after it along", () => {
  assertEquals(type("\x1b", "y", "es", "\r"), "sent: yes");
  assertEquals(type("\x1byes\r"), "sent: yes");
  assertEquals(type("\x1b\x1b", "yes", "\x1b", "\x1b[D", "X"), "yeX|s");
});

Deno.test("Ctrl-D leaves the question open where nothing is written, and sends what is", () => {
  assertEquals(type("\x04"), "left");
  assertEquals(type("x", "\x04"), "sent: x");
});

Deno.test("the cursor moves, and characters go away where it is", () => {
  assertEquals(type("abc\x1b[D\x1b[D", "X"), "aX|bc");
  assertEquals(type("abc\x01X\x05Y"), "XabcY|");
  assertEquals(type("abc\x7f\x7f"), "a|");
  assertEquals(type("abc\x1b[D\x1b[3~"), "ab|");
  assertEquals(type("one two\x17"), "one |");
  assertEquals(type("one\x1b\rtwo\x15"), "one\n|");
  assertEquals(type("abcd\x1b\rxy\x1b[A"), "ab|cd\nxy");
  assertEquals(type("ab\x1b\rwxyz\x1b[A\x1b[A"), "|ab\nwxyz");
  assertEquals(type("ab\x1b\rwxyz\x1b[A\x1b[B\x1b[B"), "ab\nwxyz|");
  assertEquals(type("a👨‍👩‍👧é\x7f"), "a👨‍👩‍👧|");
  assertEquals(type("a👨‍👩‍👧\x7f"), "a|");
});

Deno.test("escape sequences and control characters of no meaning change nothing, also when they come in pieces", () => {
  assertEquals(type("a\x1b[", "15~", "b\x1b", "[Zc\x00\u009b\x1bd"), "abcd|");
  assertEquals(type("\x1b[200~\x1b[A\x03x\x1b[201~"), "x|");
  for (const input of ["héllo 界\r", "one\x1b\rtwo\x1b[D\x1b[200~x\ny\x1b[201~z"]) {
    const whole = type(input);
    for (let cut = 1; cut < input.length; cut++) {
      const before = input.slice(0, cut);
      // A line end that comes last is Enter; inside a paste it is none.
      assertEquals(type(before, input.slice(cut)), whole, JSON.stringify([before, input.slice(cut)]));
    }
  }
});

Deno.test("an answer is wrapped to the terminal, and the cursor is where the next character goes", () => {
  const editor: AnswerEditor = { before: "abcdefgh界", after: "\nx" };
  const { rows, cursor } = renderAnswer(editor, { columns: 9 });
  assertEquals(rows, ["> abcdef", "  gh界", "  x"]);
  assertEquals(cursor, { row: 1, column: 6 });
  for (const row of rows) assertEquals(displayWidth(row) <= 9, true);
  assertEquals(renderAnswer(EMPTY_ANSWER, { columns: 1 }), { rows: ["> "], cursor: { row: 0, column: 2 } });
});

const QUESTION = {
  id: "q1",
  task: "/w/task.md",
  step: "build",
  text: "Which \x1b[31mdatabase?",
  attemptLog: `old line\n${"x\n".repeat(20)}$ cat schema.sql`,
  askedAt: "2026-11-20T10:00:00Z",
  open: true,
  secondsLeft: 900,
};

Deno.test("a person is shown the question with its context, and what is typed comes back", async () => {
  const io = fakeIo({ terminal: true, keys: ["Post", "greSQL", "\r"] });
  using person = openTerminalPerson(io);
  assertEquals(await person.ask(askedQuestion(QUESTION), new AbortController().signal), "PostgreSQL");
  const shown = io.written.stderr;
  assertMatch(shown, /Question q1 of step "build", task \/w\/task\.md\nWhat the agent did last:\n/);
  assertStringIncludes(shown, "  $ cat schema.sql\n");
  assertStringIncludes(shown, "Time left to answer: 15m 00s.");
  assertStringIncludes(shown, "Which \\x1b[31mdatabase?");
  assertNotMatch(shown, /old line/);
  assertEquals(io.written.stdout, "");
});

Deno.test("under TERM=dumb the terminal edits each line itself, and gets no control sequence", async () => {
  const asked = async (...keys: readonly string[]) => {
    const io = fakeIo({ terminal: true, env: { TERM: "dumb" }, keys });
    const input = { ...io.openTerminalInput(), startRaw: () => fail("the terminal is to stay as it is") };
    using person = openTerminalPerson({ ...io, openTerminalInput: () => input });
    const answer = await person.ask(askedQuestion(QUESTION), new AbortController().signal);
    assertEquals(io.written.stderr.includes("\x1b"), false);
    return answer;
  };
  assertEquals(await asked("Post", "gre\x1b[DSQL\n"), "PostgreSQL");
  assertEquals(await asked("\n", "one\\\n", "two\n"), "one\ntwo");
});

Deno.test("Esc that nothing follows for a while is a key: Enter after it sends, and a bracket is a character", async () => {
  const clock = createManualClock();
  for (const [keys, answer] of [[["yes", "\x1b", "\r"], "yes"], [["\x1b", "[", "A", "\r"], "[A"]] as const) {
    const io = fakeIo({ terminal: true, keys });
    const input = io.openTerminalInput();
    const slow = { ...input, read: (signal: AbortSignal) => clock.advance(1000).then(() => input.read(signal)) };
    using person = openTerminalPerson({ ...io, openTerminalInput: () => slow }, { clock });
    assertEquals(await person.ask(askedQuestion(QUESTION), new AbortController().signal), answer);
  }
  const io = fakeIo({ terminal: true, keys: ["one", "\x1b", "\r", "two", "\r"] });
  using person = openTerminalPerson(io, { clock });
  assertEquals(
    await person.ask(askedQuestion(QUESTION), new AbortController().signal),
    "one\ntwo",
    "Alt-Enter comes at once",
  );
  assertEquals(clock.sleepers, 0);
});

Deno.test("a person is asked about a dialog as what it is: role, kind, command and reason; not about a step", async () => {
  const io = fakeIo({ terminal: true, keys: ["no, not here", "\r"] });
  using person = openTerminalPerson(io);
  const dialog = askedDialog({
    id: "q2",
    role: "programmer_review",
    kind: "command",
    subject: "rm -rf build\n\x1b[2Jls",
    reason: "No rule allows it.",
    secondsLeft: 600,
  });
  assertEquals(await person.ask(dialog, new AbortController().signal), "no, not here");
  const shown = io.written.stderr;
  assertStringIncludes(
    shown,
    "Dialog q2: the programmer_review wants to run a command\n  | rm -rf build\n  | \\x1b[2Jls\n",
  );
  assertStringIncludes(shown, "You are asked because: No rule allows it.\nTime left to answer: 10m 00s.\n");
  assertStringIncludes(shown, "Your answer: yes, or no and why");
  assertNotMatch(shown, /step|task|Question/);
});

Deno.test("a person who leaves the question open, or is overtaken, gives no answer", async () => {
  const leaving = fakeIo({ terminal: true, keys: ["\x04"] });
  using person = openTerminalPerson(leaving);
  assertEquals(await person.ask(askedQuestion(QUESTION), new AbortController().signal), undefined);
  assertStringIncludes(leaving.written.stderr, "The question stays open.");
  const controller = new AbortController();
  using overtaken = openTerminalPerson(fakeIo({ terminal: true, keys: ["half"] }));
  const answer = overtaken.ask(askedQuestion(QUESTION), controller.signal);
  setTimeout(() => controller.abort(), 10);
  assertEquals(await answer, undefined);
});

Deno.test("whatever bytes a terminal sends, keys come of it and nothing throws", () => {
  let seed = 7;
  const next = () => seed = (seed * 48271) % 2147483647;
  for (let round = 0; round < 300; round++) {
    const decoder = createKeyDecoder();
    let editor = EMPTY_ANSWER;
    for (let piece = 0; piece < 5; piece++) {
      const text = Array.from(
        { length: next() % 12 },
        () => String.fromCodePoint([27, 91, 13, 10, 126, 49, 50, 48, 127, 9, 0x1f600, 97][next() % 12] ?? 0),
      ).join("");
      const step = onInput(editor, decoder.push(new TextEncoder().encode(text)));
      if (step.type === "editing") editor = step.editor;
      // deno-lint-ignore no-control-regex -- none of them may get into the text
      assertNotMatch(editor.before + editor.after, /[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
      renderAnswer(editor, { columns: 20 });
    }
  }
});
