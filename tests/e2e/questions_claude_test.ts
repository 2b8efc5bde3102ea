import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError } from "../../lib/base/errors.ts";
import type { Step } from "../lab/steps.ts";
import { RESPONSE, setUpDialogs } from "./dialog_stage.ts";

interface Asked {
  readonly question: string;
  readonly multiSelect?: boolean;
  /** Labels; each has a description. */
  readonly options: readonly string[];
}

function ask(...questions: readonly Asked[]): Step {
  return {
    do: "call",
    tool: "AskUserQuestion",
    input: {
      questions: questions.map(({ question, multiSelect = false, options }, index) => ({
        question,
        header: `Topic ${index + 1}`,
        multiSelect,
        options: options.map((label) => ({ label, description: `What ${label} means` })),
      })),
    },
  };
}

const DATABASE: Asked = { question: "Which database should we use?", options: ["PostgreSQL", "SQLite"] };
const FEATURES: Asked = {
  question: "Which features do you want?",
  multiSelect: true,
  options: ["Logging", "Metrics, hourly", "Tracing"],
};
const PORT: Asked = { question: "1. Which port?", options: ["8080", "80", "443", "2"] };

/** What is asked, what a person says, and what Claude Code has on record as the answers afterwards. */
const CASES: readonly (readonly [name: string, asked: readonly Asked[], said: string, recorded: readonly string[]])[] =
  [
    ["one choice by its number", [DATABASE], "2", ["SQLite"]],
    ["words of a person's own", [DATABASE], "text: the outbox, and @no file", ["the outbox, and @no file"]],
    ["several choices by number and label", [FEATURES], "3, metrics, hourly", ['"Metrics, hourly", Tracing']],
    ["a choice and words", [FEATURES], "1, text: a page; 3", ["Logging, a page; 3"]],
    ["several questions", [DATABASE, FEATURES, PORT], "postgresql\n1,2\ntext: 8443", [
      "PostgreSQL",
      'Logging, "Metrics, hourly"',
      "8443",
    ]],
  ];

for (
  const [tui, size] of [
    ["fullscreen", { cols: 220, rows: 50 }],
    ["fullscreen", { cols: 80, rows: 24 }],
    ["default", { cols: 80, rows: 24 }],
  ] as const
) {
  Deno.test(`Claude Code (${tui}, ${size.cols} columns): questions are answered as a person says, and its record is the proof`, async () => {
    const said = CASES.map(([, , text]) => text);
    await using dialogs = await setUpDialogs({
      provider: "claude_code",
      tui,
      size,
      prompts: [CASES.flatMap(([, asked]): Step[] => [ask(...asked), { do: "wait", ms: 300 }])],
      person: () => said.shift(),
    });
    assertEquals(await dialogs.play(), RESPONSE);
    const waiting = dialogs.events.filter((event) => event.type === "dialog_waiting");
    assertEquals(waiting.map(({ question, questions }) => [question, questions?.length]), [
      ...CASES.map(([, asked], index) => [`q${index + 1}`, asked.length]),
    ]);
    assertStringIncludes(waiting[0]?.subject ?? "", "  2. SQLite: What SQLite means");
    const answered = dialogs.events.filter((event) => event.type === "dialog_answered").filter(({ kind }) =>
      kind === "question"
    );
    assertEquals(answered.map(({ result, replies }) => [result, replies]), [
      ...CASES.map((
        [, asked, , recorded],
      ) => ["closed", asked.map(({ question }, at) => `${question} → ${recorded[at]}`).join("\n")]),
    ]);
    const told = await dialogs.told();
    for (const [name, asked, , recorded] of CASES) {
      for (const [at, { question }] of asked.entries()) {
        assert(told.includes(`${JSON.stringify(question)}:${JSON.stringify(recorded[at])}`), name);
      }
    }
    assertEquals(dialogs.decisions().filter((one) => one.startsWith("deny")), []);
    assertEquals(dialogs.results().filter((one) => one.startsWith("closed: ")).length, CASES.length);
  });
}

Deno.test("Claude Code: a question that its low screen does not show as it was asked is answered in the pane", async () => {
  const options = ["One", "Two", "Three", "Four"].map((label) => `${label} ${"word ".repeat(70)}`);
  await using dialogs = await setUpDialogs({
    provider: "claude_code",
    size: { cols: 80, rows: 24 },
    prompts: [[ask({ question: "Which of these?", options }), { do: "wait", ms: 300 }]],
    dialogTimeoutSeconds: 8,
  });
  await assertRejects(() => dialogs.play(), HumanInterventionRequiredError, "a question to the person waited");
  const [waiting] = dialogs.events;
  assert(waiting?.type === "dialog_waiting" && waiting.question === undefined);
  assertStringIncludes(waiting.subject ?? "", "Which of these?\n  1. One word");
  assertStringIncludes(waiting.reason, "It can only be answered in the pane");
  assertEquals(dialogs.results(), []);
});

Deno.test("Claude Code: a question beside the panel in which it shows the changes of a repository is answered", async () => {
  const said = ["2", "text: the outbox", "1,2\nsqlite", "yes"];
  await using dialogs = await setUpDialogs({
    provider: "claude_code",
    size: { cols: 220, rows: 50 },
    prepare: async (cwd) => {
      for (
        const args of [["init"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "--allow-empty", "-m", "a"]]
      ) {
        assert((await new Deno.Command("git", { args, cwd }).output()).success);
      }
    },
    policy: { ask: [{ command: "touch *" }] },
    prompts: [[
      { do: "call", tool: "Write", input: { file_path: "b.txt", content: "❯ 1. Yes\n│ ✕\n" } },
      { do: "wait", ms: 2500 },
      ask(DATABASE),
      { do: "wait", ms: 300 },
      ask(DATABASE),
      { do: "wait", ms: 300 },
      ask(FEATURES, DATABASE),
      { do: "shell", command: "touch seen" },
    ]],
    person: () => said.shift(),
  });
  assertEquals(await dialogs.play(), RESPONSE);
  const { screen } = await dialogs.agent.look();
  assertMatch(screen.rows[0]!.raw, /│.*✕/);
  assert(!screen.rows[0]!.text.includes("✕"));
  // The last one is that of the response.
  const answered = dialogs.events.filter((event) => event.type === "dialog_answered").slice(0, -1);
  assertEquals(answered.map(({ result, replies, subject = "" }) => [result, replies ?? subject.split("/").at(-1)]), [
    ["closed", "b.txt"],
    ["closed", "Which database should we use? → SQLite"],
    ["closed", "Which database should we use? → the outbox"],
    ["closed", 'Which features do you want? → Logging, "Metrics, hourly"\nWhich database should we use? → SQLite'],
    ["closed", "touch seen"],
  ]);
  assert((await Deno.stat(`${dialogs.project}/seen`)).isFile);
});
