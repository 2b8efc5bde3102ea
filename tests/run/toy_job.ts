import type { Job } from "../../lib/journal/job.ts";
import { oneOf, optional, text } from "../../lib/base/schema.ts";

/** A job for tests of journals: its runs count their records. */
export const TOY_JOB: Job<{ readonly type: string }, number> = {
  id: "run",
  restTypes: new Set(),
  facts: { run_started: { job: oneOf("run") }, one: { text: optional(text) }, two: {} },
  initial: 0,
  fold: (count) => count + 1,
  progress: (before) => before,
  stopped: (_progress, { type }) => ({ type }),
};

const AT = '"at":"2026-11-20T10:00:00.000Z"';

/** The first line of a journal. */
export const OPENED = `{${AT},"type":"journal_opened","version":2}\n`;

/** The line that starts a run of the toy job. */
export const STARTED = `{${AT},"type":"run_started","job":"run"}\n`;
