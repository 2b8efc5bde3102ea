import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { AttemptRequest } from "../../lib/agents/process/seam.ts";
import type { Act } from "../jobs/pipeline/support.ts";
import { only, says, step } from "../jobs/pipeline/support.ts";
import { parseChoice } from "../../lib/jobs/verdicts.ts";
import { leaveAnswerFor } from "../support/run_mail.ts";
import { lanesProject, shell, writes } from "./support.ts";

const CHECK = { type: "shell", command: "! grep broken base.txt", expect: "pass", timeLimitSeconds: 20 } as const;
const STEPS = [step("work", { checks: [CHECK] })];
const FILES = { "base.txt": "one\ntwo\nthree\n", "t/a.md": "a: try" };

/** Attempts that write what is given, in turn; a merge among them is another agent's. */
function tries(...texts: readonly string[]): Act {
  let attempt = 0;
  return (request) => writes({ "base.txt": texts[attempt++] ?? "" })(request);
}

const TWO = ["one\ntwo\nthree\nfour\nfive\n", "one\ntwo\nthree\nsix\n"] as const;

/** A judge that prefers a change whatever its letter is. */
function prefers(text: string): Act {
  return (request) => {
    const [, letter] =
      new RegExp(`Change (.):\\s*\`\`\`+text\\n(?:(?!\`\`\`)[^])*\\+${text}\\n`).exec(request.prompt) ?? [];
    return says(`It is the better one.\n\nCHOICE: ${letter}`)(request);
  };
}

