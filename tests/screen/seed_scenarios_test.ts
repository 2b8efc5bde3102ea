import { assert, assertEquals } from "@std/assert";
import { classifyScreen } from "../../lib/agents/classify_screen.ts";
import { ACTIVE_WORK_UI_PATTERN, USER_PREFIX_PATTERN } from "../../lib/agents/codex/rules.ts";
import { isAtRest } from "../../lib/screen/mod.ts";

const FOOTER = "›\n100% context left\n";
const WIDE_FOOTER = `›\n\n  ? for shortcuts${" ".repeat(50)}100% context left\n`;
const OLDER_FOOTER = "› Find and fix a bug in @filename\n\n  100% context left · ? for shortcuts\n";

const FOOTERS = {
  "standalone prompt": FOOTER,
  "prompt with placeholder": OLDER_FOOTER,
  "footer of two ends": WIDE_FOOTER,
};

for (const [kind, footer] of Object.entries(FOOTERS)) {
  Deno.test(`Codex: Narrative keyword does not block idle detection (${kind})`, () => {
    for (const word of ["running", "working", "executing", "processing"]) {
      const screen = `› Review it\n\n• Please stop ${word} commands. I am ${word} on it no more.\n\n${footer}`;
      assert(isAtRest(classifyScreen("codex", screen).status), word);
    }
  });

  Deno.test(`Codex: Active work UI correctly blocks idle detection (${kind})`, () => {
    for (
      const active of [
        "• Working (12s • esc to interrupt)",
        "◦ Suspecting a race (1m 2s • esc to interrupt)",
        "• Exploring\n  └ Read src/cart.py",
        "esc to interrupt",
      ]
    ) {
      const before = `› First\n\n• Done.\n\n› Second\n\n${active}\n\n${footer}`;
      assertEquals(classifyScreen("codex", before).status, "processing", active);
      for (const gap of ["", "\n"]) {
        const after = `› First\n\n• Done.\n\n${footer}${gap}${active}\n`;
        assertEquals(classifyScreen("codex", after).status, "processing", after);
      }
    }
  });

  Deno.test(`Codex: Narrative "exploring" does not block idle detection (${kind})`, () => {
    for (const narrative of ["I was exploring the codebase", "While exploring, nothing was found"]) {
      assert(isAtRest(classifyScreen("codex", `› Look\n\n• ${narrative}\n\n${footer}`).status), narrative);
      assert(isAtRest(classifyScreen("codex", `› Look\n\n• Done.\n  ${narrative}\n\n${footer}`).status), narrative);
    }
  });
}

Deno.test("Codex: a prompt with an answer that has begun below it is no composer", () => {
  for (const begun of ["• Working on it...", "• On it.", "■ Reconnecting", "◦ Looking"]) {
    const { status } = classifyScreen("codex", `› Reply with READY\n${begun}\n`);
    assert(!isAtRest(status), `${begun} ${status}`);
  }
});

Deno.test("Codex: USER_PREFIX_PATTERN does not match across newlines", () => {
  assert(!USER_PREFIX_PATTERN.test("›\n100% context left\n"));
  assert(!USER_PREFIX_PATTERN.test("› \n100% context left\n"));
  assert(USER_PREFIX_PATTERN.test("› Reply with READY"));
  assert(USER_PREFIX_PATTERN.test("earlier\n›\tReply with READY\n"));
});

Deno.test("Codex: ACTIVE_WORK_UI_PATTERN is anchored to the bullet", () => {
  assert(ACTIVE_WORK_UI_PATTERN.test("• Exploring\n  └ Read a.ts"));
  assert(ACTIVE_WORK_UI_PATTERN.test("• Working (3s • esc to interrupt)"));
  assert(!ACTIVE_WORK_UI_PATTERN.test("• I was exploring the codebase"));
  assert(!ACTIVE_WORK_UI_PATTERN.test("Exploring the codebase, running and executing commands"));
});

Deno.test("Codex: Standalone chevron prompt not misdetected as user input", () => {
  assertEquals(classifyScreen("codex", `› Reply with READY\n\n• READY\n\n${FOOTER}`).status, "completed");
  assertEquals(classifyScreen("codex", `• READY\n\n${FOOTER}`).status, "completed");
  assertEquals(classifyScreen("codex", FOOTER).status, "idle");
});

