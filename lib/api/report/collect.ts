import type { Redactor } from "../../base/redact/redactor.ts";
import { EMPTY_REPORT, foldReport, type ReportEntry, type ReportState } from "./fold.ts";
import type { DetailSource, ReportItem } from "../../journal/items/source.ts";

/** A report while its journal is read: it can be asked for as it is at any time. */
export interface ReportCollector {
  take(entries: Iterable<ReportEntry>): readonly ReportItem[];
  /** What the header is made of: see header.ts. */
  readonly state: ReportState;
  items(): readonly ReportItem[];
  /** Where a detail that an item names is; `undefined` for any other name. */
  source(ref: string): DetailSource | undefined;
  sources(): Iterable<DetailSource>;
}

export function createCollector(redactor: Redactor): ReportCollector {
  const items = new Map<string, ReportItem>();
  const sources = new Map<string, DetailSource>();
  let state = EMPTY_REPORT;
  return {
    take(entries) {
      const changed = new Map<string, ReportItem>();
      for (const entry of entries) {
        const step = foldReport(state, entry, redactor);
        state = step.state;
        for (const item of step.items) {
          items.set(item.id, item);
          changed.set(item.id, item);
        }
        for (const source of step.sources) sources.set(source.ref, source);
      }
      return [...changed.values()];
    },
    get state() {
      return state;
    },
    items: () => [...items.values()],
    source: (ref) => sources.get(ref),
    sources: () => sources.values(),
  };
}
