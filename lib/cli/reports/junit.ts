import { plainName, titleOf } from "../../journal/exec/place.ts";
import type { AskedQuestion, RunSummary, StepSummary, TaskSummary } from "../../journal/exec/summary.ts";
import { openStep } from "./table.ts";

export function junitXml({ judged, runId, tasks }: RunSummary, reason: string): string {
  const suites = tasks.map((task) => suite(task, reason));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name=${quoted(`panewright ${runId}`)}>`,
    ...suites,
    ...(judged === undefined ? [] : [suiteOfEvidence(judged)]),
    "</testsuites>",
    "",
  ].join("\n");
}

/** Whether the PASS holds, and what to know of it. */
function suiteOfEvidence({ problem, remarks }: NonNullable<RunSummary["judged"]>): string {
  const content = [
    ...(problem === undefined ? [] : [`      <failure message=${quoted(problem)}></failure>`]),
    ...(remarks.length === 0 ? [] : [`      <system-out>${escaped(remarks.join("\n"))}</system-out>`]),
  ].join("\n");
  return [
    `  <testsuite name="evidence" tests="1" failures="${
      problem === undefined ? 0 : 1
    }" errors="0" skipped="0" time="0.000">`,
    testCase({ name: "evidence", step: "the PASS holds", seconds: 0, content: content === "" ? undefined : content }),
    "  </testsuite>",
  ].join("\n");
}

function suite(task: TaskSummary, reason: string): string {
  const { file, outcome, steps } = task;
  const name = plainName(file);
  const open = openStep(task);
  const cases = outcome === "open" && steps.length === 0
    ? [testCase({ name, step: "all steps", seconds: 0, content: skipped("not begun") })]
    : outcome === "skipped"
    ? [testCase({ name, step: "all steps", seconds: 0, content: skipped("an earlier run has passed it") })]
    : steps.map((step) =>
      testCase({ name, step: step.name, seconds: step.seconds, content: contentOf(step, step === open, reason) })
    );
  const count = (tag: string) => cases.filter((text) => text.includes(`<${tag} `)).length;
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  return [
    `  <testsuite name=${quoted(name)} tests="${cases.length}" failures="${count("failure")}" ` +
    `errors="${count("error")}" skipped="${count("skipped")}" time="${seconds.toFixed(3)}">`,
    ...cases,
    "  </testsuite>",
  ].join("\n");
}

function testCase(
  { name, step, seconds, content }: { name: string; step: string; seconds: number; content: string | undefined },
): string {
  const head = `    <testcase classname=${quoted(name)} name=${quoted(step)} time="${seconds.toFixed(3)}"`;
  return content === undefined ? `${head}/>` : `${head}>\n${content}\n    </testcase>`;
}

function contentOf(step: StepSummary, isUnderWay: boolean, reason: string): string | undefined {
  switch (step.outcome) {
    case "pass":
      return undefined;
    case "skipped":
      return skipped("the task passed without it");
    case "fail": {
      const { failedCheck: check } = step;
      const output = check === undefined ? "" : `${check.description}: ${check.detail}\n${check.output}`;
      return `      <failure message=${quoted(step.reason ?? "")}>${escaped(output)}</failure>`;
    }
    case "open":
      if (step.questions !== undefined) return waits(step.questions);
      if (isUnderWay) return `      <error message=${quoted(reason)}></error>`;
      return skipped(step.ledTo === undefined ? "not begun" : `it led to ${step.ledTo}: ${step.reason ?? ""}`);
  }
}

function waits(questions: readonly AskedQuestion[]): string {
  const [first] = questions.map(({ text }) => titleOf(text));
  const ids = questions.map(({ id }) => id).join(", ");
  const wait = questions.length === 1
    ? `question ${ids} waits for its answer`
    : `questions ${ids} wait for their answers`;
  const message = `${wait}: ${first}`;
  const asked = questions.map(({ id, text }) => `${id}: ${text}`).join("\n");
  return `      <error message=${quoted(message)}>${escaped(asked)}</error>`;
}

function skipped(why: string): string {
  return `      <skipped message=${quoted(why)}/>`;
}

function quoted(value: string): string {
  return `"${escaped(value).replaceAll("\n", "&#10;")}"`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function escaped(value: string): string {
  return value.toWellFormed()
    // deno-lint-ignore no-control-regex -- these are what must not get through
    .replaceAll(/[\x00-\x08\x0b-\x1f\x7f\ufffe\uffff]/g, "\ufffd")
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
