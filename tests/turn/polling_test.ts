import { assert, assertEquals } from "@std/assert";
import { decide, type PollAction, type PollObservation, type PollState, startPolling } from "../../lib/turn/polling.ts";
import { isAtRest, TERMINAL_STATUSES } from "../../lib/base/status.ts";

const SETTINGS = { idleGraceSeconds: 30 };
const RESPONSES = ["none", "changing", "ready"] as const;

interface Poll {
  readonly nowMs: number;
  readonly seen: PollObservation;
  readonly action: PollAction;
}

/** A small generator (mulberry32): the same seed gives the same sequence, so that a failure can be repeated. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Plays a random turn to its end: statuses that stay for a while, polls of up to two seconds apart. */
function playRandomTurn(seed: number): readonly Poll[] {
  const random = randomNumbers(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const polls: Poll[] = [];
  let state: PollState = startPolling(0, 300_000);
  let nowMs = 0;
  // Most turns see no error and no response, so that the timers get their say.
  const statuses = random() < 0.8 ? TERMINAL_STATUSES.filter((status) => status !== "error") : TERMINAL_STATUSES;
  const responses = random() < 0.5 ? ["none" as const] : RESPONSES;
  for (;;) {
    const status = pick(statuses);
    for (let repeats = Math.ceil(random() ** 2 * 40); repeats > 0; repeats--) {
      const seen: PollObservation = { status, response: isAtRest(status) ? pick(responses) : "none" };
      const step = decide(state, seen, { nowMs, settings: SETTINGS });
      polls.push({ nowMs, seen, action: step.action });
      if (step.action.type !== "wait" && step.action.type !== "handle_dialog") return polls;
      state = step.state;
      nowMs += random() < 0.7 ? 2000 : Math.ceil(random() * 2000);
    }
  }
}

/** How long the polls before the last one, and the last one, were at rest without a response and without a break. */
function restMs(polls: readonly Poll[]): number {
  const last = polls.at(-1)!;
  const breakAt = polls.findLastIndex(({ seen }) => !isAtRest(seen.status) || seen.response === "changing");
  return last.nowMs - (polls[breakAt + 1]?.nowMs ?? last.nowMs);
}

function hasStarted(polls: readonly Poll[]): boolean {
  return polls.some(({ seen }) =>
    seen.status === "processing" || seen.status === "waiting_user_answer" || seen.response === "changing"
  );
}

Deno.test("property: whatever the statuses, a turn ends only as the polling rules allow", () => {
  const endings = new Map<string, number>();
  for (let seed = 1; seed <= 5000; seed++) {
    const polls = playRandomTurn(seed);
    const { nowMs, seen, action } = polls.at(-1)!;
    const ending = action.type === "end_without_response" ? action.because : action.type;
    endings.set(ending, (endings.get(ending) ?? 0) + 1);
    const story = `seed ${seed}: ${ending} at ${nowMs} ms, status ${seen.status}, response ${seen.response}`;
    switch (ending) {
      case "take_response":
        assert(isAtRest(seen.status) && seen.response === "ready", story);
        break;
      case "idle_grace":
        assert(isAtRest(seen.status) && nowMs < 300_000, story);
        assert(restMs(polls) >= 30_000, `${story}: only ${restMs(polls)} ms of consecutive rest`);
        assert(hasStarted(polls) || nowMs >= 60_000, `${story}: before the startup timeout and the grace had passed`);
        break;
      case "response_timeout":
        assert(isAtRest(seen.status) && nowMs >= 300_000, story);
        break;
      case "fail_timeout":
        assert(!isAtRest(seen.status) && nowMs >= 300_000, story);
        break;
      case "fail_agent_error":
        assertEquals(seen.status, "error", story);
        break;
      default:
        assert(false, `${story}: no such ending`);
    }
    assert(nowMs <= 302_000, `${story}: later than the limit and a poll`);
    for (const poll of polls.slice(0, -1)) {
      assert(poll.seen.status !== "error", `${story}: an error was overlooked at ${poll.nowMs} ms`);
      assert(poll.seen.response !== "ready", `${story}: a response was overlooked at ${poll.nowMs} ms`);
      assertEquals(poll.action.type === "handle_dialog", poll.seen.status === "waiting_user_answer", story);
    }
  }
  assertEquals(
    [...endings.keys()].sort(),
    ["fail_agent_error", "fail_timeout", "idle_grace", "response_timeout", "take_response"],
    "the random turns reach every ending",
  );
});

Deno.test("a poll that comes early changes nothing about when the grace ends", () => {
  const decideAt = (state: PollState, seconds: number) =>
    decide(state, { status: "idle", response: "none" }, { nowMs: seconds * 1000, settings: SETTINGS });
  const started = decide(startPolling(0, 300_000), { status: "processing", response: "none" }, {
    nowMs: 0,
    settings: SETTINGS,
  }).state;
  let step = decideAt(started, 2);
  for (const seconds of [2.1, 2.2, 10, 31, 31.9]) {
    step = decideAt(step.state, seconds);
    assertEquals(step.action, { type: "wait" });
  }
  assertEquals(decideAt(step.state, 32).action, { type: "end_without_response", because: "idle_grace" });
});

Deno.test("a dialog at the end of the time is not answered any more", () => {
  const seen: PollObservation = { status: "waiting_user_answer", response: "none" };
  const { action } = decide(startPolling(0, 300_000), seen, { nowMs: 300_000, settings: SETTINGS });
  assertEquals(action, { type: "fail_timeout" });
});

Deno.test("a response that is ready when the time is up is taken", () => {
  const seen: PollObservation = { status: "completed", response: "ready" };
  const { action } = decide(startPolling(0, 300_000), seen, { nowMs: 300_000, settings: SETTINGS });
  assertEquals(action, { type: "take_response" });
});
