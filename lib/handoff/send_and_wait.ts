import { RuntimeError } from "../errors.ts";
import { isAtRest } from "../screen/status.ts";
import { sendPrompt } from "./dialogs.ts";
import { reminderPrompt } from "./instruction.ts";
import { archiveStaleResponse, ensureResponseDir } from "./response_files.ts";
import { markDispatch } from "./response_reading.ts";
import type { Role } from "./roles.ts";
import type { HandoffOptions } from "./settings.ts";
import type { TerminalApi } from "./terminal_api.ts";
import { openTurn, readStatus, type Turn, turnMessage } from "./turn.ts";
import { deadlineFromNow, endWithoutResponse, waitForResponse } from "./wait_for_response_file.ts";

const SETTLE_INTERVAL_MS = 1000;
const SETTLE_LIMIT_MS = 10_000;

/**
 * Plays one turn: clears the role's response path, sends the message, waits for the response file and returns its text.
 *
 * The message has to tell the agent where to write: end it with `responseFileInstruction`. When the agent comes to rest
 * without a usable response it is reminded up to `maxFileReminders` times, each time with fresh grace timers; the
 * response timeout counts for the whole turn.
 *
 * @throws like `waitForResponseFile`, and {RuntimeError} when the message cannot be sent
 */
export async function sendAndWait(
  api: TerminalApi,
  terminalId: string,
  role: Role,
  message: string,
  options: HandoffOptions,
): Promise<string> {
  const turn = openTurn({ api, terminalId, role }, options);
  const { archiveDir, log, settings, workdir } = turn;
  turn.signal?.throwIfAborted();
  await ensureResponseDir(workdir);
  if (options.settleBeforeSend) await settle(turn);

  const stale = archiveStaleResponse(workdir, role, archiveDir);
  if (stale !== undefined) log(`Warning: a response file of an earlier turn of ${role} was moved to ${stale}.`);
  const dispatch = markDispatch(workdir);
  await sendPrompt(turn, "sending the prompt", message);

  const deadlineMs = deadlineFromNow(turn);
  for (let reminder = 1;; reminder++) {
    const outcome = await waitForResponse(turn, { deadlineMs, dispatch });
    if (outcome.kind === "response") return outcome.text;
    if (outcome.because === "response_timeout" || reminder > settings.maxFileReminders) {
      return await endWithoutResponse(turn, outcome);
    }
    options.onReminder?.(reminder);
    const reminderText = reminderPrompt(workdir, role, { problem: outcome.problem });
    await sendPrompt(turn, "sending the reminder", reminderText);
  }
}

/** Lets a terminal come to rest: two looks a second apart must find it so. After ten seconds the prompt is sent anyway. */
async function settle(turn: Turn): Promise<void> {
  const { clock, log, role, signal, terminalId } = turn;
  const limitMs = clock.now() + SETTLE_LIMIT_MS;
  for (let looksAtRest = 0;;) {
    const status = await readStatus(turn);
    if (status === "error") throw new RuntimeError(turnMessage(turn, "the agent is in an error state"));
    looksAtRest = isAtRest(status) ? looksAtRest + 1 : 0;
    if (looksAtRest === 2) return;
    if (clock.now() >= limitMs) {
      log(
        `Warning: ${role} in terminal ${terminalId} did not come to rest in ${
          SETTLE_LIMIT_MS / 1000
        } s (last status: ${status}). Sending the prompt all the same.`,
      );
      return;
    }
    await clock.sleep(SETTLE_INTERVAL_MS, signal);
  }
}
