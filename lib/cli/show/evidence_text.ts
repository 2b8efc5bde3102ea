import type { Statement } from "../../api/evidence/statement.ts";
import type { Finding } from "../../api/evidence/statement.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { plural } from "../../journal/words/words.ts";
import { evidenceLines } from "../../journal/common.ts";

const RESULTS = { PASSED: "✓ PASS", WARNED: "✓ PASS with remarks", FAILED: "✗ FAIL" } as const;

const MOST_PLACES = 10;

type Row = readonly [label: string, texts: readonly string[]];

/** What a PASS rests on, label by label. */
function rowsOf({ predicate: { panewright: about }, subject }: Statement): readonly Row[] {
  const { answers, base, checks, hunks, journal, models, refused, remarks, run, setup, tests, trials, untried } = about;
  const { gitCommit = "", gitTree = "" } = subject[0]?.digest ?? {};
  const counts = tests === undefined ? ["its exit code alone: no tests are told by name"] : [testsText(tests)];
  const unnoticed = hunks.filter(({ noticed }) => !noticed).map(({ lines, path }) =>
    `${path}:${lines}: no check misses it`
  );
  const told = evidenceLines({ remarks: [], trials, hunks, untried }).map(({ text }) =>
    text.replace(/^evidence: /, "")
  );
  return [
    ["Commit", [`${gitCommit} (files ${gitTree.slice(0, 12)}, from ${base.slice(0, 12)})`, subject[0]?.name ?? ""]],
    ["Checked by", [
      ...(setup === undefined ? [] : [`${setup} (setup)`]),
      ...checks.map(({ command }) => command),
      ...(checks.length === 0 ? [] : counts),
    ]],
    ["Tried", [...told, ...unnoticed.slice(0, MOST_PLACES), ...more(unnoticed.length - MOST_PLACES)]],
    ["Remarks", about.problem === undefined ? remarks : [about.problem, ...remarks]],
    ["Answered", answers.map(({ answer, asked, by }) => `${asked}: ${answer} (${by})`)],
    ["Refused", refused.slice(0, MOST_PLACES)],
    ["Models", models],
    ["Run", [`${run}, judged ${about.at}`, `journal: ${journal.lines} records, ${journal.sha256.slice(0, 16)}…`]],
  ];
}

function testsText({ results = {}, total }: NonNullable<Statement["predicate"]["panewright"]["tests"]>): string {
  const skipped = Object.values(results).filter((how) => how === "skipped").length;
  return `${plural(total, "test")}${skipped === 0 ? "" : `, ${skipped} of them skipped`}`;
}

function more(count: number): readonly string[] {
  return count > 0 ? [`and ${count} more`] : [];
}

export function evidenceText(statement: Statement): string {
  const { result, panewright: { task } } = statement.predicate;
  const rows = rowsOf(statement).flatMap(([label, texts]) =>
    texts.filter((text) => text !== "").map((text, index) =>
      `  ${(index === 0 ? label : "").padEnd(12)}${sanitizeLine(text)}`
    )
  );
  return [`${RESULTS[result]}  ${sanitizeLine(task.split("\n", 1)[0] ?? "")}`, "", ...rows, ""].join("\n");
}

/** For a pull request. */
export function evidenceMarkdown(statement: Statement): string {
  const { result } = statement.predicate;
  const rows = rowsOf(statement).flatMap(([label, texts]) => {
    const told = texts.filter((text) => text !== "").map((text) => codeIn(sanitizeLine(text)));
    return told.length === 0 ? [] : [`| ${label} | ${told.join("<br>")} |`];
  });
  return [`### ${RESULTS[result]}`, "", "| | |", "|---|---|", ...rows, ""].join("\n");
}

/** A text of an agent, in which nothing of Markdown or HTML counts. */
function codeIn(text: string): string {
  const ticks = "`".repeat(1 + Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length)));
  const space = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${space}${text.replaceAll("|", "\\|")}${space}${ticks}`;
}

export function findingsText(found: readonly Finding[]): string {
  return found.map(({ detail, holds, what }) =>
    `${holds === null ? "?" : holds ? "✓" : "✗"} ${sanitizeLine(what)}: ${sanitizeLine(detail)}\n`
  ).join("");
}
