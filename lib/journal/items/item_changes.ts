import { abridge } from "../../base/text/abridge.ts";
import type { DetailSource, NewDetail, ReportItem } from "./source.ts";
import { present } from "../../base/schema.ts";

interface ItemText extends Pick<ReportItem, "kind" | "title"> {
  readonly lane?: string;
  readonly tone?: ReportItem["tone"];
  readonly text?: string;
  readonly times?: readonly string[];
  readonly turn?: string;
  readonly details?: readonly NewDetail[];
}

/**
 * What a record changes in the items.
 *
 * - `add`: a new one; with a `key` it is open until a `close` with the same key, and takes the place of an open one
 * - `amend`: other words, or more details, for the open one of that key; without one, `otherwise` is a new one
 * - `close`: the one of that key is over, with other words where there are some; without one, it is a new one
 * - `close_all`: nothing is open any more but questions, which wait for their answer whether or not a process executes
 *   the run; `at`: since when, where that is not the record's time
 */
export type ItemChange =
  | { readonly do: "add"; readonly item: ItemText; readonly key?: string; readonly at?: string }
  | { readonly do: "amend"; readonly key: string; readonly item: Partial<ItemText>; readonly otherwise?: ItemText }
  | { readonly do: "close"; readonly key: string; readonly item?: ItemText }
  | { readonly do: "close_all"; readonly at?: string };

/** A new item, of a moment. */
export function adds(item: ItemText): ItemChange {
  return { do: "add", item };
}

/** A new item that is open until {@linkcode closes} with the same key. */
export function opens(key: string, item: ItemText): ItemChange {
  return { do: "add", key, item };
}

/** The open item of that key is over, with other words where there are some. */
export function closes(key: string, item?: ItemText): ItemChange {
  return { do: "close", key, ...present({ item }) };
}

export type OpenItems = Readonly<Record<string, ReportItem>>;

export interface ChangedItems {
  readonly open: OpenItems;
  /** New ones, and those that are not what they were. */
  readonly items: readonly ReportItem[];
  readonly sources: readonly DetailSource[];
}

const MAX_TITLE = 240;
const MAX_TEXT = 3900;
const MAX_LANE = 120;

export function changeItems(
  before: OpenItems,
  changes: readonly ItemChange[],
  { sequence, at }: { readonly sequence: number; readonly at: string },
): ChangedItems {
  const open: Record<string, ReportItem> = { ...before };
  const items = new Map<string, ReportItem>();
  const sources: DetailSource[] = [];
  let made = 0;
  let named = 0;
  const refs = (details: readonly NewDetail[] = []) =>
    details.map((detail) => {
      const ref = `${detail.kind}-${sequence}${named++ === 0 ? "" : `-${named}`}`;
      sources.push({ ...detail, ref });
      return { kind: detail.kind, ref, title: cutTo(detail.title, MAX_TITLE) };
    });
  const create = (
    { kind, title, lane = "run", tone = "plain", text, times = [], turn, details }: ItemText,
    since: string,
  ) => {
    const id = `s${sequence}${made++ === 0 ? "" : `-${made}`}`;
    const more = refs(details);
    return {
      ...{ id, sequence, lane: cutTo(lane, MAX_LANE), kind, tone, at: since, title: cutTo(title, MAX_TITLE) },
      ...shortText(text),
      ...present({ turn }),
      ...(times.length === 0 ? {} : { times }),
      ...(more.length === 0 ? {} : { details: more }),
    };
  };
  const amended = (item: ReportItem, { title, tone, text, details }: Partial<ItemText>): ReportItem => {
    const more = refs(details);
    return {
      ...item,
      ...(title === undefined ? {} : { title: cutTo(title, MAX_TITLE) }),
      ...present({ tone }),
      ...shortText(text),
      ...(more.length === 0 ? {} : { details: [...item.details ?? [], ...more] }),
    };
  };
  const put = (item: ReportItem) => items.set(item.id, item);
  const closed = ({ open: _, ...item }: ReportItem, until: string): ReportItem => ({ ...item, until });
  const close = (key: string, until: string, text: Partial<ItemText> = {}) => {
    const item = open[key];
    delete open[key];
    if (item !== undefined) put(closed(amended(item, text), until));
    return item !== undefined;
  };
  for (const change of changes) {
    switch (change.do) {
      case "add": {
        const { key, item } = change;
        const since = change.at ?? at;
        if (key === undefined) {
          put(create(item, since));
          break;
        }
        close(key, since);
        open[key] = { ...create(item, since), open: true };
        put(open[key]);
        break;
      }
      case "amend": {
        const item = open[change.key];
        if (item !== undefined) put(open[change.key] = amended(item, change.item));
        else if (change.otherwise !== undefined) put(create(change.otherwise, at));
        break;
      }
      case "close":
        if (!close(change.key, at, change.item) && change.item !== undefined) put(create(change.item, at));
        break;
      case "close_all":
        for (const key of Object.keys(open)) if (!key.startsWith(QUESTION_KEY)) close(key, change.at ?? at);
        break;
    }
  }
  return { open, items: [...items.values()], sources };
}

function shortText(text: string | undefined): { readonly text?: string } {
  return text === undefined || text === "" ? {} : { text: abridge(text, { maxChars: MAX_TEXT }) };
}

export function cutTo(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

export const QUESTION_KEY = "question:";

export function responseDetail(path: string, sha256: string | undefined): NewDetail {
  const hash = sha256 === undefined ? {} : { sha256 };
  return { kind: "response", title: "The response", from: "file", path, ...hash };
}

export function screenDetail(path: string): NewDetail {
  return path.endsWith(".ansi")
    ? { kind: "screen", title: "Its screen", from: "file", path }
    : { kind: "output", title: "What it said last", from: "file", path };
}

export function auditDetail(audit: { readonly records: number } | undefined): readonly NewDetail[] {
  return audit === undefined
    ? []
    : [{ kind: "audit", title: "The record of the audit log", from: "audit", record: audit.records }];
}
