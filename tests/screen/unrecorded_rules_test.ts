/** The rules that decide on no recording: each of them decides on a screen here, drawn as its CLI draws. */
import { assertEquals } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { readProofs } from "../support/proofs.ts";
import { classify, parseScreen, type ScreenMeta, type TerminalStatus } from "../../lib/screen/mod.ts";

interface Drawn {
  readonly rule: string;
  readonly status: TerminalStatus;
  readonly screen: string;
  readonly meta?: ScreenMeta;
}

const bold = (text: string) => `\x1b[1m${text}\x1b[0m`;
const dim = (text: string) => `\x1b[2m${text}\x1b[0m`;
const color = (index: number, text: string) => `\x1b[38;5;${index}m${text}\x1b[0m`;

const CODEX_ECHO = "\x1b[1;2m›\x1b[0m Fix it.";
const CODEX_COMPOSER = `${bold("›")} ${dim("Ask Codex to do anything")}\n\n  ${dim("gpt-5 default · ~/shop")}`;
const codex = (...blocks: readonly string[]) => [CODEX_ECHO, ...blocks, CODEX_COMPOSER].join("\n\n");

const LINE = "─".repeat(60);
const CLAUDE_ECHO = "\x1b[48;5;237m❯ Fix it.\x1b[0m";
const CLAUDE_COMPOSER = `${LINE}\n❯\u00a0\n${LINE}\n  ? for shortcuts`;
const CLAUDE_DRAFT = `${LINE}\n❯\u00a0and then\n${LINE}\n  ? for shortcuts`;
const claude = (composer: string, ...blocks: readonly string[]) => [CLAUDE_ECHO, ...blocks, composer].join("\n\n");

const CODEX: readonly Drawn[] = [
  { rule: "process-ended", status: "error", screen: codex("• Working (1s • esc to interrupt)"), meta: { dead: true } },
  {
    rule: "title-action-required",
    status: "waiting_user_answer",
    screen: `${CODEX_ECHO}\n\n  A dialog that looks like none before\n\n  [ go ]  [ leave ]`,
    meta: { title: "[ ! ] Action Required | shop" },
  },
  { rule: "exploring", status: "processing", screen: codex(`• ${bold("Exploring")}\n  ${dim("└")} Read cart.ts`) },
  {
    rule: "exploring-words",
    status: "processing",
    screen: "› Fix it.\n\n• Exploring\n  └ Read cart.ts\n\n›\n100% context left",
  },
  {
    rule: "interrupt-hint-words",
    status: "processing",
    screen: "› Fix it.\n\n• Working (esc to interrupt)\n\n›\n100% context left",
  },
  { rule: "tail-interrupt-hint-words", status: "processing", screen: "› Fix it.\n\n• Working (esc to interrupt)" },
  { rule: "prompt-sent", status: "processing", screen: codex() },
  {
    rule: "title-state",
    status: "processing",
    screen: codex("• Half an"),
    meta: { title: "codex | Working | Fix it" },
  },
  {
    rule: "worked-for",
    status: "completed",
    screen: `OpenAI Codex (v0.169.0)\nmodel: GPT-6\n\nFix it.\n\nFixed.\n\nWorked for 7s • 22:15\n\n${CODEX_COMPOSER}`,
  },
  { rule: "dim-row", status: "unknown", screen: codex(`${dim("•")} ${dim("Busy for 2 s, q stops it")}`) },
  { rule: "unknown-mark", status: "unknown", screen: codex("• I will look.", "◆ Busy for 2 s, q stops it") },
];

const CLAUDE: readonly Drawn[] = [
  { rule: "process-ended", status: "error", screen: claude(CLAUDE_COMPOSER), meta: { dead: true } },
  {
    rule: "title-spinner",
    status: "processing",
    screen: claude(CLAUDE_COMPOSER, `${color(231, "●")} Half an`),
    meta: { title: "⠐ Fix it" },
  },
  { rule: "yes-or-no", status: "waiting_user_answer", screen: "$ claude\nGo on without colours? [y/N]:" },
  {
    rule: "interrupted-above-auto-notice",
    status: "idle",
    screen: [
      "❯ Push it.",
      "  ⎿  Rejected update to cart.ts",
      "● Auto mode can't check actions in this session. Its safety check",
      CLAUDE_COMPOSER,
    ].join("\n\n"),
  },
  { rule: "tail-spinner", status: "processing", screen: "✻ Crunching… (esc to interrupt)" },
  { rule: "tail-spinner-styled", status: "processing", screen: color(174, "✻ Crunching… (esc to interrupt)") },
  { rule: "permission-words-1", status: "waiting_user_answer", screen: "Would you like to run this?" },
  { rule: "permission-words-2", status: "waiting_user_answer", screen: "Do you want to write outside the sandbox?" },
  { rule: "permission-words-3", status: "waiting_user_answer", screen: "Allow bash to run?" },
  { rule: "permission-words-styled", status: "waiting_user_answer", screen: bold("Allow bash to run?") },
  {
    rule: "turn-error-bullet",
    status: "error",
    screen: claude(CLAUDE_COMPOSER, `${color(220, "●")} ${color(220, "The server fell over in words of its own")}`),
  },
  {
    rule: "turn-error-reply",
    status: "error",
    screen: claude(CLAUDE_COMPOSER, `${color(246, "  ⎿  ")}${color(211, "Your key is no key · Try another")}`),
  },
  {
    rule: "answer-scrolled-with-draft",
    status: "completed",
    screen: `\x1b[0m  the end of a long answer\n\n${CLAUDE_DRAFT}`,
  },
];

