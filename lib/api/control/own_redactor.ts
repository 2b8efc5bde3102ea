import { createLearningRedactor, type LearningRedactor } from "../../base/redact/learning_redactor.ts";
import { privateWordsOf } from "../../base/redact/secret_patterns.ts";

export function ownRedactor(): LearningRedactor {
  return createLearningRedactor(privateWordsOf(Deno.env.toObject(), "").secrets ?? []);
}
