import type { RunFolder } from "../../run/run_folder.ts";
import { readRegularText } from "../../ports/regular_file.ts";
import { condense } from "../../text/condense.ts";
import type { ExecState } from "./state.ts";

/** Lines of the log of an attempt that was broken off. */
const MAX_LOG_LINES = 200;

/** What the agent did in an attempt that was under way when its panewright was killed. */
export function readInterruptedLog(folder: RunFolder, state: ExecState): string | undefined {
  const stage = state.current?.step.stage;
  if (stage?.kind !== "running") return undefined;
  return condense(readLog(`${folder.path}/${stage.folder}/log.txt`), { maxLines: MAX_LOG_LINES });
}

function readLog(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_LOG_BYTES });
  } catch {
    return "";
  }
}

/** The most of a log that is read: 256 MiB. A longer one is left out. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;
