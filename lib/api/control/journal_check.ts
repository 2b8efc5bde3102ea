import { PanewrightError } from "../../base/errors.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { ANSWER_WAYS } from "../../base/terms.ts";
import { errorText } from "../../base/text/error_text.ts";
import { checkJournalChain } from "../../journal/chain.ts";
import type { AnyFact } from "../../journal/job.ts";
import { JOURNAL_VERSION, MAX_JOURNAL_BYTES } from "../../journal/paths.ts";
import { readJournalText } from "../../journal/read_facts.ts";
import { readAnswer } from "../../turn/desk/answers.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { findRunMail } from "../../run/run_mail.ts";

/** A journal that is as it was written. */
export interface CheckedJournal {
  readonly lines: number;
  /** Whether it lies where no agent in a sandbox can write. */
  readonly isProven: boolean;
}

/**
 * Checks a run's journal: its chain, its run, and its copy in the working directory.
 *
 * @throws {PanewrightError} when it is not as the run wrote it, or that cannot be told
 */
export async function checkJournal(folder: RunFolder): Promise<CheckedJournal> {
  const { id, journalPath, copyPath } = folder;
  const text = readJournalText(journalPath);
  const chain = await checkJournalChain(text);
  if (!chain.intact) throw untrusted(id, `line ${chain.line} of ${journalPath} ${chain.problem}`);
  const isProven = journalPath !== copyPath;
  if (isProven) requireSameCopy(id, { text, copyPath });
  else if (versionOf(text) >= FIRST_IN_STATE_FOLDER) {
    throw untrusted(id, `the state folder has none, and ${copyPath} is a copy, which agents can write`);
  }
  const written = /"type":"run_started".*?"runId":"([^"]*)"/.exec(text)?.[1];
  if (written !== undefined && written !== id) throw untrusted(id, `it is that of run ${written}`);
  return { lines: chain.lines, isProven };
}

/**
 * Checks that each answer that the journal has is one that was left where no agent in a sandbox can write.
 *
 * @throws {PanewrightError} when one is not
 */
export async function checkAnswers(folder: RunFolder, facts: readonly AnyFact[]): Promise<void> {
  const mail = findRunMail(folder);
  for (const fact of facts.filter(isAnswer)) {
    const left = await readAnswer(mail, fact.question);
    if (left?.by !== fact.by) throw untrusted(folder.id, `it has an answer to ${fact.question} that nobody has left`);
  }
}

interface Answered extends AnyFact {
  readonly question: string;
  readonly by: string;
}

function isAnswer(fact: AnyFact): fact is Answered {
  return fact.type === "question_answered" && "by" in fact && ANSWER_WAYS.some((way) => way === fact.by);
}

/** A record that was being written when the run was killed may be missing in the copy. */
function requireSameCopy(id: string, { text, copyPath }: { readonly text: string; readonly copyPath: string }): void {
  const fail = (problem: string) => untrusted(id, `its copy ${copyPath} ${problem}, so somebody has changed it`);
  let copy: string;
  try {
    copy = readRegularText(copyPath, { maxBytes: MAX_JOURNAL_BYTES });
  } catch (error) {
    throw fail(error instanceof Deno.errors.NotFound ? "is gone" : `cannot be read: ${errorText(error)}`);
  }
  const [lines, copied] = [text.split("\n"), copy.split("\n")];
  const other = copied.slice(0, -1).findIndex((line, index) => line !== lines[index]);
  if (other >= 0) throw fail(`has another line ${other + 1}`);
  if (lines.length - copied.length > 1) throw fail(`has ${copied.length - 1} of ${lines.length - 1} lines`);
}

/** From this version on the journal lies in the state folder. */
const FIRST_IN_STATE_FOLDER = 3;

function versionOf(text: string): number {
  const version = [...text.matchAll(/^\{[^\n]*"type":"journal_opened","version":(\d+)/gm)].at(-1)?.[1];
  return Math.min(Number(version ?? 0), JOURNAL_VERSION);
}

function untrusted(id: string, problem: string): PanewrightError {
  return new PanewrightError(`Cannot trust the journal of run ${id}: ${problem}`, {
    hint: "A resume goes by the journal in the state folder alone.",
  });
}
