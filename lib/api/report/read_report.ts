import { PanewrightError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { byteOfLine, createFactReader, DamagedJournalError, readOrProblem } from "../../journal/fact_reader.ts";
import type { JournalEntry, JournalGap } from "../../journal/follow_journal.ts";
import { resumeCommandOf } from "../../run/command_line.ts";
import { readOverview, type RunOverview } from "../../run/overview.ts";
import { readJournalText } from "../../journal/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { createCollector, type ReportCollector } from "./collect.ts";
import type { ReportEntry } from "./fold.ts";
import { type AroundRun, headerOf } from "./header.ts";
import type { ReportAudit, ReportHeader } from "./model.ts";
import { present } from "../../base/schema.ts";

export function readReport(folder: RunFolder, redactor: Redactor): ReportCollector {
  const collector = createCollector(redactor);
  collector.take(entriesOf(folder));
  return collector;
}

function* entriesOf({ journalPath: path, path: folder }: RunFolder): Generator<ReportEntry> {
  if (lstatOrUndefined(path) === undefined) return;
  const text = readJournalText(path);
  // A last line without its end was never fully written.
  const lines = text.split("\n").slice(0, -1);
  const reader = createFactReader({ path, folder, jobs: JOBS, byteOf: (line) => byteOfLine(text, line) });
  for (const [index, line] of lines.entries()) {
    const sequence = index + 1;
    const read = readOrProblem(reader, line);
    if (read instanceof PanewrightError) {
      return yield { gap: { from: sequence, to: lines.length, reason: whyUnread(read) } };
    }
    yield { sequence, ...read };
  }
}

/**
 * What a follower of a journal is told, as a report takes it in; undefined where there is nothing to take in. After a
 * `cut` the report is to be begun anew: what it has of the lines that are gone cannot be taken back.
 */
export function entryOf(entry: JournalEntry): ReportEntry | undefined {
  switch (entry.kind) {
    case "record":
      return entry;
    case "pause":
      return undefined;
    case "gap": {
      const { from, to = from, problem } = entry;
      return { gap: { from, to, reason: problem === undefined ? WHY_GONE[entry.why] : whyUnread(problem) } };
    }
  }
}

const WHY_GONE: Readonly<Record<JournalGap["why"], string>> = {
  cut: "the journal was cut there",
  unreadable: "it cannot be read from there on",
  removed: "the journal was removed",
};

/** Why the rest of a journal is not told: its place is said with the gap. */
function whyUnread(problem: PanewrightError): string {
  return problem instanceof DamagedJournalError ? "it is damaged there" : problem.message;
}

/** What is around the journal of a run: who executes it, and how it stands. */
async function readAround(
  folder: RunFolder,
  { audit, wd }: { readonly audit?: ReportAudit; readonly wd?: string | undefined } = {},
): Promise<AroundRun> {
  return aroundOf(await readOverview(folder, JOBS), { ...present({ audit }), wd });
}

export function aroundOf(
  overview: RunOverview,
  { audit, wd }: { readonly audit?: ReportAudit; readonly wd: string | undefined },
): AroundRun {
  const { folder: { id: runId }, condition, elsewhere, executed, questions, problem } = overview;
  const answered = questions.flatMap(({ id, answered }) => id !== undefined && answered ? [id] : []);
  const resumeCommand = resumeCommandOf(overview, wd);
  return {
    runId,
    condition,
    executed,
    answered,
    ...present({ problem: problem?.message, audit, elsewhere, resumeCommand }),
  };
}

export async function readHeader(
  folder: RunFolder,
  collector: ReportCollector,
  options: { readonly audit?: ReportAudit; readonly wd?: string | undefined } = {},
): Promise<ReportHeader> {
  return headerOf(collector.state, await readAround(folder, options));
}
