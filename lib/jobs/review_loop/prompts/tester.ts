import {
  assemble,
  exploreSummary,
  feedback,
  heading,
  type PromptInput,
  quotedTestCommand,
  read,
  scenarioTest,
  unheld,
  upstream,
} from "./shared.ts";
import { dataBlock } from "../../../base/text/markdown.ts";
import { mendsOf } from "../loops.ts";
import { TEST_VERDICT_FORM } from "../../verdicts.ts";

export function testerPrompt(input: PromptInput): string {
  const command = quotedTestCommand(input);
  const mends = mendsOf(input.context.settings);
  return assemble(input, [
    heading(input, "You run the scenario test and report what happened. You do not edit code, and you do not run git."),
    exploreSummary(input),
    scenarioTest(input),
    upstream(input, { role: "programmer" }),
    ...read(input),
    feedback(input, { author: "programmer", title: "OPEN POINTS OF THE PROGRAMMER'S REVIEW, which did not approve" }),
    unheld(input),
    before(input),
    command,
    command === undefined
      ? "Run the scenario test yourself, step by step, with commands of your choice that change no source file."
      : "Run the project test command and every step of the scenario test. " +
        "Panewright runs the command itself afterwards, and a pass counts only if it exits with code 0 there.",
    `Do not repair anything: what fails goes back to the ${mends}. Your response contains:
- Each step: the command, its exit code, the part of its output that matters, what was expected.
- For each failure, the evidence that the ${mends} needs: message, file and line, how to reproduce it.
${TEST_VERDICT_FORM}
A step that could not be run counts as failed.`,
  ]);
}

/** What failed before anybody worked on the job is not what the job has broken. */
function before({ base }: PromptInput): string | undefined {
  if (base === undefined) return undefined;
  const { detail, failed, passed, total } = base;
  const said = [
    ...(total === undefined ? [] : [`${total} tests`]),
    ...(passed ? ["all passed"] : failed.length === 0 ? [detail] : failed.map((name) => `failed: ${name}`)),
  ];
  return dataBlock("THE PROJECT'S TESTS ON THE CODE AS IT WAS, before anybody worked on this job", said.join("\n"));
}
