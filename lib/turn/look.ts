import { AgentAtWorkError, HumanInterventionRequiredError, PanewrightError, RuntimeError } from "../base/errors.ts";
import { abortable } from "../base/ports/abortable.ts";
import { present } from "../base/schema.ts";
import { errorText } from "../base/text/error_text.ts";
import { isAtRest, type TerminalStatus } from "../base/status.ts";
import { type Turn, turnMessage, warn, whoseTurn } from "./turn.ts";
import { tellTime } from "./turn_time.ts";

/** How many reads of a status may fail in a row before the turn fails. */
const MAX_STATUS_ATTEMPTS = 5;

export async function waitUntil({ clock, signal, wake }: Turn, untilMs: number): Promise<void> {
  if (wake) return await wake(untilMs, signal);
  await clock.sleep(Math.max(0, Math.ceil(untilMs - clock.now())), signal);
}

export async function useTerminal<T>(turn: Turn, purpose: string, call: () => Promise<T>): Promise<T> {
  try {
    return await abortable(call, turn.signal);
  } catch (error) {
    throw asTurnError(turn, error, `${purpose} failed: ${errorText(error)}`);
  }
}

/**
 * Reads the terminal's status. A failure is tried again after an eighth of the poll interval, then after twice as long
 * each time, up to the whole interval.
 */
export async function readStatus(turn: Turn): Promise<TerminalStatus> {
  const { call, clock, progress, settings, signal, terminal } = turn;
  await tellTime(turn);
  for (let attempt = 1;; attempt++) {
    try {
      const shown = await abortable(() => terminal.status(call), signal);
      const waits = !isAtRest(shown.status) && shown.status !== "error" && turn.dialogs?.holds?.() === true;
      const reading = waits ? { ...shown, status: "waiting_user_answer", rule: "held-call" } as const : shown;
      if (reading.status !== progress.lastStatus) await turn.emit({ type: "status", ...reading });
      progress.lastStatus = reading.status;
      return reading.status;
    } catch (error) {
      const failure = `reading the terminal's status failed ${attempt} times in a row: ${errorText(error)}`;
      const turnError = asTurnError(turn, error, failure);
      if (attempt === MAX_STATUS_ATTEMPTS || !(turnError instanceof RuntimeError)) throw turnError;
      if (attempt === 1) {
        await warn(turn, `cannot read the status of ${whoseTurn(turn)}: ${errorText(error)}. Trying again.`);
      }
    }
    await clock.sleep(Math.ceil(settings.pollSeconds * 1000 / 2 ** (MAX_STATUS_ATTEMPTS - 1 - attempt)), signal);
  }
}

function asTurnError(turn: Turn, error: unknown, problem: string): unknown {
  if (turn.signal?.aborted) return turn.signal.reason;
  if (error instanceof HumanInterventionRequiredError || error instanceof AgentAtWorkError) return error;
  const hint = error instanceof PanewrightError ? error.hint : undefined;
  return new RuntimeError(turnMessage(turn, problem), { cause: error, ...present({ hint }) });
}
