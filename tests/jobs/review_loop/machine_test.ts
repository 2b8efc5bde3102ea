import { assert, assertEquals, assertThrows } from "@std/assert";
import { ROLES } from "../../../lib/base/roles.ts";
import {
  applyResponse,
  applyTestCommandResult,
  nextAction,
  rolesAhead,
  startLoop,
} from "../../../lib/jobs/review_loop/machine.ts";
import { reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import type { LoopContext, LoopState, Turn } from "../../../lib/jobs/review_loop/state.ts";
import { createRandom, type Random } from "../../support/random.ts";
import { FAIL, GOOD_REVIEW, JOB, PASS, REVISE, scripted } from "./scripted_agents.ts";

function contextWith(settings: Parameters<typeof reviewLoopSettings>[0]): LoopContext {
  return { workdir: "/job", job: JOB, settings: reviewLoopSettings(settings) };
}

const SHAPES = [
  ...["review", "pair", "solo", "spec-first", "analyst, programmer, tester", "programmer,programmer_review,tester"],
  "analyst, analyst_review, tester, programmer",
];

function turnIn(state: LoopState): Turn | undefined {
  const action = nextAction(state);
  return action.do === "run_attempt" ? action.at : undefined;
}

const failedCommand = { passed: false, exitCode: 1, timedOut: false, seconds: 0, output: "bad", truncated: true };

function aheadAtStart(settings: Parameters<typeof contextWith>[0]) {
  const context = contextWith(settings);
  return rolesAhead(startLoop(context).state, context.settings);
}

function viaJson(state: LoopState): LoopState {
  return JSON.parse(JSON.stringify(state)) as LoopState;
}

Deno.test("property: whatever the agents answer, the loop ends within its limits and is a function of the answers", () => {
  const random = createRandom(1234);
  const answers = [
    "",
    "text",
    GOOD_REVIEW,
    REVISE,
    PASS,
    FAIL,
    "REVIEW_RESULT: APPROVED\nREVIEW_RESULT: REVISE",
    "RESULT: PASS|FAIL",
  ];
  for (let run = 0; run < 500; run++) {
    const context = contextWith({
      maxRounds: 1 + random.int(3),
      maxReviewCycles: 1 + random.int(3),
      minReviewCyclesBeforeApproval: 1 + random.int(3),
      atReviewLimit: random.pick(["proceed", "fail"]),
      startAgent: random.pick(ROLES),
      ...random.pick([
        { shape: "review", projectTestCmd: random.pick(["make", undefined]) },
        ...SHAPES.map((shape) => ({ shape, projectTestCmd: "make" })),
      ]),
    });
    const seed = random.int(1_000_000);
    const played = play(context, createRandom(seed), { answers, hand: (state) => state });
    const playedViaJson = play(context, createRandom(seed), { answers, hand: viaJson });
    assertEquals(viaJson(played), viaJson(playedViaJson));
  }
});

function play(
  context: LoopContext,
  random: Random,
  { answers, hand }: { readonly answers: readonly string[]; readonly hand: (state: LoopState) => LoopState },
): LoopState {
  const { maxRounds, maxReviewCycles } = context.settings;
  // An author and a reviewer who may be asked twice, in two phases, and a tester who may be asked twice and tested.
  const mostSteps = maxRounds * (2 * maxReviewCycles * 3 + 3);
  let state = startLoop(context).state;
  for (let steps = 0; state.stage.kind !== "finished"; steps++) {
    assert(steps <= mostSteps, `more than ${mostSteps} steps`);
    assert(state.round <= maxRounds);
    const turn = turnIn(state);
    assert(turn === undefined || turn.cycle <= maxReviewCycles);
    const next = turn === undefined
      ? applyTestCommandResult(state, { ...failedCommand, passed: random.int(2) === 0 }, context).state
      : applyResponse(state, { text: random.pick(answers) }, context).state;
    state = hand(next);
  }
  assertEquals(nextAction(state).do, "finish_run");
  return state;
}

Deno.test("a pass needs the tester's PASS in its last response, and a test command that passed", () => {
  const context = contextWith({ startAgent: "tester", projectTestCmd: "make", maxRounds: 1 });
  const outcome = (response: string, passed: boolean) => {
    const waiting = applyResponse(startLoop(context).state, { text: response }, context).state;
    const ended = applyTestCommandResult(waiting, { ...failedCommand, passed }, context).state.stage;
    return ended.kind === "finished" ? ended.outcome : ended.kind;
  };
  assertEquals(outcome(PASS, true), "pass");
  assertEquals(outcome(PASS, false), "fail");
  assertEquals(outcome(FAIL, true), "fail");
  assertEquals(outcome(FAIL, false), "fail");
});

Deno.test("transitions do not change the state that they are given", () => {
  const context = contextWith({});
  const frozen = deepFreeze(startLoop(context).state);
  const next = deepFreeze(applyResponse(frozen, { text: "analysis" }, context).state);
  applyResponse(next, { text: REVISE }, context);
  assertEquals(frozen.outputs, {});
});

Deno.test("a response or a test result that nobody waits for is refused", () => {
  const context = contextWith({ startAgent: "tester", projectTestCmd: "make" });
  const start = startLoop(context).state;
  const atCommand = applyResponse(start, { text: PASS }, context).state;
  assertThrows(() => applyTestCommandResult(start, failedCommand, context), TypeError, "at work");
  assertThrows(() => applyResponse(atCommand, { text: PASS }, context), TypeError, "at test_command");
});

Deno.test("a loop that ends before a role asks those before it only, and passes once they have agreed", () => {
  const context = contextWith({ until: "programmer", minReviewCyclesBeforeApproval: 1 });
  const answer = scripted({ analyst: ["one", "two"], analyst_review: [REVISE, GOOD_REVIEW] });
  const asked: string[] = [];
  let { state } = startLoop(context);
  assertEquals(rolesAhead(state, context.settings), ["analyst", "analyst_review"]);
  for (let turn = turnIn(state); turn !== undefined; turn = turnIn(state)) {
    asked.push(turn.id);
    state = applyResponse(state, { text: answer(turn) }, context).state;
  }
  assertEquals(asked, ["r1-analyst-c1", "r1-analyst_review-c1", "r1-analyst-c2", "r1-analyst_review-c2"]);
  assertEquals(state.stage, {
    kind: "finished",
    outcome: "pass",
    reason: "what the programmer begins with is there",
  });
  assertEquals(aheadAtStart({ until: "programmer", shape: "spec-first", projectTestCmd: "make" }), ["tester"]);
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

Deno.test("the roles ahead are those that the round can still come to, whatever the agents answer", () => {
  for (const startAgent of ROLES) {
    const context = contextWith({ startAgent, maxRounds: 1, minReviewCyclesBeforeApproval: 1 });
    const answer = scripted({
      analyst_review: ["no verdict", REVISE, GOOD_REVIEW],
      programmer_review: [REVISE, GOOD_REVIEW],
      tester: [FAIL, "nothing clear", PASS],
    });
    const asked = new Set<string>();
    let state = startLoop(context).state;
    const ahead = rolesAhead(state, context.settings);
    while (state.stage.kind !== "finished") {
      const turn = turnIn(state)!;
      asked.add(turn.role);
      assert(rolesAhead(state, context.settings).includes(turn.role), `${turn.role} is asked after ${startAgent}`);
      state = applyResponse(state, { text: answer(turn) }, context).state;
    }
    assert(asked.isSubsetOf(new Set(ahead)), `after ${startAgent}: ${[...asked]}`);
    assertEquals(rolesAhead(state, context.settings), []);
  }
  assertEquals(aheadAtStart({ startAgent: "tester" }), ["tester"]);
  assertEquals(aheadAtStart({}), ROLES);
});
