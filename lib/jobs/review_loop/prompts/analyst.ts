import { mendsIn } from "../shapes.ts";
import { earlierChanges, testEvidence } from "./mended.ts";
import {
  assemble,
  exploreSummary,
  feedback,
  heading,
  ownOutput,
  type PromptInput,
  read,
  scenarioTest,
} from "./shared.ts";

export function analystPrompt(input: PromptInput): string {
  return assemble(input, [
    heading(input, "You work out what has to be done; you do not change the project's code."),
    exploreSummary(input),
    scenarioTest(input),
    ...read(input),
    ...(mendsIn(input.context.settings) === "analyst" ? [...testEvidence(input), earlierChanges(input)] : []),
    ownOutput(input),
    feedback(input, { author: "analyst", title: "REVIEW OF YOUR LAST ANALYSIS" }),
    input.state.feedback["analyst"] === undefined
      ? TASK
      : `${TASK}\nDeal with every point of the review, and write the whole analysis again, not only what changed.`,
  ]);
}

const TASK = `Read the code that this touches before you write. Your response contains:
- Scope: what is to be done, and what is not.
- Interfaces, files and modules that change, with their paths, and how.
- Steps for the programmer, in order, each small enough to be checked.
- Traceability: for each point of the scenario test, the step that makes it pass.
- Risks and open questions, with the choice that you would make.`;
