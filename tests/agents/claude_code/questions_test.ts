import { assert, assertEquals, assertRejects } from "@std/assert";
import type { AgentQuestion } from "../../../lib/base/question.ts";
import { claudeQuestions } from "../../../lib/agents/claude_code/questions.ts";
import type { QuestionKey } from "../../../lib/agents/pane/answer_questions.ts";
import { type FakeQuestions, fakeQuestions } from "../../support/claude_questions.ts";
import { answererOf } from "../../support/answer_fake.ts";

function question(text: string, labels: readonly string[], multiSelect = false): AgentQuestion {
  return { question: text, multiSelect, options: labels.map((label) => ({ label, description: `About ${label}.` })) };
}

const DATABASE = question("Which database should we use?", ["PostgreSQL", "SQLite", "None, thanks"]);
const FEATURES = question("Which features do you want?", ["Logging", "Metrics, hourly", "Tracing"], true);
const PORT = question("Which port?\n1. of those that are free", ["8080", "80"]);

const answer = answererOf(claudeQuestions);

const CASES: readonly (readonly [said: string, questions: readonly AgentQuestion[], recorded: readonly string[]])[] = [
  ["2", [DATABASE], ["SQLite"]],
  ["none, thanks", [DATABASE], ['"None, thanks"']],
  ["text: my own", [DATABASE], ["my own"]],
  ["1,3", [FEATURES], ["Logging, Tracing"]],
  ["text: my own", [FEATURES], ["my own"]],
  ["2, text: my own, too", [FEATURES], ['"Metrics, hourly", "my own, too"']],
  ["1\n3,1\ntext: 443", [DATABASE, FEATURES, PORT], ["PostgreSQL", "Logging, Tracing", "443"]],
  ["text: one\n2, text: two\n80", [DATABASE, FEATURES, PORT], ["one", '"Metrics, hourly", two', "80"]],
];

const recordOf = (questions: readonly AgentQuestion[], recorded: readonly string[]) =>
  Object.fromEntries(questions.map((one, at) => [one.question, recorded[at]!]));

for (const [said, questions, recorded] of CASES) {
  const name = `${questions.length === 1 ? "a question" : "several questions"}, ${JSON.stringify(said)}`;

  Deno.test(`${name}: answered page by page`, async () => {
    const dialog = fakeQuestions(questions);
    const outcome = await answer(dialog, questions, { said });
    assertEquals([outcome.result, dialog.recorded], ["closed", recordOf(questions, recorded)]);
    assert(outcome.result === "closed" && outcome.isAsSaid);
  });

  Deno.test(`${name}: whoever continues after a kill at any key answers the same`, async () => {
    const whole = fakeQuestions(questions);
    await answer(whole, questions, { said });
    for (let keys = 0; keys < whole.keys.length; keys++) {
      const dialog = fakeQuestions(questions);
      await assertRejects(() => answer(dialog, questions, { said, keys }), Error, "killed");
      assertEquals(dialog.recorded, undefined);
      await answer(dialog, questions, { said });
      assertEquals(dialog.recorded, recordOf(questions, recorded), `killed after ${keys} keys`);
    }
  });

  Deno.test(`${name}: a key that is dropped is pressed once more, but not one with which the dialog closes`, async () => {
    for (let dropped = 1; dropped <= 4; dropped++) {
      const dialog = fakeQuestions(questions);
      let closes = false;
      const isDropped = (key: number, step: QuestionKey) => {
        if (key === dropped) closes = step.do === "press" && step.closes === true;
        return key === dropped;
      };
      const { result } = await answer(dialog, questions, { said, isDropped });
      assertEquals(result, closes ? "stopped" : "closed", `key ${dropped}`);
      assertEquals(dialog.recorded, closes ? undefined : recordOf(questions, recorded), `key ${dropped}`);
    }
  });

  if (questions.length === 1 && !questions[0]!.multiSelect) continue;
  Deno.test(`${name}: what was chosen otherwise before is set right, from any page`, async () => {
    for (let page = 0; page <= questions.length; page++) {
      const dialog = fakeQuestions(questions);
      for (const chosen of dialog.chosen) chosen.add(0).add(1);
      for (const [at, { multiSelect }] of questions.entries()) if (!multiSelect) dialog.chosen[at]!.delete(0);
      dialog.page = page;
      await answer(dialog, questions, { said });
      assertEquals(dialog.recorded, recordOf(questions, recorded), `from page ${page}`);
    }
  });
}

