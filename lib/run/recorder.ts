import type { Clock } from "../base/ports/clock.ts";
import { createRedactor } from "../base/redact/redactor.ts";
import { present } from "../base/schema.ts";
import type { AnyFact } from "../journal/job.ts";
import { droppedRecordMessage, openJournal } from "../journal/journal.ts";
import { storedPaths } from "../journal/paths.ts";
import type { Execution } from "./execution.ts";
import { openMeter } from "./meter.ts";
import { unpricedMessage } from "./prices.ts";
import type { RunFolder } from "./run_folder.ts";
import type { Spending } from "./spending.ts";

interface RecorderParts<Fact extends AnyFact, State> {
  readonly execution: Execution<Fact, State>;
  readonly folder: RunFolder;
  readonly state: State;
  readonly spent: Spending;
}

/** Keeps what happens in a run: on the disk, in its state and in its account of caps. */
export function openRecorder<Fact extends AnyFact, State>(
  { execution, folder, state: earlier, spent }: RecorderParts<Fact, State>,
  { resumeCommand, clock, onEvent }: {
    readonly resumeCommand: string;
    readonly clock: Clock;
    readonly onEvent: ((fact: Fact) => void) | undefined;
  },
) {
  const { job, caps, prices } = execution;
  using opened = new DisposableStack();
  const meter = opened.use(openMeter({ caps, earlier: spent, clock, prices }));
  const journal = opened.use(openJournal(folder.journalPath, { resumeCommand }));
  const redactor = createRedactor(execution.secrets);
  const toStored = storedPaths(folder.path);
  let state = earlier;
  let lastAt = new Date().toISOString();
  /** No other record comes before a run's first one. */
  let early: string[] | undefined = [];
  const keep = (
    fact: Fact,
    { text, isLast = false }: { readonly text?: string | undefined; readonly isLast?: boolean },
  ) => {
    const metered = job.meter?.(fact, state);
    meter.admit(metered);
    // Only what is kept and told is redacted: the run itself goes by the exact words.
    const kept = redactor.record(fact);
    const stored = job.mapPaths?.(kept, toStored) ?? kept;
    lastAt = isLast ? journal.appendLast(stored) : journal.append(stored);
    state = job.fold(state, { ...fact, at: lastAt, ...present({ text }) });
    const unpriced = meter.take(metered);
    onEvent?.(kept);
    for (const model of unpriced) warn(unpricedMessage(model, prices));
  };
  /** What ended the run must not be lost because this cannot be written. */
  const tryKeep = (fact: () => Fact, options: { readonly isLast?: boolean }) => {
    try {
      keep(fact(), options);
    } catch { /* see above */ }
  };
  const warn = (message: string): void => {
    if (early === undefined) tryKeep(() => execution.warning(message), {});
    else early.push(message);
  };
  const resources = opened.move();
  return {
    meter,
    redactor,
    state: () => state,
    /** When the last record was written. ISO 8601. */
    lastAt: () => lastAt,
    record: (fact: Fact, text?: string) => keep(fact, { text }),
    /** Records the end of a run that fails. */
    recordLast: (fact: () => Fact) => tryKeep(fact, { isLast: true }),
    warn,
    /** Records what was warned of before the first record. */
    warnEarly(): void {
      const messages = early ?? [];
      early = undefined;
      messages.forEach(warn);
    },
    warnDropped(): void {
      const { droppedBytes } = journal;
      if (droppedBytes > 0) keep(execution.warning(droppedRecordMessage(droppedBytes)), {});
    },
    [Symbol.dispose]: () => resources.dispose(),
  };
}
