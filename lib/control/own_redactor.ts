import { createRedactor, type Redactor } from "../redact/redactor.ts";
import { privateWordsOf } from "../redact/secret_patterns.ts";

/** A redactor that knows the secrets of this process' environment. */
export function ownRedactor(): Redactor {
  return createRedactor(privateWordsOf(Deno.env.toObject(), "").secrets ?? []);
}
