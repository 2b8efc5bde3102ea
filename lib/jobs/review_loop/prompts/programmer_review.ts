import {
  acceptanceTests,
  assemble,
  exploreSummary,
  heading,
  type PromptInput,
  quotedTestCommand,
  read,
  reviewForm,
  scenarioTest,
  upstream,
} from "./shared.ts";
import { dataBlock } from "../../../base/text/markdown.ts";

export function programmerReviewPrompt(input: PromptInput): string {
  return assemble(input, [
    heading(input, "You review the changes. You change no file, and you trust no statement that you have not checked."),
    exploreSummary(input),
    upstream(input, { role: "analyst" }),
    ...read(input),
    acceptanceTests(input),
    scenarioTest(input),
    quotedTestCommand(input),
    upstream(input, { role: "programmer", always: "full" }),
    unheld(input),
    `Read the changed files themselves, not only the report: do they do what the analysis and the scenario test ask for, \
are errors handled, is anything broken that worked before, was a test weakened?`,
    reviewForm(input, "programmer"),
  ]);
}

/** What of the last round passed, and did not hold: whoever reviews what mends it is to know. */
function unheld({ state: { testEvidence } }: PromptInput): string | undefined {
  const { command, round } = testEvidence ?? {};
  if (command?.problem === undefined) return undefined;
  return dataBlock(`WHAT DID NOT HOLD AFTER ROUND ${round}, which these changes are to mend`, command.output);
}
