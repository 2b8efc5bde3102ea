import { REVIEW_VERDICT_FORM, TEST_VERDICT_FORM } from "../../verdicts.ts";
import { testerIn } from "../shapes.ts";
import { assemble, type PromptInput } from "./shared.ts";

export function verdictFollowUpPrompt(input: PromptInput): string {
  const form = testerIn(input.context.settings) === input.turn.role ? TEST_VERDICT_FORM : REVIEW_VERDICT_FORM;
  return assemble(input, [
    `Your last response as ${input.turn.role} had no clear verdict: none, more than one, or one in \
a code block or a quote. Do not do the work again. Write one sentence with your reason and then the verdict, as plain text.`,
    form,
  ]);
}
