import { assemble, type PromptInput, verdictForm } from "./shared.ts";

/** The short prompt that asks a reviewer or the tester once for the verdict that its response did not state. */
export function verdictFollowUpPrompt(input: PromptInput): string {
  const form = input.turn.role === "tester"
    ? verdictForm("RESULT", "PASS", "FAIL")
    : verdictForm("REVIEW_RESULT", "APPROVED", "REVISE");
  return assemble(input, [
    `Your last response as ${input.turn.role} had no clear verdict: none, more than one, or one in \
a code block or a quote. Do not do the work again. Write one sentence with your reason and then the verdict, as plain text.`,
    form,
  ]);
}
