import { createRedactor, type LearningRedactor } from "../../base/redact/redactor.ts";
import { privateWordsOf } from "../../base/redact/secret_patterns.ts";

export function ownRedactor(): LearningRedactor {
  return createRedactor(privateWordsOf(Deno.env.toObject(), "").secrets ?? []);
}
