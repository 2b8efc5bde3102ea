import { syncFolder } from "../base/ports/own_files.ts";
import { checkJournalChain } from "../journal/chain.ts";
import { openJournal } from "../journal/journal.ts";
import { byteOfLine, DamagedJournalError } from "../journal/fact_reader.ts";
import type { AnyFact, Job } from "../journal/job.ts";
import { type JournalFacts, readFactsOf, readJournalText } from "../journal/read_facts.ts";
import { dirname } from "@std/path/posix";
import { JOURNAL_VERSION, workdirOf } from "../journal/paths.ts";
import { believedFolder, type RunFolder } from "./run_folder.ts";

/**
 * The facts that a run is resumed by: those of the journal in the state folder. Where it has none there, those of the copy,
 * which prove nothing of what a person said.
 *
 * @throws {DamagedJournalError} when the chain of the journal is broken
 */
export async function readBelieved<Fact extends AnyFact, State>(
  job: Job<Fact, State>,
  folder: RunFolder,
): Promise<JournalFacts<Fact, State> & { readonly isProven: boolean }> {
  const { journalPath, copyPath } = folder;
  const journal = await readFactsOf(job, folder);
  const text = readJournalText(journalPath);
  const chain = await checkJournalChain(text);
  if (!chain.intact) {
    const { line, problem } = chain;
    throw new DamagedJournalError(journalPath, { line, byte: byteOfLine(text, line) }, `it ${problem}`);
  }
  const isProven = journalPath !== copyPath;
  return { ...journal, isProven, ...(isProven ? {} : { unproven: journal.facts.length }) };
}

/**
 * Makes the copy in the working directory the journal of a run that has none in the state folder, since it was carried
 * from another machine, is older, or that folder is gone. It is marked as unproven up to here.
 *
 * @throws {UsageError} when the state folder cannot be used
 */
export async function adoptJournal(folder: RunFolder): Promise<RunFolder> {
  const adopted = await believedFolder(workdirOf(folder.path) ?? folder.path, folder.id);
  await writeAdopted(readJournalText(folder.copyPath), adopted.journalPath);
  return adopted;
}

export const ADOPTED_MESSAGE =
  "the state folder has no journal of this run: it was taken from the copy in the working directory, where agents can " +
  "write; what a person permitted before is asked again";

async function writeAdopted(text: string, path: string): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.writeTextFile(draft, text.slice(0, text.lastIndexOf("\n") + 1), { createNew: true, mode: 0o600 });
  {
    using journal = openJournal(draft, { fault: "none" });
    journal.append(ADOPTED);
  }
  await Deno.rename(draft, path);
  syncFolder(dirname(path));
}

/** Nothing before it is proven. */
const ADOPTED = { type: "journal_opened", version: JOURNAL_VERSION, unproven: true };
