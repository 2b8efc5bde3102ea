import { assertEquals } from "@std/assert";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { classifyScreen } from "../../lib/agents/classify_screen.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { classify, type Condition, judgeRules, parseScreen, type Rule, type RulePack } from "../../lib/screen/mod.ts";

const AT_REST =
  "\x1b[1;2m› \x1b[0mhi\n\n\x1b[2m•\x1b[0m hello\n  there\n\n\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m\n\n  footer";

/** The Codex layout with one rule of a test's own. */
function packWith(when: Condition, more: Partial<Rule> = {}): RulePack {
  const rule: Rule = { id: "own", status: "error", priority: 1, when: [when], ...more };
  return { ...CODEX_RULES, rules: [rule] };
}

const CONDITIONS: readonly (readonly [string, Condition, boolean])[] = [
  ["a row anywhere in its region", { on: "rows", region: "last_turn", text: /there$/ }, true],
  ["a row of the conversation", { on: "rows", region: "transcript", text: /^› hi/ }, true],
  ["a row of an earlier turn", { on: "rows", region: "last_turn", text: /^› hi/ }, false],
  ["a row of another region", { on: "rows", region: "footer", text: /there$/ }, false],
  ["the first row of a block", { on: "rows", region: "last_turn", row: "head", text: /^• hello/ }, true],
  ["a row that begins no block", { on: "rows", region: "last_turn", row: "head", text: /there/ }, false],
  ["the last row", { on: "rows", region: "screen", row: "last", text: /footer/ }, true],
  ["not the last row", { on: "rows", region: "screen", row: "last", text: /there/ }, false],
  ["the match's style", { on: "rows", region: "last_turn", text: /^•/, style: { dim: true } }, true],
  ["another style", { on: "rows", region: "last_turn", text: /^•/, style: { bold: true } }, false],
  [
    "the style of a group",
    { on: "rows", region: "last_turn", text: /^• (?<styled>hello)/, style: { plain: true } },
    true,
  ],
  ["a title", { on: "title", text: /^busy/ }, true],
  ["a program's name", { on: "command", text: /^codex$/ }, true],
  ["a cursor that is shown", { on: "cursor", visible: true }, true],
  ["a cursor that is hidden", { on: "cursor", visible: false }, false],
  ["style at all", { on: "style", present: true }, true],
  ["a composer", { on: "layout", has: "composer" }, true],
  ["a draft", { on: "layout", has: "draft" }, false],
  ["a prompt that was sent", { on: "layout", has: "prompt_echo" }, true],
  ["a dialog", { on: "layout", has: "dialog" }, false],
  ["a dialog of a kind", { on: "dialog", kinds: ["command"] }, false],
  ["a process that ended", { on: "dead" }, false],
];

for (const [what, condition, holds] of CONDITIONS) {
  Deno.test(`a condition on ${what} ${holds ? "holds" : "does not hold"}`, () => {
    const screen = parseScreen(AT_REST, { title: "busy bee", command: "codex", cursorVisible: true });
    assertEquals(classify(screen, packWith(condition)).status, holds ? "error" : "unknown");
  });
}

Deno.test("what is not known of a screen fulfils no condition", () => {
  const screen = parseScreen(AT_REST);
  for (const condition of CONDITIONS.map(([, each]) => each)) {
    if (condition.on !== "title" && condition.on !== "command" && condition.on !== "cursor") continue;
    assertEquals(classify(screen, packWith(condition)).status, "unknown");
  }
});

Deno.test("all conditions must hold, no exclusion may, and the evidence is in the order of the conditions", () => {
  const screen = parseScreen(AT_REST, { title: "t" });
  const title: Condition = { on: "title", text: /t/ };
  const row: Condition = { on: "rows", region: "last_turn", text: /there/ };
  const both = packWith(title, { when: [title, row] });
  assertEquals(classify(screen, both).evidence, [{ row: -1, text: "title: t" }, { row: 3, text: "  there" }]);
  assertEquals(classify(screen, packWith(title, { when: [title, { on: "dead" }] })).rule, "none");
  const excluded = packWith(title, { excludes: [row] });
  assertEquals(classify(screen, excluded).rule, "none");
  assertEquals(judgeRules(screen, excluded).map(({ verdict, evidence }) => [verdict, evidence.length]), [[
    "excluded",
    1,
  ]]);
});

