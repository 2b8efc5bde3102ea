import { dirname } from "@std/path/posix";
import { isObject } from "../../base/schema.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder } from "../../base/ports/state_folder.ts";
import { MAX_JOURNAL_BYTES } from "../../journal/paths.ts";
import { readJournalText } from "../../journal/read_facts.ts";
import { type RunFolder, runFolderAt } from "../../run/run_folder.ts";
import { errorText } from "../../base/text/error_text.ts";

export interface PassedTasks {
  /** The id of a run that passed a task with this fingerprint; undefined where none did. */
  find(fingerprint: string): string | undefined;
  keep(fingerprint: string): string | undefined;
}

/**
 * Opens the record of passed tasks. It is in the state folder, where nothing that came with a repository can write; and
 * a task counts as passed only as long as the journal of its run is in the working directory and says so.
 */
export function openPassedTasks(
  path: string,
  { workdir, run }: { readonly workdir: string; readonly run: string },
): PassedTasks {
  let known: ReadonlyMap<string, readonly string[]> | undefined;
  return {
    find(fingerprint) {
      known ??= readPassed(path, workdir);
      return known.get(fingerprint)?.findLast((id) => hasPassed(runFolderAt(workdir, id), fingerprint));
    },
    keep(fingerprint) {
      try {
        makeOwnFolder(dirname(path));
        if (lstatOrUndefined(path) !== undefined) assertOwn(path);
        Deno.writeTextFileSync(path, `${JSON.stringify({ workdir, run, fingerprint })}\n`, {
          append: true,
          mode: 0o600,
        });
        return undefined;
      } catch (error) {
        return errorText(error);
      }
    },
  };
}

/** The runs that passed a task, by its fingerprint. What cannot be read has not passed. */
function readPassed(path: string, workdir: string): ReadonlyMap<string, readonly string[]> {
  const runs = new Map<string, string[]>();
  for (const line of readOwn(path).split("\n")) {
    const { workdir: where, run, fingerprint } = parseLine(line);
    if (where !== workdir || typeof run !== "string" || typeof fingerprint !== "string") continue;
    if (/^[A-Za-z0-9-]+$/.test(run)) runs.set(fingerprint, [...runs.get(fingerprint) ?? [], run]);
  }
  return runs;
}

function readOwn(path: string): string {
  try {
    assertOwn(dirname(path));
    assertOwn(path);
    return readRegularText(path, { maxBytes: MAX_JOURNAL_BYTES });
  } catch {
    return "";
  }
}

function hasPassed({ journalPath }: RunFolder, fingerprint: string): boolean {
  try {
    return readJournalText(journalPath).split("\n").some((line) => {
      if (!line.includes(fingerprint)) return false;
      const { type, outcome, fingerprint: found } = parseLine(line);
      return type === "task_finished" && outcome === "pass" && found === fingerprint;
    });
  } catch {
    return false;
  }
}

function parseLine(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
