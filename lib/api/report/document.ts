import { byteSize, plural } from "../../journal/words/words.ts";
import { VERSION } from "../../base/version.ts";
import type { ReportCollector } from "./collect.ts";
import type { LoadDetail } from "./details.ts";
import { REPORT_VERSION } from "./model.ts";
import type { ReportDetail, ReportDocument, ReportHeader } from "./model.ts";
import type { DetailSource, ReportDetailKind, ReportItem } from "../../journal/items/source.ts";

/** All details together have at most so many characters: a browser opens that in a moment. */
const MAX_DETAILS = 16 * 1024 * 1024;

/** The texts of all items together: their titles are always there. */
const MAX_ITEM_TEXTS = 8 * 1024 * 1024;

const ORDER: readonly ReportDetailKind[] = ["response", "diff", "screen", "output", "audit", "prompt"];

interface DocumentOptions {
  readonly load: LoadDetail;
  readonly now: Date;
  /** Of all details. @default {16 Mi} */
  readonly maxChars?: number;
  /** Of the texts of all items. @default {8 Mi} */
  readonly maxItemChars?: number;
}

/** A report with all its details: what does not fit is left out, and said to be. */
export async function makeDocument(
  { header, collector }: { readonly header: ReportHeader; readonly collector: ReportCollector },
  { load, now, maxChars = MAX_DETAILS, maxItemChars = MAX_ITEM_TEXTS }: DocumentOptions,
): Promise<ReportDocument> {
  const sources = [...collector.sources()];
  const details = new Map<string, ReportDetail>();
  let chars = 0;
  let leftOut = 0;
  for (const source of byWorth(sources)) {
    const { kind, ref, title } = source;
    const detail = chars < maxChars ? await load(source) : undefined;
    const size = detail === undefined ? 0 : detail.text.length + 200;
    if (detail !== undefined && chars + size <= maxChars) {
      chars += size;
      details.set(ref, detail);
    } else {
      leftOut++;
      const problem = `It is not in this file, which would be too large with it (more than ${byteSize(maxChars)}).`;
      details.set(ref, { kind, ref, title, text: "", problem });
    }
  }
  const { items, withoutText } = withinBound(collector.items(), maxItemChars);
  const missing = [
    ...(leftOut === 0 ? [] : [plural(leftOut, "detail")]),
    ...(withoutText === 0 ? [] : [`the text of ${plural(withoutText, "item")}`]),
  ];
  return {
    v: REPORT_VERSION,
    madeAt: now.toISOString(),
    madeBy: VERSION,
    header,
    items,
    details: Object.fromEntries(sources.flatMap(({ ref }) => {
      const detail = details.get(ref);
      return detail === undefined ? [] : [[ref, detail] as const];
    })),
    ...(missing.length === 0 ? {} : { leftOut: `${missing.join(" and ")} would make this file too large` }),
  };
}

/** The items, the oldest without their texts where all of these would be too much. */
function withinBound(
  items: readonly ReportItem[],
  maxChars: number,
): { readonly items: readonly ReportItem[]; readonly withoutText: number } {
  let chars = 0;
  let withoutText = 0;
  const bounded = items.toReversed().map((item) => {
    chars += item.text?.length ?? 0;
    if (item.text === undefined || chars <= maxChars) return item;
    withoutText++;
    const { text: _, ...rest } = item;
    return rest;
  });
  return { items: bounded.toReversed(), withoutText };
}

/** Of each kind the newest first: how it ended is asked for before how it began. */
function byWorth(sources: readonly DetailSource[]): readonly DetailSource[] {
  const rank = ({ kind }: DetailSource) => ORDER.indexOf(kind);
  return sources.toReversed().sort((left, right) => rank(left) - rank(right));
}
