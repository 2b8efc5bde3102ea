import { lstatOrUndefined } from "../../base/ports/files.ts";
import { openRegularFile } from "../../base/ports/regular_file.ts";
import { UsageError } from "../../base/errors.ts";
import { folderWithGit } from "../../jobs/files/list.ts";
import { errorText } from "../../base/text/error_text.ts";

/** What a run leaves in the working directory, which nobody wants to commit. */
const IGNORED = [".tmp/", ".panewright/"] as const;

const MAX_BYTES = 1024 * 1024;

export function isRepository(folder: string): boolean {
  try {
    return folderWithGit(folder) !== undefined;
  } catch {
    return false;
  }
}

/** The entries of {@linkcode IGNORED} that the text of a `.gitignore` does not have. */
function missingEntries(text: string): readonly string[] {
  const entries = text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, "").replace(/\/?\*{0,2}$/, ""));
  return IGNORED.filter((name) => !entries.includes(name.slice(0, -1)));
}

export function ignoreWhatRunsLeave(folder: string): readonly string[] {
  const path = `${folder}/.gitignore`;
  try {
    if (lstatOrUndefined(path) === undefined) {
      Deno.writeTextFileSync(path, linesOf(IGNORED), { createNew: true });
      return IGNORED;
    }
    using file = openRegularFile(path, { access: "append" });
    const { size } = file.stat();
    if (size > MAX_BYTES) throw new UsageError("it is larger than 1 MiB");
    const bytes = new Uint8Array(size);
    const text = new TextDecoder().decode(bytes.subarray(0, file.readAt(0, bytes)));
    const missing = missingEntries(text);
    const start = text === "" || text.endsWith("\n") ? "" : "\n";
    if (missing.length > 0) file.write(new TextEncoder().encode(`${start}${linesOf(missing)}`));
    return missing;
  } catch (cause) {
    throw new UsageError(`Cannot add to ${path}: ${errorText(cause)}`, { cause });
  }
}

function linesOf(entries: readonly string[]): string {
  return entries.map((entry) => `${entry}\n`).join("");
}
