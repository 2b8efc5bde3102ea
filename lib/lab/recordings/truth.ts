import * as z from "zod";
import { UsageError } from "../../base/errors.ts";
import { TERMINAL_STATUSES, type TerminalStatus } from "../../base/status.ts";
import { present } from "../../base/schema.ts";

/** What an agent really did during a part of a recording, known from another source than its screen. */
export interface TruthInterval {
  /** Seconds since the recording began, `to` excluded. */
  readonly from: number;
  readonly to: number;
  readonly status: TerminalStatus;
  /** `false` if no screen of the CLI can show it: mistakes are counted separately. */
  readonly alone?: boolean;
}

/** The truth about a recording. Time between two intervals is not judged. */
interface Truth {
  /** How it is known, as a full sentence. */
  readonly source: string;
  /** In chronological order, without overlap. */
  readonly truth: readonly TruthInterval[];
}

const Interval = z.strictObject({
  from: z.number().min(0),
  to: z.number(),
  status: z.enum(TERMINAL_STATUSES),
  alone: z.boolean().optional(),
}).transform(({ from, to, status, alone }): TruthInterval => ({
  from,
  to,
  status,
  ...present({ alone }),
}));
const TruthFile = z.strictObject({ source: z.string(), truth: z.array(Interval).min(1) });

/**
 * Reads the truth about a recording from JSON.
 *
 * @param name the file's name in messages
 * @throws {UsageError} for invalid JSON, unknown keys, and intervals that overlap or end before they begin
 */
export function parseTruth(text: string, name: string): Truth {
  const fail = (problem: string): never => {
    throw new UsageError(`Cannot read the truth in ${name}: ${problem}`);
  };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return fail("it is not JSON");
  }
  const parsed = TruthFile.safeParse(json);
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
  return parsed.data;
}
