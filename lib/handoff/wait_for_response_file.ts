import { RuntimeError, TimeoutError } from "../errors.ts";
import { isAtRest } from "../screen/status.ts";
import { writeToArchive } from "./archive.ts";
import { handleDialog, noteDialogClosed, waitedForPersonMs } from "./dialogs.ts";
import { handlePrompt, notePromptClosed } from "./permissions.ts";
import { decide, type PollObservation, startPolling } from "./polling.ts";
import { REMOVE_IT_HINT, responsePathFor } from "./response_files.ts";
import {
  archiveResponse,
  type DispatchMark,
  lookAtResponse,
  readResponse,
  type ResponseLook,
  type ResponsePlace,
} from "./response_reading.ts";
import type { Role } from "../roles.ts";
import type { HandoffOptions } from "./settings.ts";
import type { TerminalApi } from "./terminal_api.ts";
import { agentError, openTurn, readStatus, type Turn, turnMessage, useTerminal } from "./turn.ts";

/** How long a file must have stayed the same before it is taken; what earlier polls saw counts as well. */
const SECOND_LOOK_MS = 75;

/** How waiting ended, if it did not fail. */
export type WaitOutcome =
  | { readonly kind: "response"; readonly text: string }
  | {
    readonly kind: "none";
    readonly because: "idle_grace" | "response_timeout";
    /** Why what is at the response path does not count. */
    readonly problem: string;
  };

/**
 * Waits for a role's response file by the polling rules, archives it and returns its text.
 *
 * A file that is there when the waiting begins counts: only `sendAndWait` knows what is older than its prompt.
 *
 * @returns the response without byte order mark and with LF line ends; without strict handoff the terminal's last output
 * when the agent came to rest without a response
 * @throws {RuntimeError} for an agent in error, a missing response with strict handoff, a response path that is refused,
 * too many accepted prompts, and a terminal that cannot be used
 * @throws {TimeoutError} when the time is up and the agent is not at rest
 * @throws {UsageError} for a wrong setting
 * @throws the signal's reason when it is aborted
 */
export async function waitForResponseFile(
  api: TerminalApi,
  terminalId: string,
  role: Role,
  options: HandoffOptions,
): Promise<string> {
  const turn = openTurn({ api, terminalId, role }, options);
  const outcome = await waitForResponse(turn, { deadlineMs: deadlineFromNow(turn) });
  return outcome.kind === "response" ? outcome.text : await endWithoutResponse(turn, outcome);
}

/** When the time of a turn that begins now is up, in the clock's milliseconds. */
export function deadlineFromNow(turn: Turn): number {
  return turn.clock.now() + turn.settings.responseTimeoutSeconds * 1000;
}

/** Polls until there is a response, or none is to be expected any more. */
export async function waitForResponse(
  turn: Turn,
  { deadlineMs, dispatch }: { readonly deadlineMs: number; readonly dispatch?: DispatchMark },
): Promise<WaitOutcome> {
  const { clock, role, settings, signal, workdir } = turn;
  const pollMs = settings.pollSeconds * 1000;
  const place: ResponsePlace = {
    workdir,
    role,
    maxBytes: settings.maxResponseBytes,
    ...(dispatch === undefined ? {} : { dispatch }),
  };
  let state = startPolling(clock.now(), deadlineMs);
  let seen: SeenResponse = { look: { kind: "missing" }, sinceMs: clock.now() };
  for (;;) {
    signal?.throwIfAborted();
    const pollStartedMs = clock.now();
    const status = await readStatus(turn);
    if (status !== "waiting_user_answer" && status !== "unknown") {
      notePromptClosed(turn);
      noteDialogClosed(turn);
    }
    const found = await inspectResponse(turn, place, { before: seen, mayTake: isAtRest(status) });
    seen = found.seen;
    state = { ...state, deadlineMs: deadlineMs + waitedForPersonMs(turn) };
    const step = decide(state, { status, response: found.response }, { nowMs: clock.now(), settings });
    state = step.state;
    const { action } = step;
    switch (action.type) {
      case "wait":
        if (action.startupTimedOut) warnOfStartup(turn);
        break;
      case "handle_dialog":
        await (turn.options.dialogs === undefined ? handlePrompt(turn) : handleDialog(turn, turn.options.dialogs));
        break;
      case "take_response":
        return { kind: "response", text: await takeResponse(turn, place) };
      case "end_without_response":
        return { kind: "none", because: action.because, problem: found.problem };
      case "fail_agent_error":
        throw await agentError(turn);
      case "fail_timeout":
        throw new TimeoutError(turnMessage(turn, `the limit of ${settings.responseTimeoutSeconds} s passed`), {
          hint: "RESPONSE_TIMEOUT sets the limit, in seconds.",
        });
    }
    await waitUntil(turn, Math.min(pollStartedMs + pollMs, deadlineMs + waitedForPersonMs(turn)));
  }
}

