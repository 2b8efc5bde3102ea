import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError } from "../../lib/base/errors.ts";
import { sendKeys } from "../../lib/tmux/input.ts";
import type { Step } from "../lab/steps.ts";
import { until } from "../support/until.ts";
import { RESPONSE, setUpDialogs } from "./dialog_stage.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";
import { reviewProject } from "./review_project.ts";

interface Asked {
  readonly id: string;
  readonly question: string;
  /** Labels; each has a description. */
  readonly options: readonly string[];
}

/** By default Codex asks in its plan mode only (0.169.0). */
const ASKS = ["-c", "features.default_mode_request_user_input=true"];

function ask(...questions: readonly Asked[]): Step {
  return {
    do: "call",
    tool: "request_user_input",
    input: {
      questions: questions.map(({ options, ...asked }) => ({
        ...asked,
        header: asked.id,
        options: options.map((label) => ({ label, description: `What ${label} means` })),
      })),
    },
  };
}

const DATABASE: Asked = {
  id: "database",
  question: "Which database should we use?",
  options: ["PostgreSQL (Recommended)", "SQLite"],
};
const PORT: Asked = {
  id: "port",
  question: "1. Which port, and why should it be that one and not another one,\n  › 1. 8080  which is as good?",
  options: ["8080", "80", "443"],
};
const LOG: Asked = { id: "log", question: "Where should the log go?", options: ["Files", "Nowhere"] };

/** What is asked, what a person says, and what Codex has on record as the answers afterwards. */
const CASES: readonly (readonly [asked: readonly Asked[], said: string, recorded: readonly string[]])[] = [
  [[DATABASE], "2", ["SQLite"]],
  [[DATABASE], 'text: the outbox, and "@no file"', ['the outbox, and "@no file"']],
  [[DATABASE, PORT, LOG], "sqlite\n2\nnowhere", ["SQLite", "80", "Nowhere"]],
  [[LOG, DATABASE, PORT], "text: stderr\n1\ntext: 8443", ["stderr", "PostgreSQL (Recommended)", "8443"]],
];

for (const size of [{ cols: 220, rows: 50 }, { cols: 80, rows: 24 }]) {
  Deno.test(`Codex (${size.cols} columns): questions are answered as a person says, and its record is the proof`, async () => {
    const said = CASES.map(([, text]) => text);
    await using dialogs = await setUpDialogs({
      provider: "codex",
      args: ASKS,
      size,
      prompts: [CASES.flatMap(([asked]): Step[] => [ask(...asked), { do: "wait", ms: 300 }])],
      person: ({ kind }) => kind === "question" ? said.shift() : "yes",
    });
    assertEquals(await dialogs.play(), RESPONSE);
    const waiting = dialogs.events.filter((event) => event.type === "dialog_waiting").filter(({ kind }) =>
      kind === "question"
    );
    assertEquals(waiting.map(({ question, questions }) => [question, questions?.length]), [
      ...CASES.map(([asked], index) => [`q${index + 1}`, asked.length]),
    ]);
    assertStringIncludes(waiting[0]?.subject ?? "", "  2. SQLite: What SQLite means");
    const answered = dialogs.events.filter((event) => event.type === "dialog_answered").filter(({ kind }) =>
      kind === "question"
    );
    assertEquals(answered.map(({ result, replies }) => [result, replies]), [
      ...CASES.map((
        [asked, , recorded],
      ) => ["closed", asked.map(({ question }, at) => `${question} → ${recorded[at]}`).join("\n")]),
    ]);
    assertEquals(dialogs.results().filter((one) => one.startsWith("closed: ")).length, CASES.length);
  });
}

