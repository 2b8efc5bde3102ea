import type { ExecFact } from "../../journal/exec/facts.ts";
import { JOBS } from "../../jobs/mod.ts";
import { PIPELINE } from "../../jobs/pipeline/mod.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import type { Usage } from "../../base/usage.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { canResume, type Condition } from "../../run/condition.ts";
import { readRun } from "../../run/overview.ts";
import type { RunEnd } from "../../journal/run_facts.ts";
import { isJournalOf, type JournalFacts, readJournalText, tryParseFacts } from "../../journal/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { runCommandLine } from "../../run/command_line.ts";
import { ownRedactor } from "./own_redactor.ts";

interface RunOutcome {
  readonly runId: string;
  readonly condition: Condition;
  readonly executed: boolean;
  /** Missing as long as it has not ended. */
  readonly outcome?: RunEnd;
  readonly reason?: string;
  /** The last words of an agent: the last response, or the final text of the last attempt. Cut, without secrets. */
  readonly last?: LastWords;
  readonly usage: Usage;
  readonly changedFiles: readonly string[];
  readonly moreFiles: number;
  /** Continues the run; missing where there is nothing to resume. */
  readonly resumeCommand?: string;
}

interface LastWords {
  readonly by: string;
  readonly text: string;
  readonly isCut: boolean;
}

const MAX_LAST_CHARS = 64 * 1024;
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 1000;

export async function resultOf(
  folder: RunFolder,
  { redactor = ownRedactor() }: { readonly redactor?: Redactor } = {},
): Promise<RunOutcome> {
  const { condition, executed, progress } = await readRun(folder, JOBS);
  const journal = progress === undefined ? undefined : factsOf(folder);
  const told = journal === undefined ? undefined : toldBy(folder, journal);
  const files = [...new Set(told?.files ?? [])];
  const finished = progress?.finished;
  const resumes = canResume(condition, { job: progress?.job, executed });
  return {
    runId: folder.id,
    condition,
    executed,
    ...(finished === undefined ? {} : { outcome: finished.outcome, reason: redactor.text(finished.reason) }),
    ...(told?.last === undefined ? {} : { last: cut({ by: told.last.by, text: redactor.text(told.last.text) }) }),
    usage: progress?.usage ?? {},
    changedFiles: files.slice(0, MAX_FILES).map((file) => redactor.text(file)),
    moreFiles: Math.max(0, files.length - MAX_FILES) + (told?.more ?? 0),
    ...(resumes ? { resumeCommand: finished?.resumeCommand ?? runCommandLine(["resume", folder.id]) } : {}),
  };
}

/** What can be read of them; what cannot is told by the run's condition. */
function factsOf({ journalPath: path }: RunFolder): JournalFacts {
  return tryParseFacts(readJournalText(path), { path, jobs: JOBS });
}

interface Told {
  readonly last: Omit<LastWords, "isCut"> | undefined;
  readonly files: readonly string[];
  readonly more: number;
}

function toldBy(folder: RunFolder, journal: JournalFacts): Told | undefined {
  if (isJournalOf(journal, REVIEW_LOOP)) return toldByReview(folder, journal);
  return isJournalOf(journal, PIPELINE) ? toldBySteps(journal) : undefined;
}

function toldByReview(folder: RunFolder, { facts }: JournalFacts<ReviewFact>): Told {
  const last = facts.findLast((fact) => fact.type === "response_received");
  const text = last === undefined ? undefined : readResponse(folder, last.archivedAs);
  return { ...changes(facts), last: last === undefined || text === undefined ? undefined : { by: last.role, text } };
}

function toldBySteps({ facts }: JournalFacts<ExecFact>): Told {
  const at = facts.findLastIndex((fact) => fact.type === "attempt_finished" && fact.finalText !== "");
  const last = facts[at];
  const step = facts.slice(0, Math.max(0, at)).findLast((fact) => fact.type === "step_started");
  return {
    ...changes(facts),
    last: last?.type === "attempt_finished" ? { by: step?.name ?? "", text: last.finalText } : undefined,
  };
}

function changes(facts: readonly (ReviewFact | ExecFact)[]): Pick<Told, "files" | "more"> {
  const all = facts.filter((fact) => fact.type === "files_changed");
  return {
    files: all.flatMap(({ files }) => files),
    more: all.reduce((sum, { more = 0 }) => sum + more, 0),
  };
}

/** A response, where it is still there: only what the run's own archive has. */
function readResponse({ responsesDir }: RunFolder, archivedAs: string): string | undefined {
  try {
    const name = archivedAs.slice(archivedAs.lastIndexOf("/") + 1);
    return readRegularText(`${responsesDir}/${name}`, { maxBytes: MAX_RESPONSE_BYTES });
  } catch {
    return undefined;
  }
}

function cut({ by, text }: Omit<LastWords, "isCut">): LastWords {
  const isCut = text.length > MAX_LAST_CHARS;
  return { by, text: isCut ? text.slice(0, MAX_LAST_CHARS).toWellFormed() : text, isCut };
}
