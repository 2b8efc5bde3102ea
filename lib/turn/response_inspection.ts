import { RuntimeError } from "../base/errors.ts";
import type { PollObservation } from "./polling.ts";
import { REMOVE_IT_HINT, responsePathOf } from "./response_files.ts";
import { lookAtResponse, readResponse, type ResponseLook, type ResponsePlace } from "./response_reading.ts";
import { type Turn, turnMessage } from "./turn.ts";

/** How long a file must have stayed the same before it is taken; what earlier polls saw counts as well. */
const SECOND_LOOK_MS = 75;

interface SeenResponse {
  readonly look: ResponseLook;
  readonly sinceMs: number;
}

export const NO_RESPONSE_YET: SeenResponse = { look: { kind: "missing" }, sinceMs: 0 };

/** Looks at the response path, and reads what is there where it may be taken: a file that stands still. */
export async function inspectResponse(
  turn: Turn,
  place: ResponsePlace,
  { before, mayTake }: { readonly before: SeenResponse; readonly mayTake: boolean },
): Promise<
  { readonly seen: SeenResponse; readonly response: PollObservation["response"]; readonly problem: string }
> {
  const { clock, settings, signal } = turn;
  const look = lookAtResponse(place);
  const seen = { look, sinceMs: isSameFile(look, before.look) ? before.sinceMs : clock.now() };
  if (!mayTake || look.kind === "missing") return { seen, response: "none", problem: "it is missing" };
  if (look.kind === "refused") {
    const path = responsePathOf(place.workdir, place.role);
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