async function waitUntil({ clock, options, signal }: Turn, untilMs: number): Promise<void> {
  if (options.wake) return await options.wake(untilMs, signal);
  await clock.sleep(Math.max(0, Math.ceil(untilMs - clock.now())), signal);
}

/**
 * Ends a turn whose agent came to rest without a response.
 *
 * @returns the terminal's last output when the handoff is not strict
 * @throws {RuntimeError} when it is
 */
export async function endWithoutResponse(
  turn: Turn,
  outcome: Extract<WaitOutcome, { readonly kind: "none" }>,
): Promise<string> {
  const { api, role, settings, terminalId, workdir } = turn;
  const limit = outcome.because === "idle_grace"
    ? `it rested for ${settings.idleGraceSeconds} s`
    : `the limit of ${settings.responseTimeoutSeconds} s passed`;
  const problem = `${limit} without a usable response file ${responsePathFor(workdir, role)}: ${outcome.problem}`;
  if (settings.strictFileHandoff) {
    throw new RuntimeError(turnMessage(turn, problem), {
      hint: "With STRICT_FILE_HANDOFF=0 the terminal's last output is taken instead.",
    });
  }
  turn.log(`Warning: ${role} in terminal ${terminalId}: ${problem}. Taking the terminal's last output.`);
  const text = await useTerminal(turn, "reading the last output", () => api.getLastOutput(terminalId));
  if (turn.options.onArchived === undefined) return text;
  const archived = writeToArchive(text, turn.archiveDir, role);
  await turn.options.onArchived({ role, ...archived, text });
  return text;
}

/** What was found at the response path, and since when it has been there unchanged, by the clock. */
interface SeenResponse {
  readonly look: ResponseLook;
  readonly sinceMs: number;
}

interface InspectedResponse {
  readonly seen: SeenResponse;
  readonly response: PollObservation["response"];
  readonly problem: string;
}

async function inspectResponse(
  turn: Turn,
  place: ResponsePlace,
  { before, mayTake }: { readonly before: SeenResponse; readonly mayTake: boolean },
): Promise<InspectedResponse> {
  const { clock, settings, signal } = turn;
  const look = lookAtResponse(place);
  const seen = { look, sinceMs: isSameFile(look, before.look) ? before.sinceMs : clock.now() };
  if (!mayTake || look.kind === "missing") return { seen, response: "none", problem: "it is missing" };
  if (look.kind === "refused") {
    const path = responsePathFor(place.workdir, place.role);
    throw new RuntimeError(turnMessage(turn, `the response ${path} is refused: ${look.problem}`), {
      hint: REMOVE_IT_HINT,
    });
  }
  const leftMs = seen.sinceMs + Math.min(SECOND_LOOK_MS, Math.ceil(settings.pollSeconds * 1000)) - clock.now();
  if (leftMs > 0) {
    await clock.sleep(Math.ceil(leftMs), signal);
    const second = lookAtResponse(place);
    if (!isSameFile(second, look)) {
      return { seen: { look: second, sinceMs: clock.now() }, response: "changing", problem: "it is being written" };
    }
  }
  const content = readResponse(place);
  return content.kind === "text"
    ? { seen, response: "ready", problem: "" }
    : { seen, response: "none", problem: content.problem };
}

function isSameFile(one: ResponseLook, other: ResponseLook): boolean {
  return one.kind === "present" && other.kind === "present" && one.identity === other.identity;
}

async function takeResponse(turn: Turn, place: ResponsePlace): Promise<string> {
  const { path, text, bytes } = archiveResponse(place, turn.archiveDir);
  await turn.options.onArchived?.({ role: turn.role, path, bytes, text });
  return text;
}

function warnOfStartup(turn: Turn): void {
  const { role, settings, terminalId } = turn;
  turn.log(
    `Warning: startup timeout: ${role} in terminal ${terminalId} was not seen at work within ${settings.idleGraceSeconds} s of its prompt. Its grace time of ${settings.idleGraceSeconds} s starts now.`,
  );
}