for (const [pack, drawn] of [[CODEX_RULES, CODEX], [CLAUDE_CODE_RULES, CLAUDE]] as const) {
  Deno.test(`${pack.provider}: each rule without a recording decides on a screen that is drawn for it`, () => {
    const told = drawn.map(({ screen, meta }) => classify(parseScreen(screen, meta), pack))
      .map(({ rule, status }) => ({ rule, status }));
    assertEquals(told, drawn.map(({ rule, status }) => ({ rule, status })));
    const proofs = readProofs(pack.provider);
    const unrecorded = pack.rules.map(({ id }) => id).filter((id) => proofs[id] === undefined);
    assertEquals(drawn.map(({ rule }) => rule).toSorted(), unrecorded.toSorted());
  });
}

Deno.test("codex: an answer that names Codex, its prompt out of sight, is no start that nobody has asked", () => {
  const told = (...rows: readonly string[]) =>
    classify(parseScreen([...rows, CODEX_COMPOSER].join("\n\n")), CODEX_RULES).status;
  assertEquals(told("• The log begins with:", "  OpenAI Codex (v0.169.0)"), "completed");
  assertEquals(told("  OpenAI Codex (v0.169.0)", "  It has no bullet."), "completed");
  assertEquals(told("  >_ OpenAI Codex (v0.169.0)", "• Plan mode is on."), "idle");
  assertEquals(told("OpenAI Codex (v0.169.0)", "• Plan mode is on."), "idle");
});

Deno.test("claude_code: an error is what has the colour of its bullet, in any theme, and no hint in grey", () => {
  const told = (bullet: string, text: string) =>
    classify(parseScreen(claude(CLAUDE_COMPOSER, `${bullet} ${text}`)), CLAUDE_CODE_RULES).status;
  for (const index of [1, 3, 9, 11, 178, 220]) {
    assertEquals(told(color(index, "●"), color(index, "The server fell over in words of its own")), "error");
  }
  assertEquals(told("\x1b[38;2;200;150;20m●\x1b[39m", "\x1b[38;2;200;150;20mIt fell over\x1b[39m"), "error");
  assertEquals(told(color(8, "●"), color(8, "A hint in words of its own")), "completed");
  assertEquals(told(color(0, "●"), color(4, "src/cart.ts")), "completed");
});

Deno.test("claude_code: without colours words tell an error, and its dialogs need proof", () => {
  const frame = `${LINE}\n❯\u00a0\x1b[7m \x1b[0m\n${LINE}\n  ? for shortcuts`;
  const told = (screen: string) => classify(parseScreen(screen), CLAUDE_CODE_RULES).status;
  assertEquals(told(`❯ Fix it.\n\n● API Error: 500 Internal server error\n\n${frame}`), "error");
  assertEquals(told(`❯ Fix it.\n\n● It said "API Error: 500".\n\n${frame}`), "completed");
  const choices = " Do you want to proceed?\n ❯ 1. Yes\n   2. No";
  const cell = "\x1b[7m \x1b[0m";
  assertEquals(
    told(`${cell}\n${LINE}\n Bash command\n\n${choices}\n\n Esc to cancel · Tab to amend`),
    "waiting_user_answer",
  );
  assertEquals(
    told(`${cell}\n${LINE}\n Bash command\n\n${choices}\n${LINE.slice(0, 40)} reviewer ─`),
    "waiting_user_answer",
  );
  assertEquals(told(`${cell}\n● The log held this:\n\n ${choices.replaceAll("\n", "\n ")}`), "unknown");
});

Deno.test("claude_code: a tool that failed is no failed turn, and a white bullet is an answer", () => {
  const told = (...blocks: readonly string[]) =>
    classify(parseScreen(claude(CLAUDE_COMPOSER, ...blocks)), CLAUDE_CODE_RULES).rule;
  const failedTool = `${color(211, "●")} Bash(false)\n${color(246, "  ⎿  ")}${color(211, "Error: exit code 1")}`;
  assertEquals(told(failedTool), "answered");
  assertEquals(told(failedTool, `${color(231, "●")} It failed.`), "answered");
});

Deno.test("claude_code: the notice that auto mode can't check actions is no failed turn", () => {
  const told = (...blocks: readonly string[]) =>
    classify(parseScreen(claude(CLAUDE_COMPOSER, ...blocks)), CLAUDE_CODE_RULES).rule;
  const warning = (text: string) => `${color(220, "●")} ${color(220, text)}`;
  const notice = warning("Auto mode can't check actions in this session. Its safety check runs on the server");
  const declined = "  ⎿  $ git push\n  ⎿  Interrupted · What should Claude do instead?";
  assertEquals(told(declined, notice), "interrupted-above-notice");
  assertEquals(told(declined, warning("Another notice")), "interrupted-above-notice");
  assertEquals(told(notice), "answered");
  assertEquals(told(notice, `${color(231, "●")} Pushed.`), "answered");
  assertEquals(told(notice, warning("API Error: 500 Internal server error")), "turn-error");
  assertEquals(told(notice, warning("The server fell over in words of its own")), "turn-error-bullet");
  const stopped = "Auto mode can't check actions in this session, so Claude stopped after a run of responses whose";
  assertEquals(told(warning(stopped)), "turn-error-bullet");
});
