import type { RunFolder } from "../../run/run_folder.ts";
import type { Clock } from "../../ports/clock.ts";
import { endMarkedTrees } from "../../ports/end_processes.ts";
import { ASK_CHANNEL_VARIABLE } from "../../providers/headless/ask_channel.ts";
import { readRegularText } from "../../ports/regular_file.ts";
import { condense } from "../../text/condense.ts";
import type { ExecState } from "./state.ts";

/** Lines of the log of an attempt that was broken off. */
const MAX_LOG_LINES = 200;
/** How long an agent that outlived panewright has to end after SIGTERM. */
const TERMINATE_GRACE_MS = 2000;

/**
 * Ends the agents that an earlier process of the run left behind when it was killed: they would work beside the new
 * attempt. They are found by the run's folder in their environment.
 */
export async function endLeftAgents({ stepsDir }: Pick<RunFolder, "stepsDir">, clock: Clock): Promise<void> {
  const mark = { name: ASK_CHANNEL_VARIABLE, value: `${stepsDir}/` };
  await endMarkedTrees(mark, { clock, hangupGraceMs: 0, terminateGraceMs: TERMINATE_GRACE_MS });
}

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
