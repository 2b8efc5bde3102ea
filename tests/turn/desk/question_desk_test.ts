import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError } from "../../../lib/base/errors.ts";
import type { Request } from "../../../lib/policy/request.ts";
import { ASSUME } from "../../../lib/base/terms.ts";
import { type AgentQuestion, questionsText } from "../../../lib/base/question.ts";
import { findPaneProvider } from "../../../lib/agents/mod.ts";
import { readScreen } from "../../../lib/agents/pane/glance.ts";
import { parseScreen } from "../../../lib/screen/screen.ts";
import { sha256Hex } from "../../../lib/base/text/digest.ts";
import { type FakeQuestions, fakeQuestions } from "../../support/claude_questions.ts";
import { leaveAnswerFor } from "../../support/run_mail.ts";
import { type Bench, openBench } from "./desk_bench.ts";

const options = ["PostgreSQL", "SQLite"].map((label) => ({ label, description: "" }));
const QUESTIONS: readonly AgentQuestion[] = [
  { question: "Which database?", multiSelect: false, options },
  { question: "Which tests?", multiSelect: true, options },
];
const claude = findPaneProvider("claude_code");

function asked(id: string, questions = QUESTIONS): Request {
  const about = { id, source: "session_log", kind: "question", tool: "AskUserQuestion" } as const;
  return { ...about, subject: questionsText(questions), questions };
}

/** Opens the dialog of a call that Claude Code has on record. */
function open(bench: Bench, id = "toolu_1"): FakeQuestions {
  const dialog = fakeQuestions(QUESTIONS);
  bench.pending = [asked(id)];
  bench.shown = dialog.look();
  return dialog;
}

const say = (bench: Bench, question: string, answer: string) =>
  leaveAnswerFor(bench.folder, { question, answer, by: "command", answeredAt: "" });

const waitings = ({ events }: Bench) => events.filter((event) => event.type === "dialog_waiting");

Deno.test("a question has an id and its exact words, whatever the policy and whatever page is open", async () => {
  for (const autoAccept of [true, false]) {
    await using bench = await openBench({ provider: claude, autoAccept });
    const dialog = open(bench);
    assertEquals(await bench.desk.inspect(), { decision: "wait" });
    dialog.press("2");
    bench.shown = dialog.look();
    assertEquals(await bench.desk.inspect(), { decision: "wait" });
    const [waiting, ...others] = waitings(bench);
    assertEquals([waiting?.question, waiting?.subject, waiting?.questions, others], [
      "q1",
      questionsText(QUESTIONS),
      QUESTIONS,
      [],
    ]);
    assertEquals(
      waiting?.reason,
      "This is never accepted automatically: the agent asks a question, which only a person can answer.",
    );
    assertEquals(bench.answers, []);
  }
});

Deno.test("with ask_policy assume each question is answered so at once, and the journal has it as an assumption; a permission waits", async () => {
  await using bench = await openBench({ provider: claude, askPolicy: "assume" });
  open(bench);
  const now = await bench.desk.inspect();
  assert(now?.decision === "reply");
  assertEquals(await now.answer(), true);
  const said = `Which database? → ${ASSUME}\nWhich tests? → ${ASSUME}`;
  assertEquals(bench.answers.map(({ answer }) => answer), [`toolu_1: ${said}`]);
  assertEquals(waitings(bench), []);
  const [answered] = bench.events;
  assert(answered?.type === "dialog_answered");
  assertEquals([answered.rule, answered.answer, answered.replies], ["assume", "reply", said]);
  const asking = await openBench({ askPolicy: "assume", policy: { ask: [{ command: "touch *" }] } });
  await using _closed = asking;
  asking.ask("touch one");
  assertEquals(await asking.desk.inspect(), { decision: "wait" });
});

Deno.test("an answer is in the audit log before the first key, each key too, and the journal has what the CLI took", async () => {
  await using bench = await openBench({ provider: claude });
  open(bench);
  await bench.desk.inspect();
  await say(bench, "q1", "2\n1,2");
  const now = await bench.desk.inspect();
  assert(now?.decision === "reply");
  assertEquals(await now.answer(), true);
  assertEquals(bench.answers, [{
    answer: "toolu_1: Which database? → SQLite\nWhich tests? → PostgreSQL, SQLite",
    recorded: 3,
  }]);
  const records = bench.records().slice(2).map(({ type, rule, reason, keys, result }) =>
    type === "decision" ? [rule, reason, keys] : [result]
  );
  assertEquals(records, [
    ["person", "The person answered: Which database? → SQLite\nWhich tests? → PostgreSQL, SQLite", []],
    ["person", "A key of the person's answer.", ["2"]],
    ["done"],
    ["closed: Which database? → SQLite\nWhich tests? → PostgreSQL, SQLite"],
  ]);
  assertEquals(bench.events.map(({ type }) => type), ["dialog_waiting", "dialog_closed", "dialog_answered"]);
  const answered = bench.events.at(-1);
  assert(answered?.type === "dialog_answered");
  assertEquals([answered.answer, answered.result, answered.replies], [
    "reply",
    "closed",
    "Which database? → SQLite\nWhich tests? → PostgreSQL, SQLite",
  ]);
});

