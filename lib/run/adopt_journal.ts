import { lstatOrUndefined } from "../base/ports/files.ts";
import { syncFolder } from "../base/ports/own_files.ts";
import { checkJournalChain } from "../journal/chain.ts";
import { openJournal } from "../journal/journal.ts";
import { byteOfLine, DamagedJournalError } from "../journal/fact_reader.ts";
import { readJournalText } from "../journal/read_facts.ts";
import { dirname } from "@std/path/posix";
import { JOURNAL_VERSION, workdirOf } from "../journal/paths.ts";
import { believedFolder, type RunFolder } from "./run_folder.ts";

interface Adopted {
  /** The run's folder, with the journal that is believed from now on. */
  readonly folder: RunFolder;
  /** What a person should know of where it comes from. */
  readonly warnings: readonly string[];
}

/**
 * The journal that a run is resumed by: the one in the state folder. A run that has none there, since it was carried from
 * another machine, is older, or its state folder is gone, brings the copy in its working directory: what that says of
 * permissions is not believed.
 *
 * @throws {DamagedJournalError} when its chain is broken
 * @throws {UsageError} when the state folder cannot be used
 */
export async function adoptJournal(folder: RunFolder): Promise<Adopted> {
  const { id, journalPath, copyPath } = folder;
  if (lstatOrUndefined(journalPath) === undefined) return { folder, warnings: [] };
  const text = readJournalText(journalPath);
  const chain = await checkJournalChain(text);
  if (!chain.intact) {
    const { line, problem } = chain;
    throw new DamagedJournalError(journalPath, { line, byte: byteOfLine(text, line) }, `it ${problem}`);
  }
  if (journalPath !== copyPath) return { folder, warnings: [] };
  const adopted = await believedFolder(workdirOf(folder.path) ?? folder.path, id);
  await writeAdopted(text, adopted.journalPath);
  const warnings = [
    "the state folder has no journal of this run: it was taken from the copy in the working directory, where agents can " +
    "write; what a person permitted before is asked again",
  ];
  return { folder: adopted, warnings };
}

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
