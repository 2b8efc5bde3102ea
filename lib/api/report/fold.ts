import type { Cost } from "../../journal/usage.ts";
import type { ReportTone } from "../../journal/items/source.ts";
import { describeRecord, type ShownRecord } from "../../journal/words/record_text.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import type { AnyFact, Job, Recorded } from "../../journal/job.ts";
import { initialProgress, type Progress } from "../../journal/progress.ts";
import { type ChangedItems, changeItems, type ItemChange, type OpenItems } from "../../journal/items/item_changes.ts";
import type { ItemTable, Words } from "../../journal/items/item_table.ts";
import type { ReportGap, ReportLane } from "./model.ts";
import { redactFact } from "./redact_fact.ts";
import { REVIEW_ITEMS } from "../../journal/items/review_items.ts";
import { stepItems } from "../../journal/items/step_items.ts";
import { present } from "../../base/schema.ts";

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
  const changes = changesBy(fact as Recorded<ShownRecord>, before);
  const { open, items, sources } = changeItems(before.open, changes, { sequence, at: fact.at });
  const state = {
    ...before,
    ...headOf(fact as Recorded<ShownRecord>),
    ...{ sequence, progress, open, lanes: withLanes(before.lanes, items, job.id) },
  };
  return { state, items, sources };
}

function jobOf({ progress }: ReportState, record: { readonly type: string }): Job | undefined {
  const id = progress?.job ?? (record.type === "run_started" && "job" in record ? record.job : undefined);
  return JOBS.find((job) => job.id === id);
}

function headOf(fact: ShownRecord): Partial<ReportState> {
  switch (fact.type) {
    case "run_started": {
      const task = fact.job === "run"
        ? [fact.task.introduction, fact.task.exploreSummary, fact.task.scenarioTest].filter((part) => part !== "")
          .join("\n\n")
        : fact.target.text ?? "";
      return { task, panewright: fact.panewright };
    }
    case "run_resumed":
      return { cost: undefined, ...present({ panewright: fact.panewright }) };
    case "task_started":
      return { task: fact.text };
    case "run_finished":
      return { cost: fact.cost };
    default:
      return {};
  }
}

function changesBy(fact: Recorded<ShownRecord>, before: ReportState): readonly ItemChange[] {
  const words = wordsOf(fact);
  const common = commonChanges(fact, { before, words });
  if (common !== undefined) return common;
  const job = before.progress?.job;
  const table = job === "exec" ? stepItems(before.progress?.workers[0]?.name ?? "") : REVIEW_ITEMS;
  // The tables' types hold each entry to its record; what TypeScript cannot see is that record and entry are a pair.
  const change = (table as ItemTable<ReviewFact | ExecFact>)[fact.type as ReviewFact["type"]] as
    | ((fact: ShownRecord, words: Words) => readonly ItemChange[])
    | undefined;
  if (change !== undefined) return change(fact, words);
  if (words.isDetail) return [];
  const lane = "role" in fact && typeof fact.role === "string" ? fact.role : "run";
  const turn = "turnId" in fact && typeof fact.turnId === "string" ? { turn: fact.turnId } : {};
  return [{ do: "add", item: { kind: "note", lane, ...turn, ...toldWords(words) } }];
}

function commonChanges(
  fact: Recorded<ShownRecord>,
  { before: { progress }, words }: { readonly before: ReportState; readonly words: ToldWords },
): readonly ItemChange[] | undefined {
  switch (fact.type) {
    case "run_started":
      return [{ do: "add", item: { kind: "start", title: `run ${fact.runId} starts` } }];
    case "run_resumed": {
      const resumed = { do: "add", item: { kind: "resume", title: `run ${fact.runId} is resumed` } } as const;
      const gone = "the process that executed the run was gone: nothing was recorded until it was resumed";
      if (progress === undefined || progress.finished !== undefined) return [resumed];
      const { lastAt: at } = progress;
      return [
        { do: "close_all", at },
        { do: "add", item: { kind: "kill", title: gone, tone: "bad" }, at },
        resumed,
      ];
    }
    case "run_finished": {
      const tone = fact.outcome === "pass"
        ? "good"
        : fact.outcome === "fail" || fact.outcome === "error"
        ? "bad"
        : "caution";
      return [
        { do: "close_all" },
        { do: "add", item: { kind: "end", title: words.title, text: fact.reason, tone } },
      ];
    }
    case "warning": {
      const lane = "role" in fact && fact.role !== undefined ? fact.role : "run";
      return [{ do: "add", item: { kind: "warning", lane, ...toldWords(words), tone: "caution" } }];
    }
    case "command_repeated": {
      const lane = "role" in fact ? fact.role : progress?.workers[0]?.name ?? "run";
      return [{ do: "add", item: { kind: "limit", lane, ...toldWords(words), tone: "caution" } }];
    }
    case "tokens_counted":
      return [];
    default:
      return undefined;
  }
}

interface ToldWords extends Words {
  readonly tone: ReportTone;
  readonly isDetail: boolean;
}

function toldWords({ title, text, tone }: ToldWords): Pick<ToldWords, "title" | "text" | "tone"> {
  return { title, text, tone };
}

/** The words of a record; its role is not said again. */
function wordsOf(fact: ShownRecord): ToldWords {
  const [first, ...more] = describeRecord(fact);
  const [head = "", ...rest] = (first?.text ?? fact.type).split("\n");
  const role = "role" in fact ? `${fact.role}: ` : "";
  const bare = fact.type === "warning" ? head.replace(/^warning: /, "") : head;
  const title = role !== "" && bare.startsWith(role) ? bare.slice(role.length) : bare;
  const tone = first?.tone ?? "plain";
  return {
    title,
    text: [...rest, ...more.map(({ text }) => text)].join("\n"),
    tone: tone === "heading" ? "plain" : tone,
    isDetail: first?.importance === "detail",
  };
}

function withLanes(
  lanes: readonly ReportLane[],
  items: readonly { readonly lane: string }[],
  job: Job["id"],
): readonly ReportLane[] {
  const known = new Set(lanes.map(({ id }) => id));
  const added = [...new Set(items.map(({ lane }) => lane))].filter((id) => !known.has(id));
  const kind = job === "run" ? "role" : "step";
  return added.length === 0
    ? lanes
    : [...lanes, ...added.map((id) => ({ id, kind, title: id.replaceAll("_", " ") } as const))];
}