Deno.test("an answer that was left for an earlier process is given to the call that asked, and to no other", async () => {
  const fingerprint = await sha256Hex("questions toolu_1");
  for (const [id, decision] of [["toolu_1", "reply"], ["toolu_2", "wait"]] as const) {
    await using bench = await openBench({ provider: claude, earlierQuestion: { id: "q7", fingerprint } });
    await say(bench, "q7", "2\n1");
    open(bench, id);
    assertEquals((await bench.desk.inspect())?.decision, decision);
  }
});

Deno.test("what cannot be answered with keys is the person's in the pane, who is told why", async () => {
  await using bench = await openBench({ provider: claude });
  const { screen: after } = open(bench).look();
  await bench.desk.inspect();
  await say(bench, "q1", "2\n1");
  bench.outcome = { result: "stopped", problem: "A key of the answer has no effect.", after };
  const now = await bench.desk.inspect();
  assert(now?.decision === "reply");
  assertEquals(await now.answer(), false);
  for (let poll = 0; poll < 3; poll++) assertEquals(await bench.desk.inspect(), { decision: "wait" });
  const [, second, ...others] = waitings(bench);
  assertEquals([second?.question, second?.reason.endsWith("A key of the answer has no effect."), others], [
    undefined,
    true,
    [],
  ]);
  assertEquals(bench.answers.length, 1);
});

Deno.test("a screen that does not show the question as it was asked makes it the person's in the pane", async () => {
  const others: readonly AgentQuestion[] = [{ ...QUESTIONS[0]!, question: "Which table?" }];
  for (const pending of [[], [asked("toolu_1", others)], [asked("toolu_1"), asked("toolu_2")]]) {
    await using bench = await openBench({ provider: claude });
    open(bench);
    bench.pending = pending;
    // The record may be behind the screen.
    assertEquals(await bench.desk.inspect(), undefined);
    bench.clock.advance(1000);
    assertEquals(await bench.desk.inspect(), { decision: "wait" });
    const [waiting] = waitings(bench);
    assertEquals(waiting?.question, undefined);
    assertStringIncludes(waiting?.reason ?? "", "It can only be answered in the pane");
    bench.clock.advance(600_000);
    await assertRejects(() => bench.desk.inspect(), HumanInterventionRequiredError);
    assertEquals(bench.answers, []);
  }
});

Deno.test("what the hook of a question asked is forgotten with it", async () => {
  const hooked: Request = { ...asked("h1"), source: "hook" };
  const forgotten: Request[] = [];
  const hooks = {
    pending: () => [hooked],
    forget: (_role: unknown, requests: readonly Request[]) => void forgotten.push(...requests),
    listen: () => ({ [Symbol.dispose]: () => {} }),
  };
  await using bench = await openBench({ provider: claude, hooks });
  open(bench);
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  bench.desk.noteClosed();
  assert(forgotten.includes(hooked));
});

Deno.test("in a dry run no answer is taken", async () => {
  await using bench = await openBench({ provider: claude, dryRun: true });
  open(bench);
  assertEquals(await bench.desk.inspect(), { decision: "wait" });
  assertEquals(waitings(bench)[0]?.question, undefined);
});

Deno.test("a question that does not fit on the screen is told in its exact words all the same", async () => {
  await using bench = await openBench({ provider: claude });
  open(bench);
  const { screen } = bench.shown;
  const rows = screen.rows.map(({ raw }) => raw);
  // The selected choice is out of sight.
  const below = rows.slice(rows.findIndex((row) => row.includes("2. SQLite")), -2);
  const hints = [" ↑ 9 more lines", "", "Enter to select · ↑/↓ to navigate · Esc to cancel"];
  bench.shown = readScreen(parseScreen([...below, ...hints].join("\n"), { cols: 80 }), claude.terminal.rules);
  assertEquals(bench.shown.classification.status, "waiting_user_answer");
  await bench.desk.inspect();
  bench.clock.advance(1000);
  await bench.desk.inspect();
  const [waiting] = waitings(bench);
  assertEquals([waiting?.kind, waiting?.question, waiting?.subject], ["question", undefined, questionsText(QUESTIONS)]);
});