Deno.test("words that stand in the field already are not added to, and nothing is handed in", async () => {
  for (const questions of [[DATABASE], [FEATURES]]) {
    const dialog = fakeQuestions(questions);
    dialog.fields[0] = "a draft";
    const outcome = await answer(dialog, questions, { said: "text: my own" });
    assert(outcome.result === "stopped" && outcome.problem.includes("other words stand in the field"));
    assertEquals([dialog.keys, dialog.recorded], [[], undefined]);
  }
});

Deno.test("a screen with another question, label, number of choices or kind of choice gets no key", async () => {
  const others = [
    question("Which database should we drop?", ["PostgreSQL", "SQLite", "None, thanks"]),
    question("Which database should we use?", ["PostgreSQL", "SQLite 2", "None, thanks"]),
    question("Which database should we use?", ["PostgreSQL", "SQLite"]),
    question("Which database should we use?", ["PostgreSQL", "SQLite", "None, thanks"], true),
  ];
  for (const other of others) {
    const dialog = fakeQuestions([other]);
    const outcome = await answer(dialog, [DATABASE], { said: "2" });
    assertEquals([outcome.result, dialog.keys], ["stopped", []]);
  }
});

Deno.test("questions that a person answered in the pane meanwhile get no key", async () => {
  const dialog = fakeQuestions([DATABASE]);
  dialog.press("1");
  const outcome = await answer(dialog, [DATABASE], { said: "2" });
  assertEquals([outcome.result, dialog.keys], ["gone", ["1"]]);
});

Deno.test("a key that never has an effect is pressed twice, one with which the dialog closes once; then a person is needed", async () => {
  const cases: readonly (readonly [questions: readonly AgentQuestion[], most: number])[] = [
    [[DATABASE], 1],
    [[FEATURES], 2],
    [[DATABASE, FEATURES], 2],
  ];
  for (const [questions, most] of cases) {
    const dialog = fakeQuestions(questions);
    let pressed = 0;
    const said = questions.map(() => "2").join("\n");
    const outcome = await answer(dialog, questions, { said, isDropped: () => ++pressed > 0 });
    assert(outcome.result === "stopped" && outcome.problem === "A key of the answer has no effect.");
    assertEquals(pressed, most);
  }
});

Deno.test("a question that is asked once more at once does not hide that it was answered, and gets no key", async () => {
  const first = fakeQuestions([DATABASE]);
  const again = fakeQuestions([DATABASE]);
  const pane: FakeQuestions = {
    ...first,
    get recorded() {
      return first.recorded;
    },
    look: () => (first.recorded === undefined ? first : again).look(),
  };
  const { result } = await answer(pane, [DATABASE], { said: "2" });
  assertEquals([result, first.keys, again.keys], ["closed", ["2"], []]);
});

Deno.test("a CLI that stands still for all of the time gets no key that could go to what comes after the dialog", async () => {
  for (const questions of [[DATABASE], [DATABASE, PORT]]) {
    const dialog = fakeQuestions(questions);
    const queue: string[] = [];
    dialog.page = questions.length - 1;
    const shown = dialog.look();
    const { result } = await answer({ ...dialog, look: () => shown, press: (key) => void queue.push(key) }, questions, {
      said: questions.map(() => "1").join("\n"),
    });
    assertEquals([result, queue], ["stopped", ["1"]]);
  }
});

Deno.test("what a person does in the pane while a key is written down keeps that key from being pressed", async () => {
  const closed = fakeQuestions([DATABASE]);
  const gone = await answer(closed, [DATABASE], { said: "2", whileWritten: () => closed.press("1") });
  assertEquals([gone.result, closed.keys], ["gone", ["1"]]);
  const turned = fakeQuestions([DATABASE, FEATURES]);
  const outcome = await answer(turned, [DATABASE, FEATURES], {
    said: "2\n1",
    whileWritten: (key) => key === 1 && turned.press("1"),
  });
  assertEquals([outcome.result, turned.recorded], ["closed", recordOf([DATABASE, FEATURES], ["SQLite", "Logging"])]);
  assertEquals(turned.keys.slice(0, 2), ["1", "1"]);
});
