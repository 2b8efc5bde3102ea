import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs";
import type { Step } from "../lab/steps.ts";
import { parseEvents } from "../support/panewright.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { until } from "../support/until.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";
import { type ReviewProject, reviewProject } from "./review_project.ts";

const RUN = ["run", "panewright.jsonc", "--start-agent", "tester"] as const;

const choices = (...labels: readonly string[]) => labels.map((label) => ({ label, description: `Takes ${label}` }));
const QUESTIONS = [
  {
    question: "Which database should we use?",
    header: "Database",
    multiSelect: false,
    options: choices("PostgreSQL", "SQLite"),
  },
  {
    question: "Which features do you want?",
    header: "Features",
    multiSelect: true,
    options: choices("Logs", "Metrics", "Traces"),
  },
  { question: "Which port?", header: "Port", multiSelect: false, options: choices("8080", "80") },
];
const ANSWERS = {
  "Which database should we use?": "SQLite",
  "Which features do you want?": "Logs, Traces, a page",
  "Which port?": "8443, please",
};

/** A project whose tester, a real Claude Code, asks something before it writes its response. */
function setUp(...asked: readonly (typeof QUESTIONS)[]): Promise<ReviewProject> {
  return reviewProject({
    provider: "claude_code",
    respond({ prompts }) {
      const target = responseTargetOf(prompts.at(-1) ?? "");
      if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
      const calls = asked.map((questions): Step => ({ do: "call", tool: "AskUserQuestion", input: { questions } }));
      const response = "I looked at greeting.txt, it is there.\n\nRESULT: PASS";
      return [...calls.flatMap((call): Step[] => [call, { do: "wait", ms: 300 }]), ...workTurn(target, { response })];
    },
    files: { "greeting.txt": "hello, world\n" },
    config: { permissions: { dialog_timeout_seconds: 600 } },
  });
}

/** What the agent's CLI has on record as the answers, call by call. */
async function answersIn({ sandbox }: ReviewProject): Promise<readonly unknown[]> {
  const transcripts = await Array.fromAsync(walk(`${sandbox.home}/.claude/projects`, { exts: ["jsonl"] }));
  const lines = transcripts.flatMap(({ path }) => Deno.readTextFileSync(path).split("\n").slice(0, -1));
  return lines.map((line) => JSON.parse(line).toolUseResult?.answers).filter((one) => one !== undefined);
}

/** What waits for an answer, once something does. */
async function waitingQuestion(stage: ReviewProject, id: string) {
  const listed = await until(
    async () => (await stage.run("questions", "--json")).stdout,
    (text) => text.includes(`"id":"${id}"`),
  );
  return JSON.parse(listed) as { readonly run: string; readonly id: string; readonly text: string };
}

Deno.test("questions of an agent are answered with panewright answer, and bad answers are refused", async () => {
  await using stage = await setUp([QUESTIONS[0]!], QUESTIONS);
  await using run = stage.start(...RUN, "--json");
  const { run: id, text } = await waitingQuestion(stage, "q1");
  assertStringIncludes(
    text,
    "Which database should we use?\n  1. PostgreSQL: Takes PostgreSQL\n  2. SQLite: Takes SQLite\n",
  );
  const status = (await stage.run("status", id)).stdout;
  assertMatch(
    status,
    /dialog +q1: the tester asks a question.*\n +\| Which database should we use\?\n +\| {3}1\. PostgreSQL/,
  );
  for (
    const [words, problem] of [
      [["3"], '"3" is no choice of "Which database should we use?"'],
      [["yes"], "it takes one of 1 to 2 or a label"],
      [["1,2"], "several choices are too many"],
      [["text:"], "no words follow text:"],
    ] as const
  ) {
    const refused = await stage.run("answer", id, ...words);
    assertEquals([refused.code, refused.stderr.includes(problem)], [2, true], refused.stderr);
  }
  assertEquals((await stage.run("answer", id, "--question", "q1", "SQLite")).code, 0);

  await waitingQuestion(stage, "q2");
  const few = await stage.run("answer", id, "--question", "q2", "1", "2");
  assertEquals([few.code, few.stderr.includes("it takes 3 answers")], [2, true], few.stderr);
  const given = await stage.run(
    "answer",
    id,
    "--question",
    "q2",
    "2",
    "1, traces, text: a page",
    "text: 8443, please",
  );
  assertEquals(given.code, 0, given.stderr);
  const { code, stdout, stderr } = await run.ended;
  assertEquals(code, 0, stderr);
  assertEquals(await answersIn(stage), [{ "Which database should we use?": "SQLite" }, ANSWERS]);
  const dialogs = parseEvents(stdout).filter(({ type }) => type.startsWith("dialog_")).map(({ type }) => type);
  assertEquals(dialogs, [
    "dialog_waiting",
    "dialog_closed",
    "dialog_answered",
    "dialog_waiting",
    "dialog_closed",
    "dialog_answered",
  ]);
  const audit = await stage.run("audit", "show", id);
  assertStringIncludes(audit.stdout, "Which database should we use? → SQLite");
  assertEquals((await stage.run("audit", "verify", id)).code, 0);
  await stage.sandbox.assertNothingLeft();
});

for (const keys of [1, 3, 6]) {
  Deno.test(`panewright is killed at key ${keys} of an answer: resumed, it gives just this answer`, async () => {
    await using stage = await setUp(QUESTIONS);
    const run = stage.start(...RUN, "--json");
    const { run: id } = await waitingQuestion(stage, "q1");
    const given = await stage.run("answer", id, "2", "1,3, text: a page", "text: 8443, please");
    assertEquals(given.code, 0, given.stderr);
    const audit = `${stage.sandbox.project}/.panewright/runs/${id}/audit.ndjson`;
    const keysOf = (text: string) => text.split(/"reason":"(?:A key of the person|The person's own words)/).length - 1;
    await until(() => Deno.readTextFile(audit), (text) => keysOf(text) >= keys);
    run.kill("SIGKILL");
    await run.ended;
    assertEquals(await answersIn(stage), []);
    const resumed = await stage.run("resume", id, "--json");
    assertEquals(resumed.code, 0, resumed.stderr);
    assertEquals(await answersIn(stage), [ANSWERS]);
    assertEquals((await stage.run("audit", "verify", id)).code, 0);
    await stage.sandbox.assertNothingLeft();
  });
}

Deno.test("a person at the terminal of a run answers an agent's questions there, after a wrong answer", async () => {
  await using stage = await setUp(QUESTIONS);
  {
    await using terminal = await openPersonTerminal(stage, { rows: 50 });
    const type = async (text: string) => {
      await terminal.type(text);
      await terminal.press("Enter");
    };
    await terminal.command(...stage.argv, ...RUN);
    assertMatch(
      await terminal.shows(/Your answer: a line for each question/),
      /Dialog q1: the tester asks a question\n {2}\| Question 1 of 3: Which database should we use\?\n {2}\| {3}1\. PostgreSQL: Takes PostgreSQL\n/,
    );
    await type("2");
    await terminal.shows(/That is no answer: it takes 3 answers/);
    await type("2\\");
    await type("1,3, text: a page\\");
    await type("text: 8443, please");
    assertMatch(await terminal.shows(/^exit code 0/m), /✓ PASS /);
  }
  assertEquals(await answersIn(stage), [ANSWERS]);
  await stage.sandbox.assertNothingLeft();
});
