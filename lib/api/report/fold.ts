import { headOf, itemsOf, type ShownRecord } from "../../journal/describe.ts";
import type { Cost } from "../../journal/usage.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import type { AnyFact, JobRecords, Recorded } from "../../journal/job.ts";
import { initialProgress, type Progress } from "../../journal/progress.ts";
import { type ChangedItems, changeItems, type OpenItems } from "../../journal/items/item_changes.ts";
import type { ReportGap, ReportLane } from "./model.ts";
import { redactFact } from "./redact_fact.ts";

export type ReportEntry =
  | {
    /** The line's number, from 1. */
    readonly sequence: number;
    readonly record: Recorded<AnyFact>;
    readonly fact: Recorded<AnyFact> | undefined;
  }
  | { readonly gap: ReportGap };

/** Where a report stands after some entries: what the next ones and the header need. Plain data. */
export interface ReportState {
  readonly sequence: number;
  readonly progress: Progress | undefined;
  readonly task: string;
  readonly lanes: readonly ReportLane[];
  readonly open: OpenItems;
  readonly gaps: readonly ReportGap[];
  readonly cost: Cost | undefined;
  readonly panewright: string | undefined;
}

type ReportStep = Omit<ChangedItems, "open"> & { readonly state: ReportState };

export const EMPTY_REPORT: ReportState = {
  sequence: 0,
  progress: undefined,
  task: "",
  lanes: [{ id: "run", kind: "run", title: "run" }],
  open: {},
  gaps: [],
  cost: undefined,
  panewright: undefined,
};

export function foldReport(before: ReportState, entry: ReportEntry, redactor: Redactor): ReportStep {
  return "gap" in entry ? foldGap(before, entry.gap) : foldRecord(before, entry, redactor);
}

function foldGap(before: ReportState, gap: ReportGap): ReportStep {
  const { from: sequence, to, reason } = gap;
  const lines = sequence === to ? `line ${sequence}` : `lines ${sequence} to ${to}`;
  const title = `${lines} of the journal cannot be read: ${reason}`;
  const at = before.progress?.lastAt ?? "";
  const change = { do: "add", item: { kind: "gap", title, tone: "caution" } } as const;
  const { open, ...changed } = changeItems(before.open, [change], { sequence, at });
  return { ...changed, state: { ...before, open, sequence: to, gaps: [...before.gaps, gap] } };
}

function foldRecord(
  before: ReportState,
  { sequence, record, fact: raw }: Exclude<ReportEntry, { readonly gap: ReportGap }>,
  redactor: Redactor,
): ReportStep {
  const job = jobOf(before, record);
  if (raw === undefined || job === undefined) return { state: { ...before, sequence }, items: [], sources: [] };
  const fact = redactFact(raw, redactor);
  const progress = job.progress(before.progress ?? initialProgress(job.id), fact);
  const changes = itemsOf(fact as Recorded<ShownRecord>, before.progress);
  const { open, items, sources } = changeItems(before.open, changes, { sequence, at: fact.at });
  const state = {
    ...before,
    ...headOf(fact as Recorded<ShownRecord>),
    ...{ sequence, progress, open, lanes: withLanes(before.lanes, items, job.id) },
  };
  return { state, items, sources };
}

function jobOf({ progress }: ReportState, record: { readonly type: string }): JobRecords | undefined {
  const id = progress?.job ?? (record.type === "run_started" && "job" in record ? record.job : undefined);
  return JOBS.find((job) => job.id === id);
}

function withLanes(
  lanes: readonly ReportLane[],
  items: readonly { readonly lane: string }[],
  job: JobRecords["id"],
): readonly ReportLane[] {
  const known = new Set(lanes.map(({ id }) => id));
  const added = [...new Set(items.map(({ lane }) => lane))].filter((id) => !known.has(id));
  const kind = job === "run" ? "role" : "step";
  return added.length === 0
    ? lanes
    : [...lanes, ...added.map((id) => ({ id, kind, title: id.replaceAll("_", " ") } as const))];
}