Deno.test("Codex: a person who has answered some of its questions in the pane is answered for from the first on", async () => {
  await using dialogs = await setUpDialogs({
    provider: "codex",
    args: ASKS,
    size: { cols: 80, rows: 24 },
    prompts: [[ask(DATABASE, PORT, LOG), { do: "wait", ms: 300 }]],
    async person({ kind }) {
      if (kind !== "question") return "yes";
      for (const [key, shown] of [["1", "Question 2/3"], ["3", "Question 3/3"]] as const) {
        const { agent, stage } = dialogs;
        await sendKeys(stage.session.client, agent.pane.paneId, { keys: [key] });
        await until(async () => (await agent.look()).screen.rows.some(({ text }) => text.includes(shown)));
      }
      return "2\ntext: 8443\n1";
    },
  });
  assertEquals(await dialogs.play(), RESPONSE);
  const answered = dialogs.events.find((event) => event.type === "dialog_answered");
  assertEquals([answered?.result, answered?.replies?.split("\n").at(-1)], ["closed", `${LOG.question} → Files`]);
  assertStringIncludes(answered?.replies ?? "", "→ SQLite");
  assertStringIncludes(answered?.replies ?? "", "→ 8443");
});

Deno.test("Codex: a question that its low screen does not show as it was asked is answered in the pane", async () => {
  await using dialogs = await setUpDialogs({
    provider: "codex",
    args: ASKS,
    size: { cols: 80, rows: 24 },
    prompts: [[
      ask({ ...DATABASE, question: `Which of these? ${"A long word, and more. ".repeat(90)}` }),
      { do: "wait", ms: 300 },
    ]],
    dialogTimeoutSeconds: 8,
  });
  await assertRejects(() => dialogs.play(), HumanInterventionRequiredError, "a question to the person waited");
  const [waiting] = dialogs.events;
  assert(waiting?.type === "dialog_waiting" && waiting.question === undefined);
  assertStringIncludes(waiting.reason, "It can only be answered in the pane");
  assertEquals(dialogs.results(), []);
});

Deno.test("a question of Codex is told with its words, and answered with panewright answer", async () => {
  await using project = await reviewProject({
    provider: "codex",
    respond({ prompts }) {
      const target = responseTargetOf(prompts.at(-1) ?? "");
      if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
      const response = "I looked at greeting.txt, it is there.\n\nRESULT: PASS";
      return [ask(DATABASE, LOG), { do: "wait", ms: 300 }, ...workTurn(target, { response })];
    },
    files: { "greeting.txt": "hello, world\n" },
    config: { providers: { codex: { args: ASKS } } },
  });
  await using run = project.start("run", "panewright.jsonc", "--start-agent", "tester", "--json");
  const listed = await until(
    async () => (await project.run("questions", "--json")).stdout,
    (text) => text.includes('"id":"q1"'),
  );
  const { run: id, text } = JSON.parse(listed) as { readonly run: string; readonly text: string };
  assertStringIncludes(text, "Question 1 of 2: Which database should we use?\n  1. PostgreSQL (Recommended): What ");
  const given = await project.run("answer", id, "--question", "q1", "sqlite", "text: stderr");
  assertEquals(given.code, 0, given.stderr);
  const { code, stderr, stdout } = await run.ended;
  assertEquals(code, 0, stderr);
  assertStringIncludes(stdout, "Which database should we use? → SQLite\\nWhere should the log go? → stderr");
  await project.sandbox.assertNothingLeft();
});

Deno.test("with ask_policy assume a real Codex is told to continue with its best guess, which the report lists to be confirmed", async () => {
  await using project = await reviewProject({
    provider: "codex",
    respond({ prompts }) {
      const target = responseTargetOf(prompts.at(-1) ?? "");
      if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
      const response = "ASSUMPTION: SQLite.\n\nRESULT: PASS";
      return [ask(DATABASE, LOG), { do: "wait", ms: 300 }, ...workTurn(target, { response })];
    },
    files: { "greeting.txt": "hello, world\n" },
    config: { ask_policy: "assume", providers: { codex: { args: ASKS } } },
  });
  const { code, stderr } = await project.run("run", "panewright.jsonc", "--start-agent", "tester");
  assertEquals(code, 0, stderr);
  assertStringIncludes(stderr, "tester is to assume what it asks, to be confirmed");
  const report = await project.run("report", "--format", "md");
  assertStringIncludes(report.stdout, "its best guess, to be confirmed");
  await project.sandbox.assertNothingLeft();
});
