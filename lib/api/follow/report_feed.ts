import type { ReportItem } from "../../journal/items/source.ts";
import { auditOf } from "../report/audit.ts";
import type { ReportCollector } from "../report/collect.ts";
import { createDetailLoader, type LoadDetail } from "../report/details.ts";
import { headerOf } from "../report/header.ts";
import type { Report, ReportAudit, ReportDetail, ReportHeader, ReportIncrement } from "../report/model.ts";
import { aroundOf, entryOf, readReport } from "../report/read_report.ts";
import { overviewOf } from "../../run/overview.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { aborted, eventFrame, type EventStream } from "./event_stream.ts";
import { Problem } from "../control/problem.ts";
import type { HubEvent, RunHub } from "./run_hub.ts";
import { present } from "../../base/schema.ts";

interface ReportPlace {
  readonly sequence: number;
  /** Of which reading of the journal, as ids of events say; missing where the report itself was read just now. */
  readonly reading?: string | undefined;
}

export function placeOf(id: string): ReportPlace {
  const [sequence, reading] = id.split("-");
  return { sequence: Number(sequence), reading };
}

/** So many changes, and so many bytes of them, are kept for clients that come back: less than a client's queue takes. */
const MAX_KEPT = 256;
const MAX_KEPT_BYTES = 256 * 1024;

export class ReportFeed {
  readonly #hub: RunHub;
  readonly #options: ReportFeedOptions;
  readonly #load: LoadDetail;
  readonly #followers = new Set<EventStream>();
  #collector: ReportCollector;
  #at: number;
  /** The last record whose changes were told: what comes with it can be under way still. */
  #toldTo: number;
  /** Another one after the journal was cut: the same sequence is another record then. */
  #reading = newReading();
  #kept: { readonly sequence: number; readonly frame: Uint8Array<ArrayBuffer> }[] = [];
  #keptBytes = 0;
  #keptFrom: number;
  #changed = new Map<string, ReportItem>();
  /** Whether something has changed since the header was told; whether a process executes the run is not in the journal. */
  #isStale = false;
  #audit: ReportAudit | undefined;
  #telling: Promise<void> | undefined;

  constructor(hub: RunHub, options: ReportFeedOptions) {
    this.#hub = hub;
    this.#options = options;
    this.#load = createDetailLoader({ folder: hub.folder, redactor: options.redactor });
    this.#collector = readReport(hub.folder, options.redactor);
    this.#at = this.#toldTo = this.#keptFrom = this.#collector.state.sequence;
    hub.listen((event) => {
      try {
        this.#take(event);
      } catch {
        // The journal has become unreadable as a whole: the hub ends, too.
      }
    });
  }

  async report(): Promise<Report> {
    await this.#hub.ready;
    this.#audit = await auditOf(this.#hub.folder, this.#options.env);
    // In this order: a change that comes in between is in the items, is told again, and is not lost.
    const header = await this.#header();
    return { header, items: this.#collector.items() };
  }

  async detail(ref: string): Promise<ReportDetail> {
    await this.#hub.ready;
    const source = this.#collector.source(ref);
    if (source !== undefined) return await this.#load(source);
    throw new Problem(
      "unknown_detail",
      `Cannot find ${JSON.stringify(ref)}: the report of ${this.#hub.folder.id} names none so`,
    );
  }

  async send(stream: EventStream, after: ReportPlace): Promise<void> {
    await this.#hub.ready;
    const isSameReading = after.reading === undefined || after.reading === this.#reading;
    const isKnown = isSameReading && after.sequence >= this.#keptFrom && after.sequence <= this.#at;
    if (isKnown) {
      for (const { sequence, frame } of this.#kept) if (sequence > after.sequence) stream.send(frame);
    } else stream.send(RESET);
    this.#followers.add(stream);
    try {
      // How the run is may have changed without a record.
      if (isKnown) stream.send(this.#frameOf(await this.#increment(this.#toldTo, [])));
      await aborted(AbortSignal.any([stream.signal, this.#hub.signal]));
    } finally {
      this.#followers.delete(stream);
    }
  }

  async #header(): Promise<ReportHeader> {
    const { folder, progress, sequence, executed, problem } = this.#hub;
    const owner = executed ? "" : undefined;
    const overview = await overviewOf(folder, { owner, progress, sequence, problem });
    return headerOf(this.#collector.state, aroundOf(overview, { wd: undefined, ...present({ audit: this.#audit }) }));
  }

  async #increment(sequence: number, items: readonly ReportItem[]): Promise<ReportIncrement> {
    return this.#options.redactor.value({ sequence, header: await this.#header(), items });
  }

  #frameOf(told: ReportIncrement): Uint8Array<ArrayBuffer> {
    return eventFrame({ id: `${told.sequence}-${this.#reading}`, data: told });
  }

  #tell(frame: Uint8Array<ArrayBuffer>): void {
    for (const stream of this.#followers) stream.send(frame);
  }

  #take(event: HubEvent): void {
    const hasGaps = this.#collector.state.gaps.length > 0;
    if (event.kind === "record" && event.sequence <= this.#at && !hasGaps) return;
    if (event.kind === "gap" || (event.kind === "record" && hasGaps)) this.#beginAnew();
    else if (event.kind === "record") {
      for (const item of this.#collector.take([entryOf(event)!])) this.#changed.set(item.id, item);
      this.#at = event.sequence;
    }
    this.#isStale = true;
    this.#tellSoon();
  }

  #beginAnew(): void {
    this.#collector = readReport(this.#hub.folder, this.#options.redactor);
    this.#at = this.#toldTo = this.#keptFrom = this.#collector.state.sequence;
    this.#reading = newReading();
    [this.#kept, this.#keptBytes] = [[], 0];
    this.#changed = new Map();
    this.#tell(RESET);
  }

  #tellSoon(): void {
    // Changes that could not be told are in the report that is read anew.
    this.#telling ??= Promise.resolve().then(() => this.#tellChanges()).catch(() => this.#tell(RESET)).finally(() => {
      this.#telling = undefined;
      if (this.#isStale) this.#tellSoon();
    });
  }

  async #tellChanges(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      if (!this.#hub.executed) this.#audit = await auditOf(this.#hub.folder, this.#options.env);
      const items = [...this.#changed.values()];
      this.#changed = new Map();
      const from = this.#collector;
      const told = await this.#increment(this.#at, items);
      if (from !== this.#collector) continue;
      const frame = this.#frameOf(told);
      this.#keep(told.sequence, frame);
      this.#toldTo = told.sequence;
      this.#tell(frame);
    }
  }

  #keep(sequence: number, frame: Uint8Array<ArrayBuffer>): void {
    this.#kept.push({ sequence, frame });
    this.#keptBytes += frame.length;
    while (this.#kept.length > MAX_KEPT || this.#keptBytes > MAX_KEPT_BYTES) {
      const old = this.#kept.shift()!;
      this.#keptBytes -= old.frame.length;
      this.#keptFrom = old.sequence;
    }
  }
}

interface ReportFeedOptions {
  readonly redactor: Redactor;
  readonly env: (name: string) => string | undefined;
}

const RESET = eventFrame({ event: "reset", data: {} });

function newReading(): string {
  return crypto.randomUUID().slice(0, 8);
}
