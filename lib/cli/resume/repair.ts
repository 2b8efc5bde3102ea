import { basename } from "@std/path/posix";
import { JOBS } from "../../jobs/mod.ts";
import { cutDamagedJournal } from "../../journal/read_facts.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { lockRun } from "../../run/run_lock.ts";
import type { CliIo } from "../console/command.ts";

/** Cuts a damaged journal, unless a process writes to it. */
export async function repair(folder: RunFolder, io: CliIo): Promise<void> {
  using _owned = await lockRun(folder);
  const cut = await cutDamagedJournal(folder, JOBS);
  if (cut === undefined) return io.stderr(`The journal of run ${folder.id} is whole: nothing was cut.\n`);
  io.stderr(
    `The journal of run ${folder.id} was cut before line ${cut.line}; the other ${cut.bytes} bytes are kept in ` +
      `${basename(cut.keptAs)}.\n`,
  );
}
