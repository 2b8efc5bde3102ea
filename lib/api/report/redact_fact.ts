import { mapTexts, type Redactor } from "../../base/redact/redactor.ts";
import type { AnyFact, Recorded } from "../../journal/job.ts";

const WRITTEN = new Set(["task", "target", "text", "finalText", "answer", "command", "description", "subject"]);

export function redactFact(fact: Recorded<AnyFact>, redactor: Redactor): Recorded<AnyFact> {
  const bare = redactor.record(fact);
  const written = Object.entries(bare).filter(([name]) => WRITTEN.has(name));
  if (written.length === 0) return bare;
  return { ...bare, ...Object.fromEntries(written.map(([name, value]) => [name, mapTexts(value, redactor.text)])) };
}
