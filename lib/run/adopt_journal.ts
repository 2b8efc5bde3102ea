import { syncFolder } from "../base/ports/own_files.ts";
import { checkJournalChain } from "../journal/chain.ts";
import { openJournal } from "../journal/journal.ts";
import { byteOfLine, DamagedJournalError } from "../journal/fact_reader.ts";
import { readJournalText } from "../journal/read_facts.ts";
import { dirname } from "@std/path/posix";
import { JOURNAL_VERSION, workdirOf } from "../journal/paths.ts";
import { believedFolder, type RunFolder } from "./run_folder.ts";

/**
 * Checks the chain of the journal that a run is resumed by.
 *
 * @returns whether it lies in the state folder; what agents could write proves nothing of what a person said
 * @throws {DamagedJournalError} when its chain is broken
 */
export async function verifyJournal({ journalPath, copyPath }: RunFolder): Promise<boolean> {
  const text = readJournalText(journalPath);
  const chain = await checkJournalChain(text);
  if (chain.intact) return journalPath !== copyPath;
  const { line, problem } = chain;
  throw new DamagedJournalError(journalPath, { line, byte: byteOfLine(text, line) }, `it ${problem}`);
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
