import type { AuditEnd } from "../../turn/desk/audit_chain.ts";
import { auditHeadsPath, readAuditHeads } from "../../turn/desk/audit_heads.ts";
import { PanewrightError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import { PIPELINE } from "../../jobs/pipeline/mod.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import { checkAnswers, type CheckedJournal, checkJournal } from "./journal_check.ts";
import { UnknownRecordError } from "../../journal/fact_reader.ts";
import { isJournalOf, readJournalText, tryParseFacts } from "../../journal/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { nameInState } from "../../run/state_names.ts";
import { errorText } from "../../base/text/error_text.ts";

interface KnownHead {
  /** As the end of a sentence: `the run's journal`. */
  readonly by: string;
  readonly head: AuditEnd;
}

export interface Witnesses {
  readonly heads: readonly KnownHead[];
  readonly journal: number;
  readonly checked: CheckedJournal;
  /** The copy in the person's state folder; no path where none is kept. */
  readonly copy: { readonly path: string | undefined; readonly heads: number };
}

export const NO_WITNESSES: Witnesses = {
  heads: [],
  journal: 0,
  checked: { lines: 0, isProven: false },
  copy: { path: undefined, heads: 0 },
};

export async function readWitnesses(
  folder: RunFolder,
  env: (name: string) => string | undefined,
): Promise<Witnesses> {
  const { checked, facts } = await readJournal(folder);
  if (checked.isProven) await checkAnswers(folder, facts);
  const journal = facts.flatMap((fact) => "audit" in fact && fact.audit !== undefined ? [fact.audit] : []);
  const isCopy = facts.some((fact) => "isCopy" in fact && fact.isCopy === true);
  const path = auditHeadsPath({ id: await nameInState(folder, isCopy) }, env);
  const copied = path === undefined ? [] : readCopy(folder, path);
  const heads = [
    ...journal.map((head) => ({ by: "the run's journal", head })),
    ...copied.map((head) => ({ by: `the copy ${path}`, head })),
  ];
  return { heads, journal: journal.length, checked, copy: { path, heads: copied.length } };
}

function readCopy({ id }: RunFolder, path: string): readonly AuditEnd[] {
  try {
    return readAuditHeads(path);
  } catch (cause) {
    throw new PanewrightError(
      `Cannot trust the audit log of run ${id}: the copy of its heads, ${path}, cannot be read: ${errorText(cause)}`,
      { cause },
    );
  }
}

async function readJournal(run: RunFolder) {
  const { id, journalPath: path, path: folder } = run;
  const { problem, ...journal } = tryParseFacts(readJournalText(path), { path, folder, jobs: JOBS });
  if (problem instanceof UnknownRecordError) throw problem;
  const checked = await checkJournal(run);
  if (problem !== undefined) {
    throw new PanewrightError(`Cannot trust the audit log of run ${id}: the journal cannot say where it ended`, {
      cause: problem,
      hint: problem.message,
    });
  }
  const facts: readonly (ReviewFact | ExecFact)[] = isJournalOf(journal, REVIEW_LOOP) || isJournalOf(journal, PIPELINE)
    ? journal.facts
    : [];
  return { checked, facts };
}
