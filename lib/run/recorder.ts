import { agentSecrets } from "../agents/agent_secrets.ts";
import type { Clock } from "../base/ports/clock.ts";
import { createRedactor } from "../base/redact/redactor.ts";
import { present } from "../base/schema.ts";
import type { AnyFact } from "../journal/job.ts";
import type { RunCaps } from "../journal/meter_event.ts";
import { droppedRecordMessage, openJournal } from "../journal/journal.ts";
import { storedPaths } from "../journal/paths.ts";
import { type AuditLog, openAuditLog } from "../turn/desk/audit.ts";
import { openAuditHeads } from "../turn/desk/audit_heads.ts";
import { runCaps } from "./caps.ts";
import type { EndedRun, Execution, Run, RunOptions, RunResult } from "./execution.ts";
import { openMeter } from "./meter.ts";
import { noProgressCaps } from "./no_progress.ts";
import { watchObeyed } from "./obeyed_watch.ts";
import { costIn, unpricedMessage } from "./prices.ts";
import { keepRunFolder, type RunFolder } from "./run_folder.ts";
import { entryOf } from "./run_entry.ts";
import { nameInState } from "./state_names.ts";
import type { Spending } from "./spending.ts";

interface RecorderParts<Fact extends AnyFact, State> {
  readonly execution: Execution<Fact, State>;
  readonly folder: RunFolder;
  readonly state: State;
  readonly spent: Spending;
}

/** The caps of a run and of its workers, by name. */
export function capsOf({ plan, workerCaps }: Pick<Execution<AnyFact, unknown>, "plan" | "workerCaps">): RunCaps {
  return { ...runCaps(plan.caps, workerCaps()), ...noProgressCaps(plan.noProgress), ...plan.timeLimits };
}

const REMOVED =
  "was removed (by git clean -x, or rm, say), or something else put in its place: it was made again, with what is needed to go on; logs of before are gone";

function journalOf(
  folder: RunFolder,
  { resumeCommand, warn, mirror }: Pick<RunOptions<never>, "mirror"> & {
    readonly resumeCommand: string;
    readonly warn: (message: string) => void;
  },
) {
  const { copyPath, journalPath } = folder;
  const restored = keepRunFolder(folder);
  const restore = () => {
    if (restored()) warn(`${folder.path} ${REMOVED}`);
  };
  return openJournal(journalPath, { resumeCommand, copyPath, warn, mirror, restore });
}

/** Keeps what happens in a run: on the disk, in its state and in its account of caps. */
export function openRecorder<Fact extends AnyFact, State>(
  { execution, folder, state: earlier, spent }: RecorderParts<Fact, State>,
  options: Pick<RunOptions<Fact>, "onEvent" | "secrets" | "auditCopy" | "mirror"> & {
    readonly resumeCommand: string;
    readonly clock: Clock;
  },
) {
  const { job, plan: { prices } } = execution;
  const secrets = [...options.secrets ?? [], ...execution.agents().flatMap(agentSecrets)];
  using opened = new DisposableStack();
  const meter = opened.use(openMeter({ ...options, caps: capsOf(execution), earlier: spent, prices }));
  /** No other record comes before a run's first one. */
  let early: string[] | undefined = [];
  const ofCopy: string[] = [];
  const journal = opened.use(journalOf(folder, { ...options, warn: (message) => ofCopy.push(message) }));
  const redactor = createRedactor(secrets);
  let state = earlier;
  let lastAt = new Date().toISOString();
  const keep = (
    fact: Fact,
    { text, isLast = false }: { readonly text?: string | undefined; readonly isLast?: boolean },
  ) => {
    const metered = job.meter?.(fact, state);
    meter.admit(metered);
    // Only what is kept and told is redacted: the run itself goes by the exact words.
    const kept = redactor.record(fact);
    const stored = job.mapPaths?.(kept, storedPaths(folder.path)) ?? kept;
    lastAt = isLast ? journal.appendLast(stored) : journal.append(stored);
    state = job.fold(state, { ...fact, at: lastAt, ...present({ text }) });
    const unpriced = meter.take(metered);
    options.onEvent?.(kept);
    [...unpriced.map((model) => unpricedMessage(model, prices)), ...ofCopy.splice(0)].forEach(warn);
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
  let audit: AuditLog | undefined;
  const endOf = ({ resumeCommand, ...end }: EndedRun & { readonly resumeCommand: string }) =>
    execution.finish(end, state, (tokens) => ({
      ...costIn(tokens, prices),
      ...present({ audit: audit?.end }),
      ...(execution.isOver(end.outcome) ? {} : { resumeCommand }),
    }));
  const resources = opened.move();
  return {
    meter,
    redactor,
    state: () => state,
    /** When the last record was written. ISO 8601. */
    lastAt: () => lastAt,
    record: (fact: Fact, text?: string) => keep(fact, { text }),
    recordEnd: (end: Parameters<typeof endOf>[0]) => keep(endOf(end), {}),
    /** Records the end of a run that fails. */
    recordFailure: (end: Parameters<typeof endOf>[0]) => tryKeep(() => endOf(end), { isLast: true }),
    async watched(play: (watched: Watched) => Promise<RunResult>): Promise<RunResult> {
      const onProblem = (message: string) => keep(execution.warning(message), {});
      const how = { ...options, secrets, isCopy: execution.isCopy?.(state) ?? false, onProblem, execution };
      return await withAudit(folder, how, (watched) => play({ ...watched, audit: audit = watched.audit }));
    },
    warn,
    /** Records what was warned of before the first record. */
    warnEarly(): void {
      const messages = early ?? [];
      early = undefined;
      messages.forEach(warn);
    },
    warnDropped(): void {
      const { droppedBytes: dropped } = journal;
      if (dropped > 0) keep(execution.warning(droppedRecordMessage(dropped)), {});
    },
    [Symbol.dispose]: () => resources.dispose(),
  };
}

type Watched = Pick<Run<never, never>, "audit" | "lookAtObeyed">;

async function withAudit<Result>(
  folder: RunFolder,
  { secrets, isCopy, auditCopy, onProblem, execution }: Pick<RunOptions<never>, "auditCopy"> & {
    readonly execution: Pick<Execution<AnyFact, never>, "plan" | "agents">;
    readonly secrets: readonly string[];
    readonly isCopy: boolean;
    readonly onProblem: (message: string) => void;
  },
  play: (watched: Watched) => Promise<Result>,
): Promise<Result> {
  const id = await nameInState(folder, isCopy);
  using heads = openAuditHeads(auditCopy?.({ id }), { onProblem });
  const entry = entryOf(folder);
  const twinPath = entry === undefined ? undefined : `${entry}/audit.ndjson`;
  using audit = await openAuditLog(folder.auditPath, { run: folder.id, secrets, heads, twinPath });
  const agents = execution.agents().map(({ provider }) => provider);
  const { look } = await watchObeyed({ workdir: execution.plan.workdir, agents, warn: onProblem });
  try {
    return await play({ audit, lookAtObeyed: look });
  } finally {
    await look("the run");
  }
}
