import { problemOf, readLog } from "../control/audit_check.ts";
import { readWitnesses, type Witnesses } from "../control/audit_witnesses.ts";
import { plural } from "../../journal/words/words.ts";
import { checkChain } from "../../turn/desk/audit_chain.ts";
import { UsageError } from "../../base/errors.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { ReportAudit } from "./model.ts";
import { present } from "../../base/schema.ts";

/** What `panewright audit verify` says of a run's log, as a part of its report: nothing is thrown. */
export async function auditOf(
  folder: RunFolder,
  env: (name: string) => string | undefined,
): Promise<ReportAudit> {
  let witnesses: Witnesses;
  try {
    witnesses = await readWitnesses(folder, env);
  } catch (error) {
    return { verdict: "unknown", text: `${errorText(error)}.`, records: 0 };
  }
  try {
    const verdict = await checkChain(readLog(folder, witnesses));
    const records = verdict.records.length;
    const problem = verdict.intact
      ? problemOf(folder, verdict, witnesses)
      : `is broken: the record in line ${verdict.line} ${verdict.problem}`;
    if (problem !== undefined) return { verdict: "broken", text: `The audit log ${problem}.`, records };
    const head = verdict.records.at(-1)?.hash;
    const text = `The audit log is as it was written: ${plural(records, "record")}.`;
    return { verdict: "intact", text, records, ...present({ head }) };
  } catch (error) {
    if (error instanceof UsageError) {
      return {
        verdict: "none",
        text: "There is no audit log: a run has one as soon as it starts its agents.",
        records: 0,
      };
    }
    // One that is gone is known by its witnesses; any other cannot be read.
    const isGone = error instanceof Error && error.cause === undefined;
    return { verdict: isGone ? "broken" : "unknown", text: `${errorText(error)}.`, records: 0 };
  }
}
