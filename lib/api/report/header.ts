import { placeText } from "../show/run_words.ts";
import { workerStatusText } from "../../journal/words/words.ts";
import type { Condition } from "../../run/condition.ts";
import { recoveredText } from "../../journal/recovery.ts";
import { initialProgress, type Progress } from "../../journal/progress.ts";
import { allWaiting, type Waiting } from "../../journal/waiting.ts";
import type { Worker } from "../../journal/workers.ts";
import type { TerminalStatus } from "../../base/status.ts";
import { abridge } from "../../base/text/abridge.ts";
import type { ReportState } from "./fold.ts";
import type { ReportAudit, ReportHeader, ReportTokens, ReportWaiting, ReportWorker } from "./model.ts";
import { present } from "../../base/schema.ts";

export interface AroundRun {
  readonly runId: string;
  readonly condition: Condition;
  readonly executed: boolean;
  readonly answered: readonly string[];
  /** Why the journal cannot be read to its end. */
  readonly problem?: string;
  readonly audit?: ReportAudit;
  readonly resumeCommand?: string;
  /** The job of a fleet whose run it is. */
  readonly elsewhere?: string;
}

/** A task's text is cut to that, in UTF-16 units. */
const MAX_TASK = 32_000;

/** The header of a report: what its records tell, and what is around them. */
export function headerOf({ sequence, progress, ...state }: ReportState, around: AroundRun): ReportHeader {
  const { runId, condition, executed, problem, audit } = around;
  const known = progress ?? initialProgress("run");
  const { finished, workdir, about, startedAt, executedSince, lastAt, place, answers, done, counts, warnings } = known;
  const [waiting, ...alsoWaiting] = allWaiting(known).map((one) => waitingRow(one, around));
  const resumeCommand = around.resumeCommand ?? (executed ? undefined : finished?.resumeCommand);
  return {
    ...{ sequence, runId, condition, executed },
    ...present({ job: progress?.job }),
    ...{ workdir, about },
    task: abridge(state.task, { maxChars: MAX_TASK }),
    ...(finished === undefined ? {} : { outcome: finished.outcome, endedAt: finished.at }),
    why: whyOf(progress, around),
    ...present({ resumeCommand }),
    ...{ startedAt, executedSince, lastAt, place },
    placeText: progress === undefined ? "" : placeText(progress),
    ...(progress?.activity === undefined || finished !== undefined ? {} : { activity: progress.activity }),
    lanes: state.lanes,
    workers: known.workers.map((worker) => workerRow(worker, known)),
    ...present({ waiting }),
    ...(alsoWaiting.length === 0 ? {} : { alsoWaiting }),
    ...{ answers, done, counts },
    tokens: tokenRows(known, state.cost?.byWorker ?? {}),
    ...(state.cost === undefined ? {} : { cost: { total: state.cost.total, pricesOf: state.cost.pricesOf } }),
    ...present({ audit }),
    ...(known.recovered.length === 0 ? {} : { recovered: recoveredText(known.recovered) }),
    ...(known.remarks === undefined || known.remarks.length === 0 ? {} : { remarks: known.remarks }),
    ...{ warnings, gaps: state.gaps },
    ...present({ problem, panewright: state.panewright }),
  };
}

function whyOf(progress: Progress | undefined, { condition, elsewhere, problem }: AroundRun): string {
  const reason = progress?.finished?.reason;
  if (reason !== undefined) return reason;
  switch (condition) {
    case "empty":
      return "Nothing was recorded: it was interrupted before it began.";
    case "unreadable":
      return problem ?? "Its journal cannot be read.";
    case "killed":
      if (elsewhere !== undefined) {
        return `Job ${elsewhere} is not followed here: panewright fleet status tells how it stands.`;
      }
      return "The process that executed it is gone, and did not end it.";
    default:
      return "";
  }
}

const AT_REST: ReadonlySet<string> = new Set<TerminalStatus>(["idle", "completed"]);

function workerRow(
  { name, provider, status, since, protocol, pane, folder }: Worker,
  { activity, finished }: Progress,
): ReportWorker {
  const shows = protocol !== undefined || folder !== undefined ? "activity" : pane === undefined ? "nothing" : "pane";
  // Only who has the turn is waited for.
  const rests = AT_REST.has(status) &&
    (finished !== undefined || activity?.kind !== "turn" || activity.worker !== name);
  const statusText = rests ? "at rest" : workerStatusText(status, protocol);
  return { name, provider, status, statusText, since, shows };
}

function waitingRow(
  waiting: Waiting,
  { answered: answeredIds }: Pick<AroundRun, "answered">,
): ReportWaiting {
  const { id, by, text, askedAt, shown = "whole", fingerprint, dialog } = waiting;
  const answered = id !== undefined && answeredIds.includes(id);
  return {
    ...present({ id }),
    ...{ by, text, askedAt, answered, answer: answerKind(waiting) },
    shown,
    reserved: waiting.reserved === true,
    // Earlier versions kept what it is the hash of, which quotes the request.
    ...(fingerprint !== undefined && /^[0-9a-f]{64}$/.test(fingerprint) ? { fingerprint } : {}),
    ...present({ dialog }),
  };
}

function answerKind({ id, isPermission, dialog }: Waiting): ReportWaiting["answer"] {
  if (id === undefined) return "none";
  if (dialog === undefined) return isPermission === true ? "permission" : "question";
  return dialog.questions === undefined ? "permission" : "choices";
}

function tokenRows({ tokens: { byWorker } }: Progress, costs: Readonly<Record<string, number>>): ReportTokens[] {
  return Object.entries(byWorker).flatMap(([worker, usage]) =>
    Object.entries(usage).map(([model, tokens]) => ({
      ...{ worker, model, ...tokens },
      ...(costs[worker] === undefined ? {} : { cost: costs[worker] }),
    }))
  );
}
