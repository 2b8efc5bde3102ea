import { describeRecord, type ShownRecord } from "../../journal/describe.ts";
import { JOBS } from "../../jobs/mod.ts";
import { followJournal, type JournalRecord } from "../../journal/follow_journal.ts";
import { readRun, type RunOverview } from "../../run/overview.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { abridge } from "../../base/text/abridge.ts";
import * as z from "zod";
import { count, text } from "../output/shapes.ts";
import type { ToolCall } from "./operation.ts";
import { isOver as isRunOver } from "./run_state.ts";

export const watched = {
  sequence: count("Pass it as `after` to the next call."),
  changes: z.array(z.object({
    sequence: count("Its place in the run's journal."),
    at: text("ISO 8601."),
    type: text("The type of the record."),
    text: text("What has happened."),
  })).describe("What has happened, oldest first."),
  leftOut: count("How many older changes were left out, so that the answer stays short."),
  gaps: z.array(z.object({ from: count("The first sequence."), to: count("The last one.") }))
    .describe("Sequences that the journal does not have any more, or that cannot be read.").optional(),
};

type Change = z.input<typeof watched.changes>[number];

/** The most that one answer tells: what is older is of no use to its reader any more. */
const MAX_CHANGES = 40;
const MAX_CHANGE_CHARS = 500;

/** How often it is asked at most whether enough has come: records come in bursts, and how a run is follows from all. */
const LOOK_EVERY_MS = 250;

interface WatchOptions {
  /** The last sequence that is known; what comes after it is told. */
  readonly after: number;
  readonly deadlineMs: number;
  /** Whether what has come so far is what was waited for; it is asked again after changes. */
  readonly isEnough: (overview: RunOverview, seen: { readonly changes: number; readonly records: number }) => boolean;
  readonly call: Pick<ToolCall, "signal" | "progress" | "clock">;
}

interface Seen extends Watched {
  readonly overview: RunOverview;
}

type Watched = z.input<z.ZodObject<typeof watched>>;

/** Watches a run until enough has come, or the time has passed; tells the client what comes meanwhile. */
export async function watchRun(folder: RunFolder, options: WatchOptions): Promise<Seen> {
  const { after, deadlineMs, isEnough, call } = options;
  const { clock } = call;
  const changes: Change[] = [];
  const gaps: { from: number; to: number }[] = [];
  let sequence = after;
  let records = 0;
  let leftOut = 0;
  let look: { readonly atMs: number; readonly executed: boolean; readonly sequence: number } | undefined;
  const seen = (overview: RunOverview): Seen => ({
    ...{ sequence, changes, leftOut, overview },
    ...(gaps.length === 0 ? {} : { gaps }),
  });
  const over = new AbortController();
  const signal = AbortSignal.any([call.signal, over.signal]);
  try {
    for await (const entry of followJournal(folder, { jobs: JOBS, after, signal, clock })) {
      if (entry.kind === "record") {
        sequence = entry.sequence;
        records++;
        const change = changeOf(entry);
        if (change === undefined) continue;
        changes.push(change);
        leftOut += changes.splice(0, Math.max(0, changes.length - MAX_CHANGES)).length;
        // What had come before is not told as progress.
        if (look !== undefined) call.progress(change.text);
      } else if (entry.kind === "gap") {
        gaps.push({ from: entry.from, to: entry.to ?? entry.from });
        sequence = Math.min(sequence, entry.from - 1);
      } else {
        const nowMs = clock.now();
        const isSame = look?.executed === entry.executed && look.sequence === entry.sequence;
        if (look !== undefined && (isSame || nowMs - look.atMs < LOOK_EVERY_MS)) continue;
        const overview = await readRun(folder, JOBS);
        // Where it has ended since the records were read, its end is among those of the next look.
        const isTold = !entry.executed || !isRunOver(overview);
        const isOver = isTold && isEnough(overview, { changes: changes.length, records });
        if (isOver || deadlineMs <= nowMs) return seen(overview);
        if (look === undefined) clock.sleep(deadlineMs - nowMs, signal).then(() => over.abort(), () => {});
        look = { atMs: nowMs, executed: entry.executed, sequence: entry.sequence };
      }
    }
  } catch (error) {
    call.signal.throwIfAborted();
    if (!over.signal.aborted) throw error;
  } finally {
    over.abort();
  }
  return seen(await readRun(folder, JOBS));
}

/** What a person would be told of a record without flags; undefined where that is nothing. */
function changeOf({ sequence, fact, record }: JournalRecord): Change | undefined {
  // Journals of both jobs hold no other facts: one that is not known is refused by what reads them.
  const lines = fact === undefined ? [] : describeRecord(fact as unknown as ShownRecord);
  const shown = lines.filter(({ importance }) => importance !== "detail" && importance !== "log");
  if (shown.length === 0) return undefined;
  const text = abridge(shown.map((line) => line.text).join("\n"), { maxChars: MAX_CHANGE_CHARS });
  return { sequence, at: record.at, type: record.type, text };
}
