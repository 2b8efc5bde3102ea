import { dataBlock } from "../../../base/text/markdown.ts";
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
  unheld,
  upstream,
} from "./shared.ts";

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
    input.judged && dataBlock("WHAT TRIALS OF THE CHANGES HAVE SHOWN", input.judged.join("\n")),
    `Read the changed files themselves, not only the report: do they do what the analysis and the scenario test ask for, \
are errors handled, is anything broken that worked before, was a test weakened?`,
    reviewForm(input, "programmer"),
  ]);
}
