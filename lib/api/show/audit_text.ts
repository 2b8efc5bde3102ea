import type { ChainedRecord } from "../../turn/desk/audit_chain.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

/** The decisions of an audit log for a person; `screens`: with those before and after. */
export function renderRecords(records: readonly ChainedRecord[], options: { readonly screens: boolean }): string {
  const outcomes = new Map(records.filter(({ type }) => type === "outcome").map((record) => [record["of"], record]));
  const decisions = records.filter(({ type }) => type === "decision");
  if (decisions.length === 0) return "Nothing was decided.\n";
  return decisions.map((record) => renderDecision(record, outcomes.get(record.seq), options)).join("\n");
}

export function renderDecision(
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
