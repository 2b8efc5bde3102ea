import type { PanewrightError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { followJournal, type JournalGap, type JournalRecord } from "../../journal/follow_journal.ts";
import { initialProgress, type Progress } from "../../journal/progress.ts";
import type { RunFolder } from "../../run/run_folder.ts";

export type HubEvent =
  | JournalRecord
  | JournalGap
  | HubState;

/** All that is there was told: for the first time, or whether a process executes the run has changed. */
interface HubState {
  readonly kind: "state";
  readonly sequence: number;
  readonly executed: boolean;
}

/** Told at once, one event after the other; it must neither wait nor throw. */
export type HubListener = (event: HubEvent) => void;

export interface RunHub {
  readonly folder: RunFolder;
  /** Resolves when all that was there has been read; rejects when the journal cannot be read at all. */
  readonly ready: Promise<void>;
  /** How the run stands by its journal; undefined before its first record. */
  readonly progress: Progress | undefined;
  /** The last record that was read; 0 for none. */
  readonly sequence: number;
  /** Why the journal cannot be read any further. */
  readonly problem: PanewrightError | undefined;
  readonly executed: boolean;
  /** Aborted when nothing follows: the run was removed, its journal cannot be read, or nobody uses the hub. */
  readonly signal: AbortSignal;
  once<Made>(make: (hub: RunHub) => Made): Made;
  listen(listener: HubListener): void;
}

/** The use of a hub: it follows its run until the last one is disposed of. */
interface HubLease extends Disposable {
  readonly hub: RunHub;
}

export interface RunHubs {
  open(folder: RunFolder): HubLease;
  ended(): Promise<void>;
}

/** What hubs work with; the signal ends them all. */
interface HubOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export function createRunHubs(options: HubOptions): RunHubs {
  const open = new Map<string, { readonly hub: RunHub; readonly end: () => void; users: number }>();
  const atWork = new Set<Promise<void>>();
  const create = (folder: RunFolder) => {
    const { ended, ...made } = createRunHub(folder, options);
    atWork.add(ended);
    ended.then(() => atWork.delete(ended));
    return { ...made, users: 0 };
  };
  return {
    async ended() {
      await Promise.all(atWork);
    },
    open(folder) {
      const found = open.get(folder.path);
      const entry = found === undefined || found.hub.signal.aborted ? create(folder) : found;
      open.set(folder.path, entry);
      entry.users++;
      let isLeft = false;
      return {
        hub: entry.hub,
        [Symbol.dispose]() {
          if (isLeft) return;
          isLeft = true;
          if (--entry.users > 0) return;
          entry.end();
          if (open.get(folder.path) === entry) open.delete(folder.path);
        },
      };
    },
  };
}

function createRunHub(folder: RunFolder, { clock, signal: ending }: HubOptions) {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, ending]);
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => {});
  const listeners: HubListener[] = [];
  const made = new Map<unknown, unknown>();
  let isKnown = false;
  const hub: { -readonly [Name in keyof RunHub]: RunHub[Name] } = {
    ...{ folder, signal, ready: ready.promise },
    ...{ progress: undefined, sequence: 0, problem: undefined, executed: false },
    once<Made>(make: (hub: RunHub) => Made): Made {
      if (!made.has(make)) made.set(make, make(hub));
      return made.get(make) as Made;
    },
    listen: (listener) => void listeners.push(listener),
  };
  const tell = (event: HubEvent) => {
    for (const listener of listeners) listener(event);
  };
  /** @returns the last sequence that still holds, where the journal was cut; otherwise nothing follows */
  const follow = async (told: number): Promise<number | undefined> => {
    // From the beginning: how the run stands follows from all its records. Until then it is as it was told.
    let folded: Progress | undefined;
    if (told === 0) hub.progress = undefined;
    for await (const entry of followJournal(folder, { jobs: JOBS, signal, clock })) {
      switch (entry.kind) {
        case "record":
          if (entry.fact !== undefined && entry.job !== undefined) {
            folded = entry.job.progress(folded ?? initialProgress(entry.job.id), entry.fact);
          }
          if (entry.sequence < told) break;
          Object.assign(hub, { progress: folded, sequence: entry.sequence, problem: undefined });
          if (entry.sequence > told) tell(entry);
          break;
        case "gap":
          hub.problem = entry.problem;
          tell(entry);
          if (entry.why === "removed") return undefined;
          if (entry.why === "cut") return hub.sequence = entry.from - 1;
          break;
        case "pause":
          if (isKnown && hub.executed === entry.executed) break;
          isKnown = true;
          hub.executed = entry.executed;
          tell({ kind: "state", sequence: entry.sequence, executed: entry.executed });
          ready.resolve();
      }
    }
    return undefined;
  };
  const followAll = async () => {
    for (let told: number | undefined = 0; told !== undefined;) told = await follow(told);
  };
  const ended = followAll().catch((error) => {
    ready.reject(error);
    over.abort(error);
  }).finally(() => {
    ready.resolve();
    over.abort(new Error("the run cannot be followed any longer"));
  });
  return { hub, ended, end: () => over.abort(new Error("nobody follows the run")) };
}

/** How long a run is followed after a question about it: who asks again and again does not have it read each time. */
const WARM_MS = 30_000;

export async function withHub<Found>(
  { hubs, clock, signal }: { readonly hubs: RunHubs; readonly clock: Clock; readonly signal: AbortSignal },
  folder: RunFolder,
  ask: (hub: RunHub) => Found | Promise<Found>,
): Promise<Found> {
  const lease = hubs.open(folder);
  const leave = () => lease[Symbol.dispose]();
  try {
    await lease.hub.ready;
    return await ask(lease.hub);
  } finally {
    clock.sleep(WARM_MS, signal).then(leave, leave);
  }
}
