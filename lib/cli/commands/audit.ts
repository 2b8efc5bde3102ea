import { type AuditVerdict, checkChain } from "../../turn/desk/audit_chain.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { PanewrightError, UsageError } from "../../base/errors.ts";
import { defineCommand } from "../console/command.ts";
import { problemOf, readLog, untrusted } from "../../api/control/audit_check.ts";
import { NO_WITNESSES, readWitnesses, type Witnesses } from "../../api/control/audit_witnesses.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { outputLine, recordLine } from "../../api/output/line.ts";
import type { OutputFields } from "../../api/output/outputs.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { renderRecords } from "../../api/show/audit_text.ts";
import { plural } from "../../journal/words/words.ts";

const ACTIONS = ["show", "verify"];

export const command = defineCommand({
  arguments: [
    { name: "ACTION", description: ACTIONS.join(" or "), choices: ACTIONS, required: true },
    RUN_ARGUMENT,
  ],
  flags: {
    wd: WORKDIR_FLAG,
  },
  async run({ flags, positionals, global }, io) {
    const [action = "", run] = positionals;
    if (!ACTIONS.includes(action)) {
      throw new UsageError(`Cannot do "${action}" with the audit log${didYouMean(action, ACTIONS)}`, {
        hint: `ACTION is ${ACTIONS.join(" or ")}.`,
      });
    }
    const folder = await findMeantRun(io, run, flags.wd);
    const witnesses = action === "verify" ? await readWitnesses(folder, (name) => io.env(name)) : NO_WITNESSES;
    const verdict = await checkChain(readLog(folder, witnesses));
    if (action === "show") {
      const { records } = verdict;
      io.stdout(global.json ? records.map(recordLine).join("") : renderRecords(records, { screens: global.verbose }));
    } else if (verdict.intact) {
      const cut = problemOf(folder, verdict, witnesses);
      if (cut !== undefined) {
        if (global.json) {
          io.stdout(outputLine("audit_verified", { ...toJson(folder, verdict), intact: false, problem: cut }));
        }
        throw untrusted(folder, cut);
      }
      io.stdout(
        global.json
          ? outputLine("audit_verified", { ...toJson(folder, verdict), ...toldBy(witnesses) })
          : renderIntact(folder, verdict, witnesses),
      );
    }
    if (verdict.intact) return 0;
    if (action === "verify" && global.json) io.stdout(outputLine("audit_verified", toJson(folder, verdict)));
    throw new PanewrightError(
      `Cannot trust the audit log of run ${folder.id}: the record in line ${verdict.line} ${verdict.problem}`,
      {
        hint: `The ${plural(verdict.records.length, "record")} before it ${
          verdict.records.length === 1 ? "is" : "are"
        } as written.`,
      },
    );
  },
});

function toJson({ id, auditPath }: RunFolder, verdict: AuditVerdict): OutputFields["audit_verified"] {
  const common = { run: id, file: auditPath, intact: verdict.intact, records: verdict.records.length };
  if (!verdict.intact) return { ...common, line: verdict.line, problem: verdict.problem };
  return { ...common, torn: verdict.torn, head: verdict.records.at(-1)?.hash ?? null };
}

function toldBy({ journal, checked: { lines, isProven }, copy }: Witnesses) {
  return {
    journal_heads: journal,
    journal_records: lines,
    journal_proven: isProven,
    copy: copy.path ?? null,
    copy_heads: copy.heads,
  };
}

function renderIntact(
  { id }: RunFolder,
  { records, torn }: AuditVerdict & { readonly intact: true },
  { journal, checked, copy }: Witnesses,
): string {
  const lines = [
    checked.isProven
      ? `The journal of run ${id} is as it was written: ${plural(checked.lines, "record")}, as in its copy.`
      : `The journal of run ${id} is whole: ${
        plural(checked.lines, "record")
      }. An earlier version kept it where agents ` +
        "can write: it proves nothing.",
    `The audit log of run ${id} is as it was written: ${plural(records.length, "record")}.`,
    `Last hash: ${records.at(-1)?.hash ?? "none"}`,
  ];
  const inJournal = `${plural(journal, "head")} in the run's journal`;
  lines.push(
    copy.path === undefined
      ? `Compared with ${inJournal}; no copy is kept outside of the working directory.`
      : copy.heads === 0
      ? `Compared with ${inJournal} only: there is no copy of them in ${sanitizeLine(copy.path)}.`
      : `Compared with ${inJournal} and ${copy.heads} in ${sanitizeLine(copy.path)}.`,
  );
  if (torn) lines.push("One more record was begun and not finished: nothing was done on its account.");
  return `${lines.join("\n")}\n`;
}