Deno.test("Codex: Standalone chevron with prior assistant produces completed", () => {
  const screen = `› Reply with READY\n• READY\n  and waiting\n›\n  100% context left · ? for shortcuts\n`;
  assertEquals(classifyScreen("codex", screen).status, "completed");
});

Deno.test("Claude Code: Active permission prompt detected", () => {
  const question = "Would you like to run the following command?";
  assertEquals(classifyScreen("claude_code", `⏺ I need to.\n\n${question}\n`).status, "waiting_user_answer");
  const dialog = `${question}\n  npm publish\n❯ 1. Yes\n  2. No\n`;
  assertEquals(classifyScreen("claude_code", dialog).status, "waiting_user_answer");
});

Deno.test("Claude Code: Sandbox escape prompt detected", () => {
  const screen = "Do you want to run the frontend production build outside sandbox?\n";
  assertEquals(classifyScreen("claude_code", screen).status, "waiting_user_answer");
  assertEquals(classifyScreen("claude_code", "Allow npm to run\n").status, "waiting_user_answer");
});

Deno.test("Claude Code: Stale permission prompt ignored", () => {
  for (const prompt of ["> ", "❯ ", "❯ next task", "────────\n❯\u00a0\n────────\n  ? for shortcuts"]) {
    const screen = `Would you like to run the following command?\n  npm test\n\n⏺ It passed.\n\n${prompt}\n`;
    assert(classifyScreen("claude_code", screen).status !== "waiting_user_answer", prompt);
  }
});

Deno.test("Claude Code: Spinner takes priority over permission text", () => {
  for (const spinner of ["✻ Thinking… (esc to interrupt)", "✶ Deciphering… (3s · ↓ 24 tokens)"]) {
    const screen = `Would you like to run the following command?\n\n${spinner}\n`;
    assertEquals(classifyScreen("claude_code", screen).status, "processing", spinner);
    const framed = `${screen}\n────────\n❯\u00a0\n────────\n  ? for shortcuts\n`;
    assertEquals(classifyScreen("claude_code", framed).status, "processing", spinner);
  }
});

/** What a terminal shows, as it is captured with its styles; the patterns see it without. */
const bold = (text: string) => `\x1b[1m${text}\x1b[0m`;

Deno.test("Claude Code: permission prompts are matched on ANSI-stripped output", () => {
  const questions = [
    "Would you like to run the following command?",
    "Do you want to run the frontend production build outside sandbox",
    "Allow npm to run",
  ];
  for (const question of questions) {
    const screen = `\x1b[38;5;231m●\x1b[0m I need to.\n\n${bold(question)}\n  npm publish\n`;
    assertEquals(classifyScreen("claude_code", screen).status, "waiting_user_answer", question);
    assert(classifyScreen("claude_code", `${screen}\n${bold("❯")} \n`).status !== "waiting_user_answer", question);
    for (const spinner of ["✻ Thinking… (esc to interrupt)", "✶ Deciphering… (3s · ↓ 24 tokens)"]) {
      for (const both of [`${screen}\n${bold(spinner)}\n`, `${bold(spinner)}\n\n${bold(question)}\n`]) {
        assertEquals(classifyScreen("claude_code", both).status, "processing", both);
      }
    }
    const quoted = `\x1b[38;5;231m●\x1b[0m It asked:\n\n  ${question}\n`;
    assert(classifyScreen("claude_code", quoted).status !== "waiting_user_answer", quoted);
  }
});

Deno.test("a capture whose sequences set no style is read as one without", () => {
  const reset = (text: string) => text.split("\n").map((row) => `\x1b[m${row}\x1b[0m\x1b[00m`).join("\n");
  const narrative = reset(`› Review it\n\n• Please stop running commands.\n\n${FOOTER}`);
  assertEquals(classifyScreen("codex", narrative).status, "completed");
  const dialog = reset("Would you like to run the following command?\n  npm publish\n❯ 1. Yes\n  2. No\n");
  assertEquals(classifyScreen("claude_code", dialog).status, "waiting_user_answer");
});
