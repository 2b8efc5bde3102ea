import { activityLines } from "./exec/attempt.ts";
import { EXEC_RECORDS, type ExecEvent } from "./exec/facts.ts";
import type { Effects, RecordTable, ReportHead, ToldRecord } from "./entry.ts";
import { adds, type ItemChange } from "./items/item_changes.ts";
import type { Recorded } from "./job.ts";
import { REVIEW_RECORDS, type ReviewFact } from "./loop/facts.ts";
import type { Progress } from "./progress.ts";
import type { ShownLine } from "./words/lines.ts";

export type ShownRecord = ReviewFact | ExecEvent;

export function describeRecord(record: ShownRecord): readonly ShownLine[] {
  return record.type === "agent_activity" ? activityLines(record.fact) : [entryOf(record).words(record)].flat();
}

export function itemsOf(record: Recorded<ShownRecord>, progress: Progress | undefined): readonly ItemChange[] {
  const told = toldRecord(record, progress);
  const { items } = entryOf(record, progress?.job);
  if (items !== undefined) return [items(record, told)].flat();
  if (told.isDetail) return [];
  const { title, text, times, tone } = told;
  const { role = "run", turnId } = record as { readonly role?: string; readonly turnId?: string };
  const turn = turnId === undefined ? {} : { turn: turnId };
  return [adds({ kind: "note", lane: role, ...turn, title, text, times, tone })];
}

export function headOf(record: ShownRecord): ReportHead {
  return entryOf(record, "job" in record ? record.job : undefined).head?.(record) ?? {};
}

// Types that both jobs have are told with the same words.
const TABLES: Readonly<Record<"run" | "exec", RecordTable<unknown>>> = { run: REVIEW_RECORDS, exec: EXEC_RECORDS };

/** The tables' types hold each entry to its record; what TypeScript cannot see is that record and entry are a pair. */
function entryOf({ type }: ShownRecord, job?: "run" | "exec"): Effects<ShownRecord, unknown> {
  const entry = job === undefined ? TABLES.run[type] ?? TABLES.exec[type] : TABLES[job][type];
  return entry as unknown as Effects<ShownRecord, unknown>;
}

/** The words of a record; its role is not said again. */
function toldRecord(record: ShownRecord, progress: Progress | undefined): ToldRecord {
  const [first, ...more] = describeRecord(record);
  const [head = "", ...rest] = (first?.text ?? record.type).split("\n");
  const role = "role" in record ? `${record.role}: ` : "";
  const bare = record.type === "warning" ? head.replace(/^warning: /, "") : head;
  const tone = first?.tone ?? "plain";
  return {
    title: role !== "" && bare.startsWith(role) ? bare.slice(role.length) : bare,
    text: [...rest, ...more.map(({ text }) => text)].join("\n"),
    times: [first, ...more].flatMap((shown) => shown?.times ?? []),
    tone: tone === "heading" ? "plain" : tone,
    isDetail: first?.importance === "detail",
    lane: "role" in record && record.role !== undefined ? record.role : progress?.workers[0]?.name || "run",
    progress,
  };
}
