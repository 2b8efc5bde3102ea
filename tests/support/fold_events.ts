import type { RunState } from "../../lib/jobs/review_loop/state.ts";
import { foldEvent, type RecordedEvent } from "../../lib/jobs/review_loop/fold.ts";

/** The state of a review loop after all of these events; `undefined` before its first one. */
export function foldEvents(events: readonly RecordedEvent[]): RunState | undefined {
  return events.reduce<RunState | undefined>(foldEvent, undefined);
}
