import { RuntimeError } from "../base/errors.ts";
import type { Role } from "../base/roles.ts";
import { writeToArchive } from "./archive.ts";
import { refusalPrompt, reminderPrompt } from "./instruction.ts";
import { limitsOf, settleAnswers } from "./dialogs.ts";
import { agentError, awaitRetry } from "./failure.ts";
import { ensureResponseDir, REMOVE_IT_HINT, responsePathFor } from "./response_files.ts";
import { isAnswered, resumeSending, sendMessage, sendPrompt } from "./send.ts";
import type { HandoffOptions } from "./settings.ts";
import type { Terminal } from "./terminal.ts";
import { openTurn, type Turn, turnMessage, useTerminal } from "./turn.ts";
import { beginTime, deadlineFromNow, leftUntil, tellTime } from "./turn_time.ts";
import { waitForResponse, type WaitOutcome } from "./wait.ts";

/** How long an agent may take to be seen at rest whose response was there when its turn was resumed. */
const TAKE_LIMIT_MS = 30_000;

/**
 * Plays one turn of a terminal: see `sendAndWait`. A turn that an earlier process began is resumed where that one left
 * it: see `BegunTurn`.
 */
export async function playTurn(
  terminal: Terminal,
  options: HandoffOptions & { readonly role: Role; readonly message: string },
): Promise<string> {
  const turn = openTurn(terminal, options);
  turn.signal?.throwIfAborted();
  await ensureResponseDir(turn.workdir);
  using _served = options.dialogs?.serve?.(limitsOf(turn));
  try {
    return await play(turn, options);
  } catch (error) {
    try {
      tellTime(turn, { always: true });
    } catch { /* what ended the turn counts more */ }
    throw error;
  }
}

async function play(
  turn: Turn,
  { begun, message }: Pick<HandoffOptions, "begun"> & { readonly message: string },
): Promise<string> {
  const { options, settings } = turn;
  // Of a turn whose prompt was taken the time continues at once, so that nothing is sent when it is up.
  if (begun?.usedSeconds) beginTime(turn);
  const dispatch = begun === undefined ? await sendPrompt(turn, message) : await resumeSending(turn, message, begun);
  beginTime(turn);
  const deadlineMs = begun !== undefined && isAnswered(turn, dispatch) ? deadlineToTake(turn) : deadlineFromNow(turn);
  for (let reminder = (begun?.reminders ?? 0) + 1;;) {
    const outcome = await waitForResponse(turn, { deadlineMs, dispatch });
    if (outcome.kind === "response") return outcome.text;
    if (outcome.kind === "failed") {
      const text = await awaitRetry(turn);
      if (text !== undefined) await sendMessage(turn, { what: "continuation", text, deadlineMs });
      continue;
    }
    if (outcome.because === "idle_grace" && options.expectsResponse === false) {
      return await useTerminal(turn, "reading the last output", () => turn.terminal.lastOutput(turn.call));
    }
    if (outcome.because === "response_timeout" || reminder > settings.maxFileReminders) {
      return await endWithoutResponse(turn, outcome);
    }
    options.onReminder?.(reminder);
    await sendMessage(turn, {
      what: "reminder",
      text: reminderText(turn, outcome),
      deadlineMs,
      isNeeded: () => !isAnswered(turn, dispatch),
    });
    reminder++;
  }
}

/** What an agent at rest is told; an agent that may have ended its turn because something was refused, just that first. */
function reminderText({ progress, role, workdir }: Turn, outcome: Extract<WaitOutcome, { kind: "none" }>): string {
  const { problem, inTheWay } = outcome;
  const { untoldRefusal } = progress;
  if (untoldRefusal === undefined || inTheWay) return reminderPrompt(workdir, role, { problem, inTheWay });
  progress.untoldRefusal = undefined;
  return refusalPrompt(workdir, role, untoldRefusal);
}

/**
 * Until when a response that was written before its turn was resumed is waited for. It is taken once the agent is seen
 * at rest, which takes a new process some seconds: they are there also when the time of the turn is up.
 */
function deadlineToTake(turn: Turn): number {
  const deadlineMs = deadlineFromNow(turn);
  return deadlineMs + Math.max(0, TAKE_LIMIT_MS - leftUntil(turn, deadlineMs));
}

/** Waits for the response of a terminal's turn without sending anything: see `waitForResponseFile`. */
export async function waitForTurn(
  terminal: Terminal,
  options: HandoffOptions & { readonly role: Role },
): Promise<string> {
  const turn = openTurn(terminal, options);
  using _served = options.dialogs?.serve?.(limitsOf(turn));
  beginTime(turn);
  const outcome = await waitForResponse(turn, { deadlineMs: deadlineFromNow(turn) });
  switch (outcome.kind) {
    case "response":
      return outcome.text;
    case "failed":
      throw await agentError(turn);
    case "none":
      return await endWithoutResponse(turn, outcome);
  }
}

/**
 * Ends a turn whose agent came to rest without a response.
 *
 * @returns the terminal's last output when the handoff is not strict
 * @throws {RuntimeError} when it is
 */
async function endWithoutResponse(turn: Turn, outcome: Extract<WaitOutcome, { kind: "none" }>): Promise<string> {
  const { archiveDir, call, options, role, settings, terminal, workdir } = turn;
  const limit = outcome.because === "idle_grace"
    ? `it rested for ${settings.idleGraceSeconds} s`
    : `the limit of ${settings.responseTimeoutSeconds} s passed`;
  const problem = `${limit} without a usable response file ${responsePathFor(workdir, role)}: ${outcome.problem}`;
  if (settings.strictFileHandoff) {
    throw new RuntimeError(turnMessage(turn, problem), {
      hint: outcome.inTheWay
        ? REMOVE_IT_HINT
        : "With STRICT_FILE_HANDOFF=0 the terminal's last output is taken instead.",
    });
  }
  turn.log(`Warning: ${role} in terminal ${terminal.id}: ${problem}. Taking the terminal's last output.`);
  const text = await useTerminal(turn, "reading the last output", () => terminal.lastOutput(call));
  if (options.onArchived === undefined) return text;
  await settleAnswers(turn);
  const archived = writeToArchive(text, { archiveDir, label: role });
  await options.onArchived({ role, ...archived, text });
  return text;
}
