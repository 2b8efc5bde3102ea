import {
  acceptanceTests,
  assemble,
  exploreSummary,
  feedback,
  heading,
  isRepeat,
  ownOutput,
  type PromptInput,
  quotedTestCommand,
  read,
  scenarioTest,
  upstream,
} from "./shared.ts";
import { earlierChanges, testEvidence } from "./mended.ts";

export function programmerPrompt(input: PromptInput): string {
  const { state } = input;
  const openPoints = isRepeat(input)
    ? undefined
    : feedback(input, { author: "analyst", title: "OPEN POINTS OF THE ANALYST'S REVIEW, which did not approve" });
  return assemble(input, [
    heading(input, "You change the project's code so that the scenario test passes."),
    exploreSummary(input),
    upstream(input, { role: "analyst" }),
    ...read(input),
    openPoints,
    acceptanceTests(input),
    scenarioTest(input, "SCENARIO TEST, read-only: make it pass, never change it"),
    quotedTestCommand(input),
    ...testEvidence(input),
    earlierChanges(input),
    ownOutput(input),
    feedback(input, { author: "programmer", title: "REVIEW OF YOUR LAST CHANGES" }),
    state.feedback["programmer"] === undefined ? TASK : `${TASK}\nDeal with every point of the review.`,
  ]);
}

const TASK =
  `Make the changes in the working directory. Do not weaken, skip or delete a test to get it to pass. Your response contains:
- Files changed: each path, and what changed in it.
- Behaviour implemented, point by point against the scenario test.
- Checks that you ran, and what they printed.
- What you left undone, and why.`;
