import { type AuditVerdict, findCut } from "../../turn/desk/audit_chain.ts";
import { MAX_AUDIT_BYTES } from "../../turn/desk/audit.ts";
import { PanewrightError, UsageError } from "../../base/errors.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { Witnesses } from "./audit_witnesses.ts";
import { plural } from "../../journal/words/words.ts";

export function problemOf(
  { id }: RunFolder,
  { records, torn }: AuditVerdict & { readonly intact: true },
  { heads }: Witnesses,
): string | undefined {
  // Its first record is written when it is opened; only one that was being written then may be missing.
  if (records.length === 0 && !torn) return "is empty";
  const [first] = records;
  if (first !== undefined && first.run !== id) return `belongs to another run, ${sanitizeLine(first.run)}`;
  for (const { by, head } of heads) {
    const cut = findCut(records, [head]);
    if (cut !== undefined) return `${cut}, by ${by}`;
  }
  return undefined;
}

export function untrusted({ id }: RunFolder, problem: string): PanewrightError {
  return new PanewrightError(`Cannot trust the audit log of run ${id}: it ${problem}`, {
    hint: "Its end was cut off, or another log was put in its place.",
  });
}

export function readLog(folder: RunFolder, { heads }: Witnesses): string {
  const { id, auditPath } = folder;
  try {
    return readRegularText(auditPath, { maxBytes: MAX_AUDIT_BYTES });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) {
      throw new PanewrightError(`Cannot read ${auditPath}: ${errorText(cause)}`, { cause });
    }
    const [known] = heads;
    if (known !== undefined) {
      throw untrusted(folder, `is gone: it had ${plural(known.head.records, "record")}, by ${known.by}`);
    }
    throw new UsageError(`Cannot find an audit log of run ${id}`, {
      cause,
      hint: "A run has one as soon as it starts its agents.",
    });
  }
}
