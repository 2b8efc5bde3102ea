import { RuntimeError } from "../base/errors.ts";
import { isAtRest } from "../screen/status.ts";
import { noteDialogClosed, settleAnswers } from "./dialogs.ts";
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
import { answerDialog } from "./send.ts";
import { readStatus, timeoutError, type Turn, turnMessage, waitUntil } from "./turn.ts";
import { waitedForPersonMs } from "./turn_time.ts";
import { present } from "../base/schema.ts";

/** How long a file must have stayed the same before it is taken; what earlier polls saw counts as well. */
const SECOND_LOOK_MS = 75;

/** How waiting ended, if it did not fail. */
export type WaitOutcome =
  | { readonly kind: "response"; readonly text: string }
  /** The terminal has the status `error`. */
  | { readonly kind: "failed" }
  | {
    readonly kind: "none";
    readonly because: "idle_grace" | "response_timeout";
    /** Why what is at the response path does not count. */
    readonly problem: string;
    /** Whether what is there must be removed before a response can be written. */
    readonly inTheWay: boolean;
  };

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
    ...present({ dispatch }),
  };
  let state = startPolling(clock.now(), deadlineMs);
  let seen: SeenResponse = { look: { kind: "missing" }, sinceMs: clock.now() };
  for (;;) {
    signal?.throwIfAborted();
    const pollStartedMs = clock.now();
    const status = await readStatus(turn);
    // A second look at a file takes no time from the rules, which count from poll to poll.
    const nowMs = clock.now();
    if (status !== "waiting_user_answer" && status !== "unknown") noteDialogClosed(turn);
    const found = await inspectResponse(turn, place, { before: seen, mayTake: isAtRest(status) });
    seen = found.seen;
    state = { ...state, deadlineMs: deadlineMs + waitedForPersonMs(turn) };
    const step = decide(state, { status, response: found.response }, { nowMs, settings });
    state = step.state;
    const { action } = step;
    switch (action.type) {
      case "wait":
        if (action.startupTimedOut) warnOfStartup(turn);
        break;
      case "handle_dialog":
        await answerDialog(turn, { deadlineMs });
        break;
      case "take_response":
        await settleAnswers(turn);
        return { kind: "response", text: await takeResponse(turn, place) };
      case "end_without_response":
        return {
          kind: "none",
          because: action.because,
          problem: found.problem,
          inTheWay: found.seen.look.kind === "unusable" && found.seen.look.inTheWay,
        };
      case "fail_agent_error":
        return { kind: "failed" };
      case "fail_timeout":
        throw timeoutError(turn);
    }
    await waitUntil(turn, Math.min(pollStartedMs + pollMs, deadlineMs + waitedForPersonMs(turn)));
  }
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
  if (look.kind === "unusable") return { seen, response: "none", problem: look.problem };
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

function warnOfStartup({ log, role, settings: { idleGraceSeconds }, terminal }: Turn): void {
  log(
    `Warning: startup timeout: ${role} in terminal ${terminal.id} was not seen at work within ${idleGraceSeconds} s of ` +
      `its prompt. Its grace time of ${idleGraceSeconds} s starts now.`,
  );
}
