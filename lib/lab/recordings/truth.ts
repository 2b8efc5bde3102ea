import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "../../base/status.ts";
import { parseJson } from "./timeline_reader.ts";

export interface TruthInterval {
  readonly from: number;
  readonly to: number;
  readonly status: TerminalStatus;
  readonly alone?: boolean;
}

const Interval = z.strictObject({
  from: z.number().min(0),
  to: z.number(),
  status: z.enum(TERMINAL_STATUSES),
  alone: z.boolean().optional(),
});
const TruthFile = z.strictObject({ source: z.string(), truth: z.array(Interval).min(1) });

export function parseTruth(text: string, name: string): { readonly truth: readonly TruthInterval[] } {
  const fail = (problem: string): never => {
    throw new UsageError(`Cannot read the truth in ${name}: ${problem}`);
  };
  const parsed = TruthFile.safeParse(parseJson(text, fail));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return fail(`${issue?.path.join(".") || "the file"}: ${issue?.message ?? "it is not valid"}`);
  }
  let end = 0;
  for (const [index, { from, to }] of parsed.data.truth.entries()) {
    if (to <= from) return fail(`truth.${index}: it ends at ${to}, before it begins at ${from}`);
    if (from < end) return fail(`truth.${index}: it begins at ${from}, before the one before it ends at ${end}`);
    end = to;
  }
  return parsed.data as { readonly truth: readonly TruthInterval[] };
}
