import {
  assemble,
  exploreSummary,
  heading,
  type PromptInput,
  read,
  reviewForm,
  scenarioTest,
  upstream,
} from "./shared.ts";

export function analystReviewPrompt(input: PromptInput): string {
  return assemble(input, [
    heading(
      input,
      "You review the analysis. You change no file, and you trust no statement that you have not checked.",
    ),
    exploreSummary(input),
    scenarioTest(input),
    ...read(input),
    upstream(input, { role: "analyst", always: "full" }),
    `Check the analysis against the project's code: does every file and interface that it names exist or have a place, \
do its steps make the scenario test pass, is anything missing, is anything there that nobody asked for?`,
    reviewForm(input, "analyst"),
  ]);
}
