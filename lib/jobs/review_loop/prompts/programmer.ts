import type { TestCommandResult } from "../../test_command.ts";
import {
  acceptanceTests,
  assemble,
  condensed,
  exploreSummary,
  feedback,
  heading,
  isRepeat,
  ownOutput,
  type PromptInput,
  quoted,
  quotedTestCommand,
  scenarioTest,
  upstream,
} from "./shared.ts";
import { dataBlock } from "../../../base/text/markdown.ts";

export function programmerPrompt(input: PromptInput): string {
  const { state } = input;
  const openPoints = isRepeat(input)
    ? undefined
    : feedback(input, { author: "analyst", title: "OPEN POINTS OF THE ANALYST'S REVIEW, which did not approve" });
  return assemble(input, [
    heading(input, "You change the project's code so that the scenario test passes."),
    exploreSummary(input),
    upstream(input, { role: "analyst" }),
    openPoints,
    acceptanceTests(input),
    scenarioTest(input, "SCENARIO TEST, read-only: make it pass, never change it"),
    quotedTestCommand(input),
    ...testEvidence(input),
    earlierChanges(input),
    ownOutput(input),
    feedback(input, { author: "programmer", title: "REVIEW OF YOUR LAST CHANGES" }),
    state.feedback.programmer === undefined ? TASK : `${TASK}\nDeal with every point of the review.`,
  ]);
}

const TASK =
  `Make the changes in the working directory. Do not weaken, skip or delete a test to get it to pass. Your response contains:
- Files changed: each path, and what changed in it.
- Behaviour implemented, point by point against the scenario test.
- Checks that you ran, and what they printed.
- What you left undone, and why.`;

function testEvidence(input: PromptInput): (string | undefined)[] {
  const evidence = input.state.testEvidence;
  if (evidence === undefined) return [];
  const { round, report: text, files, note, command } = evidence;
  const { settings } = input.context;
  const maxLines = settings.condenseTestEvidence ? settings.maxTestEvidenceLines : undefined;
  return [
    `The test of round ${round} failed${note === undefined ? "" : ` (${note})`}. ` +
    "Find the cause in the evidence below and repair it.",
    text === "" ? undefined : dataBlock(...quoted(input, `TEST REPORT OF ROUND ${round}`, { text, files, maxLines })),
    command === undefined ? undefined : commandOutput(command, maxLines),
  ];
}

function commandOutput(command: TestCommandResult, maxLines: number | undefined): string {
  const end = command.problem !== undefined
    ? "on a fresh checkout"
    : command.timedOut
    ? "killed at its time limit"
    : `exit code ${command.exitCode}`;
  const title = `OUTPUT OF THE PROJECT TEST COMMAND, ${end}${command.truncated ? ", the end of it" : ""}`;
  return dataBlock(...condensed(title, command.output.trim() === "" ? "(no output)" : command.output, maxLines));
}

function earlierChanges(input: PromptInput): string | undefined {
  const { earlierChanges } = input.state;
  if (earlierChanges.length === 0) return undefined;
  const { settings } = input.context;
  const reports = earlierChanges.map(({ round, report: text, files }, index) => {
    const share = (most: number) => Math.ceil(most / (earlierChanges.length - index));
    const maxLines = settings.condenseCrossPhase ? share(settings.maxCrossPhaseLines) : undefined;
    const maxChars = share(settings.maxResponseChars);
    return quoted(input, `Round ${round}`, { text, files, maxLines, maxChars }).join(":\n");
  });
  return dataBlock("CHANGES THAT YOU REPORTED IN EARLIER ROUNDS", reports.join("\n\n"));
}