Deno.test("the highest priority decides, whatever the order, and of equal ones the first", () => {
  const screen = parseScreen(AT_REST);
  const when: readonly [Condition] = [{ on: "layout", has: "composer" }];
  const base = { when };
  const rules: readonly Rule[] = [
    { ...base, id: "low", status: "idle", priority: 1 },
    { ...base, id: "first", status: "error", priority: 5 },
    { ...base, id: "second", status: "processing", priority: 5 },
  ];
  const { rule, beaten } = classify(screen, { ...CODEX_RULES, rules });
  assertEquals([rule, beaten.map((each) => each.rule)], ["first", ["second", "low"]]);
});

Deno.test("no rule applies to an empty screen: unknown, by none, with no evidence", () => {
  for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
    for (const capture of ["", "\n\n", "some output\n", "\x1b[31mred\x1b[0m"]) {
      const { status, rule, evidence, beaten } = classify(parseScreen(capture), pack);
      assertEquals([status, rule, evidence, beaten], ["unknown", "none", [], []]);
    }
  }
});

Deno.test("a pane that shows a shell is an error whatever its stale frame shows, one that runs node is not", () => {
  const working = AT_REST.replace("hello", "Working (1s • esc to interrupt)");
  for (const command of ["bash", "-bash", "sh", "zsh", "fish", "dash"]) {
    const screen = parseScreen(working, { command, title: "⠋ proj" });
    assertEquals(classifyScreen("codex", screen).status, "error", command);
    assertEquals(classifyScreen("claude_code", screen).status, "error", command);
  }
  for (const command of ["node", "codex", "claude", "ssh", "fishing"]) {
    assertEquals(classifyScreen("codex", parseScreen(AT_REST, { command })).status, "completed", command);
  }
  assertEquals(classifyScreen("codex", parseScreen(AT_REST, { dead: true })).status, "error");
});

Deno.test("Codex: a prompt that was just sent is processing, although nothing came yet", () => {
  const screen = parseScreen(
    "\x1b[1;2m› \x1b[0mhi\n\n\x1b[1m›\x1b[0m \x1b[2mAsk Codex to do anything\x1b[0m\n\n  footer",
  );
  assertEquals(classifyScreen("codex", screen).status, "processing");
});

Deno.test("Codex: a status row that is cut before its seconds is one by its style", () => {
  const cut = "\x1b[2m◦\x1b[0m \x1b[2mThe discount is probably rounded per line before…\x1b[0m";
  const status = (row: string) =>
    classifyScreen("codex", AT_REST.replace("\x1b[2m•\x1b[0m hello\n  there", row)).status;
  assertEquals(status(cut), "processing");
  assertEquals(status("\x1b[2m•\x1b[0m The discount is probably rounded per line before…"), "completed");
  assertEquals(status("• \x1b[1mRan\x1b[0m \x1b[2mpython3 - <<'PY' …\x1b[0m"), "completed");
});

Deno.test("Codex: an answer whose first row quotes the status row is no status row", () => {
  const screen = parseScreen(AT_REST.replace("hello", "Working (3s • esc to interrupt)"));
  assertEquals(classifyScreen("codex", screen).status, "completed");
});

Deno.test("Codex: a title that asks for action waits, but not while the composer is there", () => {
  const title = "[ ! ] Action Required | task | proj";
  assertEquals(
    classifyScreen("codex", parseScreen("  A dialog of a new kind\n", { title })).status,
    "waiting_user_answer",
  );
  assertEquals(classifyScreen("codex", parseScreen(AT_REST, { title })).status, "completed");
});

Deno.test("classifyScreen: an id that no provider has is refused, with those that there are", () => {
  let hint = "";
  try {
    classifyScreen("codx", "");
  } catch (error) {
    hint = (error as { hint?: string }).hint ?? "";
  }
  assertEquals(hint, "The providers are codex, claude_code.");
});
