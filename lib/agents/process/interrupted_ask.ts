import type { AskCommands } from "../../shell/asks/find_asks.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import type { Provider } from "../provider.ts";
import { Account } from "./account.ts";
import { readAsks } from "./ask_channel.ts";
import type { AttemptRequest } from "./seam.ts";

interface InterruptedAttempt extends Pick<AttemptRequest, "model" | "args"> {
  readonly provider: Provider;
  readonly stepFolder: string;
  readonly channelFolder: string;
  readonly commands: AskCommands;
}

/** The most of a log that is read: 256 MiB. A longer one tells nothing. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;

/**
 * What the agent of an interrupted attempt asked, which nobody has heard: as `panewright ask` recorded it, perhaps when
 * its panewright was gone, or else as the attempt's own copies of report and session log tell.
 */
export async function findInterruptedAsks(attempt: InterruptedAttempt): Promise<readonly string[]> {
  const { channelFolder, commands, provider, stepFolder } = attempt;
  const recorded = await readAsks(channelFolder);
  if (recorded.length > 0) return [...new Set(recorded.map(({ question }) => question))];
  const account = new Account({ askCommands: commands, onFact: () => {} });
  const reader = provider.headless?.createReader(attempt);
  if (reader === undefined) return [];
  for (const line of linesOf(`${stepFolder}/raw.ndjson`)) {
    for (const observation of reader.readReport(line)) account.take(observation);
  }
  for (const line of linesOf(`${stepFolder}/session.ndjson`)) {
    for (const observation of reader.readLog(line)) account.take(observation);
  }
  account.close({ isCut: true });
  return account.question === undefined ? [] : [account.question, ...account.otherQuestions];
}

function linesOf(path: string): readonly string[] {
  try {
    return readRegularText(path, { maxBytes: MAX_LOG_BYTES }).split("\n");
  } catch {
    return [];
  }
}