Deno.test("--choose judge: an agent that knows no author calls the same one the best in both orders: that is landed, not the smallest", async () => {
  await using project = await lanesProject(FILES);
  const { events, report } = await project.run({
    ...{ steps: STEPS, acts: { a: tries(...TWO), judge: prefers("five") } },
    overrides: { attempts: 2, parallel: 2, choose: "judge" },
  });
  assertEquals(report.outcome, "pass", report.reason);
  assertEquals(await project.landed(), { "base.txt": TWO[0] });
  const [chosen] = only(events, "attempt_chosen");
  assertEquals([chosen?.by, chosen?.detail], ["judge", "the best for the judge, in both orders"]);
  assertStringIncludes(chosen?.said ?? "", "It is the better one.");
  const looks = project.prompts.filter((prompt) => prompt.includes("Say which one is the best"));
  assertEquals(looks.length, 2);
  const order = looks.map((look) => [...look.matchAll(/^\+(five|six)$/gm)].map(([, word]) => word));
  assertEquals(order.toSorted(), [["five", "six"], ["six", "five"]]);
  for (const look of looks) {
    assertStringIncludes(look, "a: try");
    // Neither name nor number of an attempt.
    assertEquals(/a#\d|a-\d|attempt/i.test(look), false, look);
  }
});

Deno.test("--choose judge: one that goes by the place of a change has chosen none, and the smallest is landed", async () => {
  await using project = await lanesProject(FILES);
  const { events, report } = await project.run({
    ...{ steps: STEPS, acts: { a: tries(...TWO), judge: says("CHOICE: A") } },
    overrides: { attempts: 2, parallel: 2, choose: "judge" },
  });
  assertEquals(report.outcome, "pass", report.reason);
  assertEquals(await project.landed(), { "base.txt": TWO[1] });
  const [chosen] = only(events, "attempt_chosen");
  assertMatch(
    `${chosen?.by}: ${chosen?.detail}`,
    /^size: the smallest, as the judge calls a#\d the best, and in the other order a#\d$/,
  );
});

for (
  const [what, judge, why] of [
    ["says nothing of it", says("They are both good."), "the judge has not said which is the best"],
    ["quotes the form", says("CHOICE: A | B"), "the judge has not said which is the best"],
  ] as const
) {
  Deno.test(`--choose judge: one that ${what} has chosen none, and the smallest is landed`, async () => {
    await using project = await lanesProject(FILES);
    const { events } = await project.run({
      ...{ steps: STEPS, acts: { a: tries(...TWO), judge } },
      overrides: { attempts: 2, parallel: 2, choose: "judge" },
    });
    assertEquals(only(events, "attempt_chosen")[0]?.detail, `the smallest, as ${why}`);
    assertEquals(await project.landed(), { "base.txt": TWO[1] });
  });
}

Deno.test("--choose judge: a change that is too long for it is told, and nobody is asked about half of it", async () => {
  await using project = await lanesProject(FILES);
  const long = Array.from({ length: 400 }, (_, at) => `line ${at}\n`).join("");
  const { events } = await project.run({
    ...{ steps: STEPS, acts: { a: tries(long, TWO[1]) } },
    overrides: { attempts: 2, parallel: 2, choose: "judge" },
  });
  assertMatch(
    only(events, "attempt_chosen")[0]?.detail ?? "",
    /^the smallest, as a diff of \d+ lines is too long for a judge$/,
  );
  assertEquals(await project.landed(), { "base.txt": TWO[1] });
  assertEquals(project.prompts.length, 2);
});

Deno.test("--choose: where one attempt passes there is nothing to choose", async () => {
  await using project = await lanesProject(FILES);
  const { events, report } = await project.run({
    ...{ steps: STEPS, acts: { a: tries("broken\n", TWO[1]) } },
    overrides: { attempts: 2, parallel: 2, choose: "person" },
  });
  assertEquals([report.outcome, only(events, "choice_asked")], ["pass", []]);
});

/** What was asked about two attempts, of a run that has ended with it. */
async function asked(project: Awaited<ReturnType<typeof lanesProject>>) {
  const { events, report } = await project.run({
    ...{ steps: STEPS, acts: { a: tries(...TWO) } },
    overrides: { attempts: 2, parallel: 2, choose: "person" },
  });
  const [question] = only(events, "choice_asked");
  return { events, report, question };
}

Deno.test("--choose person: the run waits with what there is to choose from, and lands what a person has chosen", async () => {
  await using project = await lanesProject(FILES);
  const { events, report, question } = await asked(project);
  assertEquals([report.outcome, report.reason], ["waiting", "a waits for an answer"]);
  assertMatch(
    question?.text ?? "",
    /^Which attempt of a is to be landed\? 2 have passed\.\n1\. attempt 1: [12] lines? in 1 file; panewright diff a-\d\n2\. attempt 2: .*\n3\. none: /,
  );
  assertMatch(only(events, "question_waiting")[0]?.answerCommand ?? "", /^panewright answer \S+ --question q1 /);
  assertEquals(await shell(project.repo, "git for-each-ref refs/panewright/t"), "");
  const again = async (answer: string) => {
    const at = new Date().toISOString();
    await leaveAnswerFor(report.folder, { question: "q1", answer, by: "command", answeredAt: at });
    return await project.resume(report.folder.id, { steps: STEPS, acts: {} });
  };
  const isSecond = /2\. attempt 2: 2 lines/.test(question?.text ?? "");
  const { events: after, report: end } = await again(isSecond ? "2" : "1");
  assertEquals([end.outcome, end.reason], ["pass", "all steps of the task passed"]);
  assertEquals(only(after, "attempt_chosen").map(({ by }) => by), ["person"]);
  // The longer one, that nobody else would have taken.
  assertEquals(await project.landed(), { "base.txt": TWO[0] });
});

Deno.test("--choose person: none of them, and why: the task has failed, and all of them stay under their refs", async () => {
  await using project = await lanesProject(FILES);
  const { report } = await asked(project);
  const answeredAt = new Date().toISOString();
  await leaveAnswerFor(report.folder, { question: "q1", answer: "text: both forget seven", by: "command", answeredAt });
  const { events, report: end } = await project.resume(report.folder.id, { steps: STEPS, acts: {} });
  assertEquals([end.outcome, end.reason], ["fail", "1 of 1 tasks failed: a"]);
  assertStringIncludes(only(events, "task_finished")[0]?.reason ?? "", "both forget seven");
  const refs = await shell(project.repo, "git for-each-ref --format='%(refname)' refs/panewright");
  assertEquals(refs.trim().split("\n"), ["refs/panewright/a-1", "refs/panewright/a-2"]);
  // Whoever continues from there is asked anew.
  const { events: later, report: again } = await project.resume(report.folder.id, { steps: STEPS, acts: {} });
  assertEquals([again.outcome, only(later, "choice_asked").map(({ question }) => question)], ["waiting", ["q2"]]);
});

Deno.test("--choose person: a model over MCP chooses in nobody's place, and others of the folder are landed meanwhile", async () => {
  await using project = await lanesProject({ ...FILES, "t/b.md": "b: other" });
  let other = 0;
  const { report } = await project.run({
    ...{
      steps: STEPS,
      acts: {
        a: tries(...TWO),
        b: (request: AttemptRequest) => other++ === 0 ? writes({ "b.txt": "b\n" })(request) : says()(request),
      },
    },
    overrides: { attempts: 2, parallel: 4, choose: "person", keepGoing: true },
  });
  assertEquals(report.outcome, "waiting");
  const [b] = report.state.questions.filter(({ step }) => step === "b");
  const [a] = report.state.questions.filter(({ step }) => step === "a");
  const answeredAt = new Date().toISOString();
  for (const { id } of [a, b].filter((one) => one !== undefined)) {
    await leaveAnswerFor(report.folder, { question: id, answer: "1", by: "mcp", who: "a model", answeredAt });
  }
  const { events, report: end } = await project.resume(report.folder.id, { steps: STEPS, acts: {} });
  assertEquals(end.outcome, "waiting");
  assertMatch(
    only(events, "warning").map(({ message }) => message).join("\n"),
    /the answer to q\d was refused: it was given by a model/,
  );
  assertEquals(only(events, "attempt_chosen"), []);
});

Deno.test("--choose first: what passes first is landed, the others are stopped, and what they have done is kept", async () => {
  await using project = await lanesProject(FILES);
  const stopped = Promise.withResolvers<void>();
  let attempt = 0;
  const acts = {
    a: async (request: AttemptRequest) => {
      if (attempt++ === 0) return await writes({ "base.txt": TWO[0] })(request);
      await Deno.writeTextFile(`${request.workdir}/half.txt`, "half\n");
      return await new Promise<never>((_, reject) => {
        request.signal.addEventListener("abort", () => {
          stopped.resolve();
          reject(request.signal.reason);
        });
      });
    },
  };
  const { events, report } = await project.run({
    ...{ steps: STEPS, acts },
    overrides: { attempts: 3, parallel: 2, choose: "first" },
  });
  await stopped.promise;
  assertEquals([report.outcome, report.reason], ["pass", "all steps of the task passed"]);
  assertEquals(await project.landed(), { "base.txt": TWO[0] });
  assertEquals(only(events, "lane_ended").map(({ outcome }) => outcome), ["pass", "stopped"]);
  // The third was never begun.
  assertEquals(only(events, "lane_started").length, 2);
  const [, other] = only(events, "lane_started").map(({ workspace }) => workspace).toSorted();
  const kept = await shell(
    project.repo,
    `git ls-tree -r --name-only refs/panewright/a-1; git ls-tree -r --name-only refs/panewright/${other}`,
  );
  assertStringIncludes(kept, "half.txt");
});

Deno.test("a choice is one letter on a line of its own; two of them, or the form, are none", () => {
  const letters = ["A", "B"] as const;
  assertEquals(parseChoice("B is shorter.\n**CHOICE: B**", letters), "B");
  assertEquals(parseChoice("choice: b.", letters), "B");
  for (
    const text of [
      "",
      "CHOICE: A | B",
      "CHOICE: C",
      "CHOICE: A\nCHOICE: B",
      "> CHOICE: A",
      "CHOICE: A, I think",
      "CHOICE: A\nCHOICE: unsure",
    ]
  ) {
    assertEquals(parseChoice(text, letters), undefined, text);
  }
});
