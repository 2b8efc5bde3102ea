import {
  type AuditEnd,
  type AuditVerdict,
  type ChainedRecord,
  checkChain,
  findCut,
} from "../../dialogs/audit_chain.ts";
import { JOBS } from "../../jobs/mod.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import { UnknownRecordError } from "../../run/fact_reader.ts";
import { isJournalOf, readJournalText, tryParseFacts } from "../../run/read_facts.ts";
import { readRegularText } from "../../ports/regular_file.ts";
import { MAX_AUDIT_BYTES } from "../../dialogs/audit.ts";
import { auditHeadsPath, readAuditHeads } from "../../dialogs/audit_heads.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { didYouMean } from "../../config/suggest.ts";
import { PanewrightError, UsageError } from "../../errors.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { findMeantRun, WORKDIR_FLAG } from "../find_named_run.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";
import { plural } from "../show/words.ts";
import { errorText } from "../../text/error_text.ts";

const ACTIONS = ["show", "verify"];

/** `panewright audit show|verify`. */
export const command = defineCommand({
  description:
    `Every decision about an agent's permission dialog is in the run's audit log (audit.ndjson in the run's folder), ` +
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
    const heads = action === "verify" ? readHeads(folder, io) : [];
    const verdict = await checkChain(readLog(folder, heads));
    if (action === "show") {
      const { records } = verdict;
      io.stdout(global.json ? records.map(jsonLine).join("") : renderRecords(records, { screens: global.verbose }));
    } else if (verdict.intact) {
      const cut = problemOf(verdict, heads);
      if (cut !== undefined) {
        if (global.json) io.stdout(jsonLine({ ...toJson(folder, verdict), intact: false, problem: cut }));
        throw untrusted(folder, cut);
      }
      io.stdout(global.json ? jsonLine(toJson(folder, verdict)) : renderIntact(folder, verdict));
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
  { records, torn }: AuditVerdict & { readonly intact: true },
  heads: readonly KnownHead[],
): string | undefined {
  // Its first record is written when it is opened; only one that was being written then may be missing.
  if (records.length === 0 && !torn) return "is empty";
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

/** Where the log once ended, and what says so. */
interface KnownHead {
  readonly by: string;
  readonly head: AuditEnd;
}

/** Every end of the log that the run's journal, and the copy in the person's state folder, tell of. */
function readHeads(folder: RunFolder, io: CliIo): readonly KnownHead[] {
  const copy = auditHeadsPath(folder, (name) => io.env(name));
  const copied = copy === undefined ? [] : readAuditHeads(copy);
  return [
    ...readJournalHeads(folder).map((head) => ({ by: "the run's journal", head })),
    ...copied.map((head) => ({ by: `the copy ${copy}`, head })),
  ];
}

function readJournalHeads({ journalPath: path }: RunFolder): readonly AuditEnd[] {
  let text: string;
  try {
    text = readJournalText(path);
  } catch (error) {
    if (error instanceof PanewrightError && error.cause instanceof Deno.errors.NotFound) return [];
    throw error;
  }
  const { problem, ...journal } = tryParseFacts(text, { path, jobs: JOBS });
  if (problem instanceof UnknownRecordError) throw problem;
  if (!isJournalOf(journal, REVIEW_LOOP)) return [];
  return journal.facts.flatMap((fact) => "audit" in fact && fact.audit !== undefined ? [fact.audit] : []);
}

function readLog(folder: RunFolder, heads: readonly KnownHead[]): string {
  const { id, auditPath } = folder;
  try {
    return readRegularText(auditPath, { maxBytes: MAX_AUDIT_BYTES });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.NotFound)) {
      throw new PanewrightError(`Cannot read ${auditPath}: ${errorText(cause)}`, { cause });
    }
    const [known] = heads;
    if (known !== undefined) throw untrusted(folder, `is gone: it had ${known.head.records} records, by ${known.by}`);
    throw new UsageError(`Cannot find an audit log of run ${id}`, {
      cause,
      hint: "A run has one as soon as a permission dialog is decided.",
    });
  }
}

function toJson({ id, auditPath }: RunFolder, verdict: AuditVerdict): Record<string, unknown> {
  const common = { run: id, file: auditPath, intact: verdict.intact, records: verdict.records.length };
  if (!verdict.intact) return { ...common, line: verdict.line, problem: verdict.problem };
  return { ...common, torn: verdict.torn, head: verdict.records.at(-1)?.hash ?? null };
}

function renderIntact({ id }: RunFolder, verdict: AuditVerdict & { readonly intact: true }): string {
  const { records, torn } = verdict;
  const lines = [
    `The audit log of run ${id} is as it was written: ${plural(records.length, "record")}.`,
    `Last hash: ${records.at(-1)?.hash ?? "none"}`,
  ];
  if (torn) lines.push("One more record was begun and not finished: nothing was done on its account.");
  return `${lines.join("\n")}\n`;
}

function renderRecords(records: readonly ChainedRecord[], options: { readonly screens: boolean }): string {
  const outcomes = new Map(records.filter(({ type }) => type === "outcome").map((record) => [record["of"], record]));
  const decisions = records.filter(({ type }) => type === "decision");
  if (decisions.length === 0) return "No permission dialog was decided.\n";
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
    `(terminal ${text("terminal")}, ${text("provider")})`,
    `    about   ${record["command"] === null ? "what the screen does not show" : text("command")}`,
    `    rule    ${text("rule")}: ${text("reason")}`,
    `    sent    ${keys.length === 0 ? "nothing" : sanitizeLine(keys.join(" "))}`,
  ];
  if (keys.length > 0) lines.push(`    result  ${sanitizeLine(String(outcome?.["result"] ?? "not recorded"))}`);
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
