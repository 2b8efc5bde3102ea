import type { ReportItem, ReportItemKind } from "../journal/items/source.ts";
import { withLocalTimes } from "../journal/words/words.ts";
import type { Report, ReportIncrement } from "../api/report/model.ts";

export interface Filter {
  readonly lane: string;
  readonly kind: string;
  readonly text: string;
  readonly troubles: boolean;
}

export const NO_FILTER: Filter = { lane: "", kind: "", text: "", troubles: false };

export const KIND_WORDS: Readonly<Record<ReportItemKind, string>> = {
  start: "Start",
  round: "Begin",
  prompt: "Prompt",
  work: "Work",
  dialog: "Dialog",
  question: "Question",
  answer: "Answer",
  response: "Response",
  verdict: "Verdict",
  tests: "Tests",
  check: "Check",
  changes: "Changes",
  kill: "Killed",
  resume: "Resumed",
  limit: "Limit",
  retry: "Retry",
  warning: "Warning",
  message: "Message",
  note: "Note",
  gap: "Gap",
  end: "End",
};

export function filterItems(items: readonly ReportItem[], filter: Filter): readonly ReportItem[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (filter.lane === "" && filter.kind === "" && words.length === 0 && !filter.troubles) return items;
  return items.filter((item) =>
    (filter.lane === "" || item.lane === filter.lane) &&
    (filter.kind === "" || item.kind === filter.kind) &&
    (!filter.troubles || item.tone === "bad" || item.tone === "caution") &&
    (words.length === 0 || holdsWords(item, words))
  );
}

/** An item's title, with the moments in it as the reader's time. */
export function titleText({ title: text, times }: ReportItem): string {
  return withLocalTimes({ text, times });
}

function holdsWords(item: ReportItem, words: readonly string[]): boolean {
  const all = `${titleText(item)}\n${item.text ?? ""}`.toLowerCase();
  return words.every((word) => all.includes(word));
}

export function countKinds(items: readonly ReportItem[]): ReadonlyMap<ReportItemKind, number> {
  const counts = new Map<ReportItemKind, number>();
  for (const { kind } of items) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** The item that a fragment names: by its id, or by the number of a record (the first item that is not before it). */
export function itemOfFragment(items: readonly ReportItem[], fragment: string): ReportItem | undefined {
  let name: string;
  try {
    name = decodeURIComponent(fragment.replace(/^#/, ""));
  } catch {
    return undefined;
  }
  if (name === "") return undefined;
  const exact = items.find(({ id }) => id === name);
  if (exact !== undefined || !/^\d{1,9}$/.test(name)) return exact;
  return items.find(({ sequence }) => sequence >= Number(name));
}

export function withIncrement(report: Report, { header, items }: ReportIncrement): Report {
  if (items.length === 0) return { header, items: report.items };
  const next = [...report.items];
  for (const item of items) {
    const at = next.findLastIndex(({ id }) => id === item.id);
    if (at < 0) next.push(item);
    else next[at] = item;
  }
  return { header, items: next };
}
