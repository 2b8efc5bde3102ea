import type { ReportItem } from "../../journal/items/source.ts";
import { abortable } from "../../base/ports/abortable.ts";
import { auditOf } from "../report/audit.ts";
import type { ReportCollector } from "../report/collect.ts";
import { createDetailLoader, type LoadDetail } from "../report/details.ts";
import { headerOf } from "../report/header.ts";
import type { Report, ReportAudit, ReportDetail, ReportHeader, ReportIncrement } from "../report/model.ts";
import { aroundOf, entryOf, readReport } from "../report/read_report.ts";
import { overviewOf } from "../../run/overview.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { eventFrame, type EventStream } from "./event_stream.ts";
import { Problem } from "../control/problem.ts";
import type { HubEvent, RunHub } from "./run_hub.ts";
import { present } from "../../base/schema.ts";

/** The report of a run that is followed. */
export interface ReportFeed {
  /** As it is now. */
  report(): Promise<Report>;
  /**
   * What an item names.
   *
   * @throws {Problem} `unknown_detail`
   */
  detail(ref: string): Promise<ReportDetail>;
  /**
   * Sends what changes after a place, until either side has gone. Where that is not known any more, `reset` says that
   * the report is to be read anew.
   */
  send(stream: EventStream, after: ReportPlace): Promise<void>;
}

/** What a client has of a report. */
interface ReportPlace {
  /** The last record that is in it. */
  readonly sequence: number;
  /** Of which reading of the journal, as ids of events say; missing where the report itself was read just now. */
  readonly reading?: string | undefined;
}

/** The id of an event as a client tells it. */
export function placeOf(id: string): ReportPlace {
  const [sequence, reading] = id.split("-");
  return { sequence: Number(sequence), reading };
}

/** So many changes, and so many bytes of them, are kept for clients that come back: less than a client's queue takes. */
const MAX_KEPT = 256;
const MAX_KEPT_BYTES = 256 * 1024;

/** Makes the report of a hub's run. */
export function createReportFeed(
  hub: RunHub,
  { redactor, env }: { readonly redactor: Redactor; readonly env: (name: string) => string | undefined },
): ReportFeed {
  const { folder } = hub;
  const load: LoadDetail = createDetailLoader({ folder, redactor });
  const followers = new Set<EventStream>();
  let collector: ReportCollector = readReport(folder, redactor);
  /** The last record that is taken in. */
  let at = collector.state.sequence;
  /** The last record whose changes were told: what comes with it can be under way still. */
  let toldTo = at;
  /** Another one after the journal was cut: the same sequence is another record then. */
  let reading = newReading();
  let kept: { readonly sequence: number; readonly frame: Uint8Array<ArrayBuffer> }[] = [];
  let keptBytes = 0;
  /** Who has this sequence, or a later one, can be told what has changed since. */
  let keptFrom = at;
  let changed = new Map<string, ReportItem>();
  /** Whether something has changed since the header was told; whether a process executes the run is not in the journal. */
  let isStale = false;
  let audit: ReportAudit | undefined;
  let telling: Promise<void> | undefined;

  const header = async (): Promise<ReportHeader> => {
    const { progress, sequence, executed } = hub;
    const owner = executed ? "" : undefined;
    const problem = hub.problem;
    const overview = await overviewOf(folder, { owner, progress, sequence, problem });
    const around = aroundOf(overview, { wd: undefined, ...present({ audit }) });
    return headerOf(collector.state, around);
  };
  const tell = (frame: Uint8Array<ArrayBuffer>) => {
    for (const stream of followers) stream.send(frame);
  };
  const beginAnew = () => {
    collector = readReport(folder, redactor);
    at = toldTo = keptFrom = collector.state.sequence;
    reading = newReading();
    [kept, keptBytes] = [[], 0];
    changed = new Map();
    tell(RESET);
  };
  const increment = async (sequence: number, items: readonly ReportItem[]): Promise<ReportIncrement> => {
    return redactor.value({ sequence, header: await header(), items });
  };
  const frameOf = (told: ReportIncrement) => eventFrame({ id: `${told.sequence}-${reading}`, data: told });
  /** Changes that come while it is told are told together next. */
  const tellChanges = async () => {
    while (isStale) {
      isStale = false;
      if (!hub.executed) audit = await auditOf(folder, env);
      const items = [...changed.values()];
      changed = new Map();
      const from = collector;
      const told = await increment(at, items);
      if (from !== collector) continue;
      const frame = frameOf(told);
      kept.push({ sequence: told.sequence, frame });
      keptBytes += frame.length;
      while (kept.length > MAX_KEPT || keptBytes > MAX_KEPT_BYTES) {
        const old = kept.shift()!;
        keptBytes -= old.frame.length;
        keptFrom = old.sequence;
      }
      toldTo = told.sequence;
      tell(frame);
    }
  };
  const tellSoon = () => {
    // Changes that could not be told are in the report that is read anew.
    telling ??= Promise.resolve().then(tellChanges).catch(() => tell(RESET)).finally(() => {
      telling = undefined;
      if (isStale) tellSoon();
    });
  };
  const take = (event: HubEvent) => {
    if (event.kind === "record" && event.sequence <= at && collector.state.gaps.length === 0) return;
    if (event.kind === "gap" || (event.kind === "record" && collector.state.gaps.length > 0)) beginAnew();
    else if (event.kind === "record") {
      for (const item of collector.take([entryOf(event)!])) changed.set(item.id, item);
      at = event.sequence;
    }
    isStale = true;
    tellSoon();
  };
  hub.listen((event) => {
    try {
      take(event);
    } catch {
      // The journal has become unreadable as a whole: the hub ends, too.
    }
  });
  return {
    async report() {
      await hub.ready;
      audit = await auditOf(folder, env);
      // In this order: a change that comes in between is in the items, is told again, and is not lost.
      const ofRun = await header();
      return { header: ofRun, items: collector.items() };
    },
    async detail(ref) {
      await hub.ready;
      const source = collector.source(ref);
      if (source !== undefined) return await load(source);
      throw new Problem(
        "unknown_detail",
        `Cannot find ${JSON.stringify(ref)}: the report of ${folder.id} names none so`,
      );
    },
    async send(stream, after) {
      await hub.ready;
      const isSameReading = after.reading === undefined || after.reading === reading;
      const isKnown = isSameReading && after.sequence >= keptFrom && after.sequence <= at;
      if (isKnown) { for (const { sequence, frame } of kept) if (sequence > after.sequence) stream.send(frame); }
      else stream.send(RESET);
      followers.add(stream);
      try {
        // How the run is may have changed without a record.
        if (isKnown) stream.send(frameOf(await increment(toldTo, [])));
        await abortable(() => new Promise<never>(() => {}), AbortSignal.any([stream.signal, hub.signal])).catch(
          () => {},
        );
      } finally {
        followers.delete(stream);
      }
    },
  };
}

const RESET = eventFrame({ event: "reset", data: {} });

function newReading(): string {
  return crypto.randomUUID().slice(0, 8);
}
