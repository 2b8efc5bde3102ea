import { assert, assertEquals, assertRejects } from "@std/assert";
import { codexQuestions, readAnswers } from "../../../lib/agents/codex/questions.ts";
import type { QuestionKey } from "../../../lib/agents/pane/answer_questions.ts";
import type { AgentQuestion } from "../../../lib/base/question.ts";
import { answererOf } from "../../support/answer_fake.ts";
import { fakeCodexQuestions } from "../../support/codex_questions.ts";

function question(text: string, ...labels: readonly string[]): AgentQuestion {
  return {
    question: text,
    multiSelect: false,
    options: labels.map((label) => ({ label, description: `About ${label}.` })),
  };
}

const DATABASE = question("Which database should we use?", "PostgreSQL", "SQLite");
const PORT = question("Which port?\n› 1. of those that are free", "8080", "80");
const LOG = question("Where to?", "Files", "Nowhere");

const answer = answererOf(codexQuestions);

const CASES: readonly (readonly [said: string, questions: readonly AgentQuestion[], recorded: readonly string[]])[] = [
  ["2", [DATABASE], ["SQLite"]],
  ["text: my own", [DATABASE], ["my own"]],
  ["2\n2\n1", [DATABASE, PORT, LOG], ["SQLite", "80", "Files"]],
  ["text: one\ntext: 443\nnowhere", [DATABASE, PORT, LOG], ["one", "443", "Nowhere"]],
];

for (const [said, questions, recorded] of CASES) {
  const name = `${questions.length === 1 ? "a question" : "several questions"}, ${JSON.stringify(said)}`;
  const record = Object.fromEntries(questions.map((one, at) => [one.question, recorded[at]!]));

  Deno.test(`Codex: ${name}: whoever continues after a kill at any key answers the same`, async () => {
    const whole = fakeCodexQuestions(questions);
    const outcome = await answer(whole, questions, { said });
    assert(outcome.result === "closed" && outcome.isAsSaid);
    assertEquals(whole.recorded, record);
    for (let keys = 0; keys < whole.keys.length; keys++) {
      const dialog = fakeCodexQuestions(questions);
      await assertRejects(() => answer(dialog, questions, { said, keys }), Error, "killed");
      assertEquals(dialog.recorded, undefined);
      await answer(dialog, questions, { said });
      assertEquals(dialog.recorded, record, `killed after ${keys} keys`);
    }
  });

  Deno.test(`Codex: ${name}: a key that is dropped is pressed once more, but not one that answers`, async () => {
    for (let dropped = 1; dropped <= 4; dropped++) {
      const dialog = fakeCodexQuestions(questions);
      let closes = false;
      const isDropped = (key: number, step: QuestionKey) => {
        if (key === dropped) closes = step.do === "press" && step.closes === true;
        return key === dropped;
      };
      const { result } = await answer(dialog, questions, { said, isDropped });
      assertEquals(result, closes ? "stopped" : "closed", `key ${dropped}`);
      assertEquals(dialog.recorded, closes ? undefined : record, `key ${dropped}`);
    }
  });
}

Deno.test("Codex: words that stand in the notes already are not added to, and nothing is handed in", async () => {
  for (const said of ["2", "text: my own"]) {
    const dialog = fakeCodexQuestions([DATABASE]);
    dialog.notes[0] = "a draft";
    const outcome = await answer(dialog, [DATABASE], { said });
    assert(outcome.result === "stopped" && outcome.problem.includes("other words stand in the notes"));
    assertEquals([dialog.keys, dialog.recorded], [[], undefined]);
  }
});

Deno.test("Codex: a screen with another question, label or number of questions gets no key", async () => {
  const others = [
    [question("Which database should we drop?", "PostgreSQL", "SQLite")],
    [question("Which database should we use?", "PostgreSQL", "SQLite 2")],
    [question("Which database should we use?", "PostgreSQL", "SQLite", "None, thanks")],
    [DATABASE, LOG],
  ];
  for (const other of others) {
    const dialog = fakeCodexQuestions(other);
    const outcome = await answer(dialog, [DATABASE], { said: "2" });
    assertEquals([outcome.result, dialog.keys], ["stopped", []]);
  }
});

Deno.test("Codex: answers are read from the output of the call, which names questions by their ids", () => {
  const asked = (id: string, { question, options }: AgentQuestion) => ({ id, header: id, question, options });
  const input = JSON.stringify({ questions: [asked("a", DATABASE), asked("b", LOG)] });
  const output = (answers: object) => JSON.stringify({ answers });
  assertEquals(
    readAnswers(
      input,
      output({ a: { answers: ["SQLite"] }, b: { answers: ["None of the above", "user_note: both"] } }),
    ),
    { [DATABASE.question]: "SQLite", [LOG.question]: "both" },
  );
  assertEquals(readAnswers(input, output({ a: { answers: ["SQLite", "user_note: now"] }, b: { answers: [] } })), {
    [DATABASE.question]: "SQLite, now",
    [LOG.question]: "",
  });
  assertEquals(readAnswers(input, "request_user_input is unavailable in Default mode"), undefined);
  assertEquals(readAnswers(`{"cmd":"true"}`, output({})), undefined);
});
