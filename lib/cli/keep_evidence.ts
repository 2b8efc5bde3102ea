import { dirname } from "@std/path/posix";
import { signFile } from "../api/evidence/sign.ts";
import { readStatement, type Statement } from "../api/evidence/statement.ts";
import { UsageError } from "../base/errors.ts";
import { removeIfThere } from "../base/ports/files.ts";
import { replaceFile } from "../base/ports/own_files.ts";
import { UNASKED } from "../base/ports/process.ts";
import { createRedactor } from "../base/redact/redactor.ts";
import { errorText } from "../base/text/error_text.ts";
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
    await writeStatement(path, statement);
    if (key !== undefined) {
      await signFile(path, { key: key.replace(/^~(?=\/)/, () => home), env: UNASKED, timeoutMs: SIGNING_MS, signal });
    }
  } catch (error) {
    // Of nothing that was judged there is nothing to tell.
    if (!(error instanceof UsageError)) warn(`what its PASS rests on is not kept: ${errorText(error)}`);
  }
}

/** Writes a statement; what another one was signed with is no signature of this one. */
export async function writeStatement(path: string, statement: Statement): Promise<void> {
  removeIfThere(`${path}.sig`);
  await replaceFile(path, `${JSON.stringify(statement, null, 2)}\n`);
}

const SIGNING_MS = 30_000;
