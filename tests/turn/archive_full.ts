import { RuntimeError } from "../../lib/base/errors.ts";
import { moveToArchive } from "../../lib/turn/archive.ts";

/**
 * A program of failures_test.ts: archives the file that is named first in the folder that is named second, and says
 * what came of it.
 */
if (import.meta.main) {
  const [source = "", archiveDir = ""] = Deno.args;
  const told = await Promise.try(() => moveToArchive(source, { archiveDir, label: "tester" })).catch((
    error,
  ) => error instanceof RuntimeError ? error.message : `not an error for people: ${error}`);
  Deno.stdout.writeSync(new TextEncoder().encode(told));
}
