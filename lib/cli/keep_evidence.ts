import { dirname } from "@std/path/posix";
import { signFile } from "../api/evidence/sign.ts";
import { readStatement } from "../api/evidence/statement.ts";
import { PanewrightError, UsageError } from "../base/errors.ts";
import { replaceFile } from "../base/ports/own_files.ts";
import { createRedactor } from "../base/redact/redactor.ts";
import type { RunFolder } from "../run/run_folder.ts";

interface Keeping {
  /** `evidence.sign`. */
  readonly key: string | undefined;
  /** The person's home, for a key that begins with `~/`. */
  readonly home: string;
  readonly signal: AbortSignal;
  /** Told what cannot be done. */
  readonly warn: (message: string) => void;
}

/** Where the statement of a run is kept: beside the journal that is believed. */
export function evidencePathOf({ journalPath }: RunFolder): string {
  return `${dirname(journalPath)}/evidence.json`;
}

/** Writes what the PASS of a run rests on beside the journal that is believed, signed where a key is named. */
export async function keepEvidence(run: RunFolder, { home, key, signal, warn }: Keeping): Promise<void> {
  if (run.journalPath === run.copyPath) return;
  const path = evidencePathOf(run);
  try {
    const statement = await readStatement(run, { redactor: createRedactor([]), signal });
    await replaceFile(path, `${JSON.stringify(statement, null, 2)}\n`);
    if (key !== undefined) await signFile(path, { key: key.replace(/^~(?=\/)/, () => home), signal });
  } catch (error) {
    // Of nothing that was judged there is nothing to tell.
    if (error instanceof UsageError) return;
    if (!(error instanceof PanewrightError)) throw error;
    warn(error.message);
  }
}
