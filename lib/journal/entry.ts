import type { FactOf, FactTable, Fields, ValuesOf } from "../base/schema.ts";
import type { ItemChange } from "./items/item_changes.ts";
import type { ReportTone } from "./items/source.ts";
import type { AnyFact, Recorded } from "./job.ts";
import type { MeterEvent } from "./meter_event.ts";
import type { MapPath } from "./paths.ts";
import { afterRecord, type Change, type Progress } from "./progress.ts";
import type { Cost, TokenCounts } from "./usage.ts";
import { type Recoverable, recoveredWith, type Recovering, recoveryWith } from "./recovery.ts";
import type { ShownLine } from "./words/lines.ts";

/**
 * All that there is to say of a record type, besides its fields. Those of its fields that older versions need not know
 * are named `passable`: a record with it may be passed over by who does not know its type.
 */
export interface Effects<Record, State> {
  /** Its paths, each changed. */
  paths?(record: Record, map: MapPath): object;
  /** The state of its run after it; as before where there is none. */
  state?(state: State, record: Record): State;
  /** What changes for who looks at the run. */
  progress?(before: Progress, record: Record): Change;
  /** What it means for what the run uses; `state` is the one before it. */
  meter?(record: Record, state: State): MeterEvent | undefined;
  /** What of its run is recovered; nothing where it says nothing of that. */
  recovers?(record: Record): Recovering | undefined;
  /** Whether an agent, or a command of the project, has ended its work by it: what it has done is whole then. */
  readonly isRest?: true;
  /** What a person is told. */
  words(record: Record): ShownLine | readonly ShownLine[];
  /** What it changes in a report's items; without it, its words are a note, if they are told without `--verbose`. */
  items?(record: Record, told: ToldRecord): ItemChange | readonly ItemChange[];
  /** What it says of the run as a whole, for the head of a report. */
  head?(record: Record): ReportHead;
}

/** A record type: its fields and its {@linkcode Effects}. */
interface Entry<Of extends Fields, State> extends Effects<RecordOf<Of>, State> {
  readonly fields: Of;
}

/** A record with these fields, as it stands in a journal. */
type RecordOf<Of extends Fields> = Recorded<AnyFact & ValuesOf<Of>>;

/** The record types of a job. */
export type RecordTable<State> = Readonly<Record<string, Entry<Fields, State>>>;

/** How a record is told to a person: its first line without the name of its lane, and the lines after it. */
export interface ToldRecord {
  readonly title: string;
  readonly text: string;
  /** As {@linkcode ShownLine.times}, of title and text. */
  readonly times: readonly string[];
  readonly tone: ReportTone;
  /** Whether it is told with `--verbose` only. */
  readonly isDetail: boolean;
  /** The role that the record names, or the step under way. */
  readonly lane: string;
  /** How the run stood before it. */
  readonly progress: Progress | undefined;
}

/** What records say of a run as a whole. */
export interface ReportHead {
  /** What the agents are to do, as it was given. */
  readonly task?: string;
  readonly cost?: Cost | undefined;
  /** The version that wrote last, as far as that is told. */
  readonly panewright?: string | undefined;
}

/** Makes entries of a job whose records lead to that state. */
export function entriesOf<State>() {
  return <const Of extends Fields>(fields: Of, effects: Effects<RecordOf<Of>, State>): Entry<Of, State> => ({
    fields,
    ...effects,
  });
}

/** The fields of a table's record types. */
type FieldsOf<Table extends RecordTable<unknown>> = { readonly [Type in keyof Table]: Table[Type]["fields"] };

/** The facts of a table. */
export type FactsOf<Table extends RecordTable<unknown>> = FactOf<FieldsOf<Table>>;

/** What a job's records come to, by the one table that says it. */
export function foldsOf<
  Fact extends AnyFact,
  State extends (Recoverable & { readonly tokens: TokenCounts }) | undefined,
>(table: RecordTable<State>) {
  const entryOf = ({ type }: AnyFact): Effects<AnyFact, State> | undefined => table[type];
  const recoveredBy = (before: Recoverable, record: Recorded<Fact>): Recoverable => {
    const recovering = entryOf(record)?.recovers?.(record);
    return recovering === undefined ? {} : { recovered: recoveredWith(before, recovering, record.at) };
  };
  return {
    restTypes: new Set(Object.entries(table).flatMap(([type, { isRest }]) => isRest === true ? [type] : [])),
    facts: Object.fromEntries(Object.entries(table).map(([type, { fields }]) => [type, fields])) as FactTable,
    fold(state: State, record: Recorded<Fact>): State {
      const effects = entryOf(record);
      const after = effects?.state?.(state, record) ?? state;
      if (after === undefined) return after;
      const used = state && recoveryWith(state, after, {
        meter: effects?.meter?.(record, state),
        recovery: effects?.recovers?.(record)?.recovery,
      });
      return { ...after, ...recoveredBy(after, record), ...used };
    },
    progress: (before: Progress, record: Recorded<Fact>): Progress =>
      afterRecord(before, record, {
        ...entryOf(record)?.progress?.(before, record),
        ...recoveredBy(before, record),
      }),
    meter: (fact: Fact, state: State): MeterEvent | undefined => entryOf(fact)?.meter?.(fact, state),
    mapPaths: (fact: Fact, map: MapPath): Fact => ({ ...fact, ...entryOf(fact)?.paths?.(fact, map) }),
  };
}
