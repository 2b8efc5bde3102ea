import type { RunFolder } from "../../lib/run/run_folder.ts";
import { sleepWithTimer } from "../../lib/base/ports/clock.ts";
import type { Moment } from "./plan.ts";

/** Where the moments of a run are seen. */
export interface MomentPlaces {
  /** The folder of the run; undefined while there is none. */
  run(): Promise<RunFolder | undefined>;
  /** The folder that the response files come to. */
  readonly responsesDir: string;
  /** Waits between two looks. By default a millisecond. */
  readonly pause?: (signal: AbortSignal) => Promise<void>;
}

/** A response is moved and recorded within milliseconds. */
const LOOK_EVERY_MS = 1;

/**
 * Waits for the nth moment of its kind from now on.
 *
 * @throws the signal's reason when it is aborted before
 */
export async function waitForMoment(
  moment: Moment,
  { nth, signal, pause = pauseShortly, ...places }:
    & MomentPlaces
    & { readonly nth: number; readonly signal: AbortSignal },
): Promise<void> {
  const count = createCounter(moment, places);
  const before = await count();
  while (await count() - before < nth) await pause(signal);
}

function pauseShortly(signal: AbortSignal): Promise<void> {
  return sleepWithTimer(LOOK_EVERY_MS, signal);
}

function createCounter(moment: Moment, { run, responsesDir }: MomentPlaces): () => Promise<number> {
  switch (moment) {
    case "enter":
      return async () => {
        const path = (await run())?.journalPath ?? "";
        return (await Deno.readTextFile(path).catch(() => "")).split('"step":"enter"').length - 1;
      };
    case "response":
      return createFileCounter(() => Promise.resolve(responsesDir));
    case "archived":
      return createFileCounter(async () => (await run())?.responsesDir ?? "");
  }
}

/** Counts what has come; a file that is gone and there again counts twice. */
function createFileCounter(folder: () => Promise<string>): () => Promise<number> {
  let seen = new Set<string>();
  let count = 0;
  return async () => {
    const entries = await Array.fromAsync(Deno.readDir(await folder())).catch(() => []);
    const now = new Set(entries.flatMap(({ name }) => name.endsWith(".md") ? [name] : []));
    for (const name of now) if (!seen.has(name)) count++;
    seen = now;
    return count;
  };
}
