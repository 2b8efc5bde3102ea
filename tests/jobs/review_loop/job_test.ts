import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { EXPLORE_HEADER, jobText, parseJob, SCENARIO_HEADER } from "../../../lib/jobs/review_loop/job.ts";
import { RUN_BEGINS } from "../../../lib/journal/loop/run.ts";

function refused(text: string): UsageError {
  return assertThrows(() => parseJob(text, { file: "job.md" }), UsageError);
}

Deno.test("a job has an introduction, an explore summary and a scenario test", () => {
  const job = parseJob(`Title\n\n${EXPLORE_HEADER}\n\n  one\n\ntwo\n\n${SCENARIO_HEADER}\nthree\n\n`);
  assertEquals(job, { introduction: "Title", exploreSummary: "  one\n\ntwo", scenarioTest: "three" });
});

Deno.test("the sections may come in either order, with any line ends and spaces around the headers", () => {
  const job = parseJob(`\ufeff${SCENARIO_HEADER}  \r\nthree\r\n  ${EXPLORE_HEADER}\r\none\r\n`);
  assertEquals(job, { introduction: "", exploreSummary: "one", scenarioTest: "three" });
});

Deno.test("a section whose line a formatter of Markdown has joined with the text below is found, with the remedy", () => {
  const error = refused(`${EXPLORE_HEADER} Add a flag.\n\n${SCENARIO_HEADER}\n\nRun it.\n`);
  assertStringIncludes(error.message, `(line 1 looks like it: "${EXPLORE_HEADER} Add a flag.")`);
  assertStringIncludes(error.hint ?? "", "Without the blank line, a formatter of Markdown may join the two.");
});

Deno.test("plain prose is a job: all of it is what to do, and the tester checks that it is done", () => {
  const { scenarioTest, ...job } = parseJob("\nFix the rounding.\n\nA coupon of 33 % on 9.99 must give 6.69.\n");
  const exploreSummary = "Fix the rounding.\n\nA coupon of 33 % on 9.99 must give 6.69.";
  assertEquals(job, { introduction: "", exploreSummary });
  assertStringIncludes(scenarioTest, "run the project's tests");
});

Deno.test("a missing section is refused with the line to write", () => {
  const error = refused(`${EXPLORE_HEADER}\none\n`);
  assertEquals(error.message, `Cannot use job.md: the line "${SCENARIO_HEADER}" is missing`);
  assertStringIncludes(error.hint ?? "", `exactly "${SCENARIO_HEADER}"`);
  assertEquals(error.exitCode, 2);
  assertStringIncludes(refused("").message, EXPLORE_HEADER);
});

Deno.test("a header that is almost right is pointed out", () => {
  const error = refused(`${EXPLORE_HEADER}\none\n## Scenario Test\nthree`);
  assertStringIncludes(error.message, `(line 3 looks like it: "## Scenario Test")`);
});

Deno.test("an empty section is refused with its line", () => {
  assertEquals(
    refused(`${EXPLORE_HEADER}\n \n\n${SCENARIO_HEADER}\nthree`).message,
    `Cannot use job.md: the section "${EXPLORE_HEADER}" (line 1) is empty`,
  );
  assertStringIncludes(refused(`${EXPLORE_HEADER}\none\n${SCENARIO_HEADER}`).message, "(line 3) is empty");
});

Deno.test("a section that is there twice is refused with both lines", () => {
  assertStringIncludes(
    refused(`${EXPLORE_HEADER}\none\n${SCENARIO_HEADER}\nx\n${EXPLORE_HEADER}\ntwo`).message,
    "more than once (lines 1 and 5)",
  );
});

Deno.test("a job is written as it was read, and one of plain prose is told without what the tester goes by", () => {
  const structured = `Title\n\n${EXPLORE_HEADER}\n\none\n\n${SCENARIO_HEADER}\n\nthree`;
  for (const text of ["Fix the rounding.\n\nIn total().", structured]) {
    assertEquals([jobText(parseJob(text)), parseJob(jobText(parseJob(text)))], [text, parseJob(text)]);
  }
  const asked = (text: string) =>
    RUN_BEGINS.run_started.head?.({ task: parseJob(text) } as Parameters<typeof RUN_BEGINS.run_started.head>[0])?.task;
  assertEquals([asked("Fix the rounding."), asked(structured)], ["Fix the rounding.", "Title\n\none\n\nthree"]);
});
