import { jsonLine } from "../../base/text/sanitize.ts";
// Types only: what commands print is checked by the compiler, and zod is not loaded for it.
import type { OutputFields, OutputType } from "./outputs.ts";

/**
 * The version of what `--json` prints, `v` in each object: it grows when a field goes, or means something else. What
 * reads the objects has to pass over fields and types that it does not know.
 */
export const OUTPUT_VERSION = 1;

export function outputLine<Type extends OutputType>(type: Type, fields: OutputFields[Type]): string {
  return jsonLine({ type, v: OUTPUT_VERSION, ...fields });
}

export function recordLine(record: { readonly type: string; readonly at: string }): string {
  const { type, ...fields } = record;
  return jsonLine({ type, v: OUTPUT_VERSION, ...fields });
}
