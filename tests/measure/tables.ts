import { walk } from "@std/fs";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { measureAcpTurns } from "../bench/acp_turns.ts";
import { callCli } from "../support/call_cli.ts";
import { type MakeTable, table } from "../support/document_tables.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

/** The document that has the tables. */
export const MEASUREMENTS = `${ROOT}docs/measurements.md`;

/**
 * Tables that a change of rules or recordings changes, by the name that stands in the document. They must be up to
 * date.
 */
export const TESTED_TABLES: Readonly<Record<string, MakeTable>> = { corpus };

/** All tables that a program can make: what nearly every change changes is as of its date. */
export const TABLES: Readonly<Record<string, MakeTable>> = { acp, ...TESTED_TABLES, size };

/** The columns of a version's recordings: those that one screen decides, by their expected status. */
const STATUSES = ["idle", "processing", "completed", "waiting_user_answer", "error"] as const;

const LABELS: Readonly<Record<string, string>> = { codex: "Codex", claude_code: "Claude Code" };

interface Version {
  readonly type: "fixtures_version";
  readonly provider: string;
  readonly version: string;
  readonly matrix: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly total: number;
  readonly right: number;
  readonly apart: { readonly total: number; readonly right: number };
}

interface Timeline {
  readonly type: "fixtures_timeline";
  readonly falseRests: readonly unknown[];
  readonly flaps: readonly unknown[];
  readonly lateChanges: readonly unknown[];
}

/** What `panewright fixtures check` finds in this repository's recordings. */
async function corpus(): Promise<string> {
  const { stdout } = await callCli(["fixtures", "check", `${ROOT}fixtures`, "--json"]);
  const found = stdout.trimEnd().split("\n").map((line): Version | Timeline | { readonly type: "other" } =>
    JSON.parse(line)
  );
  const rows = found.filter((one) => one.type === "fixtures_version").map((
    { provider, version, matrix, total, right, apart },
  ) => [
    `${LABELS[provider] ?? provider} ${version}`,
    ...STATUSES.map((status) => String(sum(Object.values(matrix[status] ?? {})))),
    String(total - right),
    apart.total === 0 ? "" : `${apart.right} of ${apart.total}`,
  ]);
  const totals = ["all", ...STATUSES.keys().map((index) => String(sum(rows.map((row) => Number(row[index + 1])))))];
  const mistakes = String(sum(rows.map((row) => Number(row[STATUSES.length + 1]))));
  const headings = ["recordings", "idle", "processing", "completed", "waiting", "error", "mistakes", "alone, right"];
  const timelines = found.filter((one) => one.type === "fixtures_timeline");
  const count = (key: "falseRests" | "flaps" | "lateChanges") => sum(timelines.map((one) => one[key].length));
  return [
    table([headings, ...rows, [...totals, mistakes, ""]]),
    "",
    `Over time, \`fixtures/timelines\`: ${timelines.length} sessions, ${count("falseRests")} rests inside a turn, ` +
    `${count("flaps")} flaps, ${count("lateChanges")} late changes.`,
    "",
  ].join("\n");
}

/** Files and lines of lib, and of what tests it. */
async function size(): Promise<string> {
  const folders = Array.from(
    Deno.readDirSync(`${ROOT}lib`),
    ({ name, isDirectory }) => isDirectory ? `lib/${name}` : "",
  )
    .filter((name) => name !== "").toSorted();
  const count = async (folder: string) => {
    const files = await Array.fromAsync(walk(`${ROOT}${folder}`, { exts: [".ts"], includeDirs: false }));
    const lines = await Promise.all(
      files.map(async ({ path }) => (await Deno.readTextFile(path)).split("\n").length - 1),
    );
    return [folder, String(files.length), String(sum(lines))];
  };
  const rows = await Promise.all([...folders, "lib", "tests"].map(count));
  const date = new Date().toISOString().slice(0, 10);
  return `${date}\n\n${table([["folder", "files", "lines"], ...rows])}\n`;
}

/** From the end of a turn over ACP to its response being consumed. */
async function acp(): Promise<string> {
  const times = (await measureAcpTurns(ACP_TURNS)).toSorted((one, other) => one - other);
  const at = (share: number) => `${times[Math.floor((times.length - 1) * share)]?.toFixed(1)} ms`;
  const date = new Date().toISOString().slice(0, 10);
  const { stdout } = await systemProcessRunner.run({ argv: ["uptime"] });
  const load = /load averages?: ([\d.]+)/.exec(stdout)?.[1] ?? "unknown";
  return `${
    table([["date", "load", "turns", "least", "p50", "p95"], [
      date,
      load,
      String(times.length),
      at(0),
      at(0.5),
      at(0.95),
    ]])
  }\n`;
}

const ACP_TURNS = 100;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
