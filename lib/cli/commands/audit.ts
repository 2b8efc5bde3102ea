import { type AuditVerdict, type ChainedRecord, checkChain, findCut } from "../../dialogs/audit_chain.ts";
import { readRegularText } from "../../ports/regular_file.ts";
import { MAX_AUDIT_BYTES } from "../../dialogs/audit.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { didYouMean } from "../../text/suggest.ts";
import { PanewrightError, UsageError } from "../../errors.ts";
import { defineCommand } from "../console/command.ts";
import { NO_WITNESSES, readWitnesses, type Witnesses } from "../audit_witnesses.ts";
import { findMeantRun, WORKDIR_FLAG } from "../find_named_run.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";
import { plural } from "../show/words.ts";
import { errorText } from "../../text/error_text.ts";

const ACTIONS = ["show", "verify"];

/** `panewright audit show|verify`. */
export const command = defineCommand({
  description:
    `Every decision about what an agent asks permission for is in the run's audit log (audit.ndjson in the run's folder), ` +
    `written before anything was sent to the agent. Each record holds the hash of the one before it.

"audit show" prints the decisions for a person: who asked for what, which rule decided, what was sent and with what ` +
    `result; with --verbose also the screens before and after.

"audit verify" checks the chain and names the first record that was changed, added or removed. The journal, and a copy in ` +
    `your state folder, say where the log ended with each decision: one that was cut, emptied or written anew is refused, too. ` +
    `Exit code 1 if anything is wrong.`,
  arguments: [
    { name: "ACTION", description: ACTIONS.join(" or "), required: true },
    { name: "RUN", description: "the run's id; the newest run of this working directory if left out" },
  ],
  flags: [WORKDIR_FLAG],
  examples: [
    { command: "audit show", description: "what was decided in the newest run" },
    { command: "audit verify 20261120-072605", description: "whether the log of that run is as it was written" },
  ],
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
      io.stdout(global.json ? records.map(jsonLine).join("") : renderRecords(records, { screens: global.verbose }));
    } else if (verdict.intact) {
      const cut = problemOf(folder, verdict, witnesses);
      if (cut !== undefined) {
        if (global.json) io.stdout(jsonLine({ ...toJson(folder, verdict), intact: false, problem: cut }));
        throw untrusted(folder, cut);
      }
      io.stdout(
        global.json
          ? jsonLine({ ...toJson(folder, verdict), ...toldBy(witnesses) })
          : renderIntact(folder, verdict, witnesses),
      );
    }
    if (verdict.intact) return 0;
    if (action === "verify" && global.json) io.stdout(jsonLine(toJson(folder, verdict)));
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

/** What is wrong with a log whose chain is whole. */
function problemOf(
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

function untrusted({ id }: RunFolder, problem: string): PanewrightError {
  return new PanewrightError(`Cannot trust the audit log of run ${id}: it ${problem}`, {
    hint: "Its end was cut off, or another log was put in its place.",
  });
}

function readLog(folder: RunFolder, { heads }: Witnesses): string {
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

function toJson({ id, auditPath }: RunFolder, verdict: AuditVerdict): Record<string, unknown> {
  const common = { run: id, file: auditPath, intact: verdict.intact, records: verdict.records.length };
  if (!verdict.intact) return { ...common, line: verdict.line, problem: verdict.problem };
  return { ...common, torn: verdict.torn, head: verdict.records.at(-1)?.hash ?? null };
}

function toldBy({ journal, copy }: Witnesses): Record<string, unknown> {
  return { journal_heads: journal, copy: copy.path ?? null, copy_heads: copy.heads };
}

function renderIntact(
  { id }: RunFolder,
  { records, torn }: AuditVerdict & { readonly intact: true },
  { journal, copy }: Witnesses,
): string {
  const lines = [
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

function renderRecords(records: readonly ChainedRecord[], options: { readonly screens: boolean }): string {
  const outcomes = new Map(records.filter(({ type }) => type === "outcome").map((record) => [record["of"], record]));
  const decisions = records.filter(({ type }) => type === "decision");
  if (decisions.length === 0) return "Nothing was decided.\n";
  return decisions.map((record) => renderDecision(record, outcomes.get(record.seq), options)).join("\n");
}

function renderDecision(
  record: ChainedRecord,
  outcome: ChainedRecord | undefined,
  options: { readonly screens: boolean },
): string {
  const text = (key: string) => sanitizeLine(String(record[key] ?? ""));
  const keys = list(record["keys"]);
  const lines = [
    `#${record.seq}  ${sanitizeLine(record.at)}  ${text("decision")}: ${text("kind")} of ${text("role")} ` +
    `(${record["terminal"] === "" ? "" : `terminal ${text("terminal")}, `}${text("provider")})`,
    `    about   ${record["command"] === null ? "what the screen does not show" : text("command")}`,
    `    rule    ${text("rule")}: ${text("reason")}`,
    `    sent    ${keys.length === 0 ? "nothing" : sanitizeLine(keys.join(" "))}`,
  ];
  if (keys.length > 0 || outcome !== undefined) {
    lines.push(`    result  ${sanitizeLine(String(outcome?.["result"] ?? "not recorded"))}`);
  }
  if (options.screens) lines.push(...screen("before", record["before"]), ...screen("after", outcome?.["after"]));
  return `${lines.join("\n")}\n`;
}

function screen(name: string, rows: unknown): string[] {
  const texts = list(rows);
  return texts.length === 0
    ? []
    : [`    screen ${name}`, ...texts.map((row) => `      | ${sanitizeLine(row)}`.trimEnd())];
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
