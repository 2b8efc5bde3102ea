import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { EXEC_FOLDS, type ExecFact } from "../../../lib/journal/exec/facts.ts";
import { nextAction } from "../../../lib/jobs/pipeline/machine.ts";
import type { ExecPlan } from "../../../lib/jobs/pipeline/plan.ts";
import { EXEC_SETTINGS } from "../../../lib/jobs/pipeline/settings.ts";
import { defaultsOf } from "../../../lib/base/settings.ts";
import { type ExecState, INITIAL_STATE, openQuestion } from "../../../lib/journal/exec/state.ts";
import { permitting, step, TOKENS } from "./support.ts";

const applyFact = (state: ExecState, fact: ExecFact) => EXEC_FOLDS.fold(state, { ...fact, at: "" });

const foldFacts = (facts: readonly ExecFact[]) => facts.reduce(applyFact, INITIAL_STATE);

const PLACE = { task: 1, step: 1 } as const;

const OPENING: readonly ExecFact[] = [
  {
    type: "run_started",
    job: "exec",
    runId: "r",
    workdir: "/w",
    folder: "/w/.panewright/runs/r",
    target: { kind: "task", path: "/w/t.md" },
    configFile: null,
    overrides: {},
  },
  { type: "task_started", task: 1, file: "/w/t.md", pipeline: "main", steps: ["a"], text: "Work." },
  { type: "step_started", ...PLACE, name: "a", provider: "codex", autonomyLevel: 1, startedAt: "" },
  { type: "attempt_started", ...PLACE, attempt: 1, reason: "first", native: false, folder: "f", promptBytes: 1 },
];

const ASKED: ExecFact = {
  type: "question_asked",
  ...PLACE,
  question: "q1",
  stepName: "a",
  attempt: 1,
  text: "Which?",
  attemptLog: "log",
  sessionId: "s1",
  usage: TOKENS,
  seconds: 1,
  askedAt: "2026-11-20T10:00:00Z",
};

const ANSWERED: ExecFact = {
  type: "question_answered",
  question: "q1",
  answer: "this",
  by: "command",
  answeredAt: "2026-11-20T10:05:00Z",
};

function plan(change: Partial<ExecPlan["settings"]> = {}): ExecPlan {
  return {
    workdir: "/w",
    pipelines: { main: [step("a", { retry: 1, checks: [{ type: "none" }, { type: "fileExists", paths: ["x"] }] })] },
    defaultPipeline: undefined,
    ...permitting({}),
    caps: {},
    settings: { ...defaultsOf(EXEC_SETTINGS), ...change },
  };
}

const NOW = new Date("2026-11-20T22:00:00Z");

function stage(state: ExecState): string | undefined {
  return state.current?.step.stage.kind;
}

Deno.test("what is due follows the facts: task, step, attempt, checks, the step's end, the task's, the run's", () => {
  const facts: ExecFact[] = [];
  const due = () => nextAction(foldFacts(facts), plan(), { now: NOW }).do;
  const after = (fact: ExecFact) => {
    facts.push(fact);
    return due();
  };
  const [run, task, begun, attempt] = OPENING as [ExecFact, ExecFact, ExecFact, ExecFact];
  assertEquals(after(run), "choose_task");
  assertEquals(after(task), "start_step");
  assertEquals(after(begun), "run_attempt");
  facts.push(attempt);
  assertThrows(due, TypeError, "an attempt is under way");
  assertEquals(
    after({
      type: "attempt_finished",
      ...PLACE,
      attempt: 1,
      outcome: "completed",
      timedOut: false,
      exitCode: 0,
      finalText: "",
      usage: TOKENS,
      attemptLog: "",
      seconds: 1,
    }),
    "check",
  );
  const passed = { type: "check_finished", ...PLACE, passed: true, detail: "", output: "", seconds: 0 } as const;
  assertEquals(after({ ...passed, check: 1 }), "check");
  assertEquals(after({ ...passed, check: 2 }), "finish_step");
  assertEquals(after({ type: "step_finished", ...PLACE, name: "a", outcome: "pass", attempts: 1 }), "finish_task");
  assertEquals(after({ type: "task_finished", task: 1, file: "/w/t.md", outcome: "pass" }), "choose_task");
  const finished = { type: "run_finished", outcome: "pass", tasks: 1, reason: "", usage: {}, seconds: 1 } as const;
  assertEquals(after(finished), "nothing");
});

Deno.test("state is plain data: it survives JSON at every fact", () => {
  let state = foldFacts([]);
  for (const fact of [...OPENING, ASKED, ANSWERED]) {
    state = applyFact(state, fact);
    assertEquals(nextStateOf(state), nextStateOf(JSON.parse(JSON.stringify(state))));
  }
  /** Undefined fields are left out by JSON and mean the same. */
  function nextStateOf(given: ExecState): unknown {
    return JSON.parse(JSON.stringify(applyFact(given, { type: "run_resumed", runId: "r", folder: "f" })));
  }
});

Deno.test("an answer to a question that is not open changes nothing", () => {
  const state = foldFacts([...OPENING, ASKED]);
  assertEquals(openQuestion(state)?.id, "q1");
  assertEquals(applyFact(state, { ...ANSWERED, question: "q2" }), state);
  const answered = applyFact(state, ANSWERED);
  assertEquals(openQuestion(answered), undefined);
  assertEquals(applyFact(answered, { ...ANSWERED, answer: "again" }), answered);
  assertEquals(answered.interactions.map(({ answer }) => answer), ["this"]);
});

Deno.test("after an answer the session goes on only with native resume, and only if it has a name", () => {
  const state = foldFacts([...OPENING, ASKED, ANSWERED]);
  const session = (given: ExecState, change: Partial<ExecPlan["settings"]>) => {
    const action = nextAction(given, plan(change), { now: NOW });
    assert(action.do === "run_attempt");
    return action.attempt.resumeSessionId;
  };
  assertEquals(session(state, { resume: "native" }), "s1");
  assertEquals(session(state, { resume: "replay" }), undefined);
  const { sessionId: _, ...nameless } = ASKED;
  assertEquals(session(foldFacts([...OPENING, nameless, ANSWERED]), { resume: "native" }), undefined);
});

Deno.test("a session whose conversation was made shorter is told everything once more, and a new one anyway", () => {
  const due = (resume: "native" | "replay") => {
    const state = foldFacts([...OPENING, { ...ASKED, compacted: true }, ANSWERED]);
    const action = nextAction(state, plan({ resume }), { now: NOW });
    assert(action.do === "run_attempt");
    return [action.attempt.resumeSessionId, action.attempt.restates];
  };
  assertEquals([due("native"), due("replay")], [["s1", true], [undefined, undefined]]);
  const again: ExecFact = { ...OPENING.at(-1), attempt: 2, native: false } as ExecFact;
  assertEquals(
    foldFacts([...OPENING, { ...ASKED, compacted: true }, ANSWERED, again]).current?.step.isCompacted,
    undefined,
  );
});

Deno.test("a resumed run asks an open question again, and begins an attempt anew that was broken off", () => {
  const resumed: ExecFact = { type: "run_resumed", runId: "r", folder: "f", interruptedLog: "half" };
  const asked = foldFacts([...OPENING, ASKED, resumed]);
  assertEquals([stage(asked), nextAction(asked, plan(), { now: NOW }).do], ["question", "await_answer"]);
  const broken = foldFacts([...OPENING, resumed]);
  assertEquals([stage(broken), broken.current?.step.attemptLog], ["ready", "half"]);
  assertEquals([broken.current?.step.attempts, broken.current?.step.failures], [1, 0]);
});

const FAILED = {
  type: "attempt_finished",
  ...PLACE,
  attempt: 1,
  outcome: "failed",
  error: "529 Overloaded",
  failure: "overloaded",
  timedOut: false,
  exitCode: 1,
  finalText: "",
  usage: TOKENS,
  attemptLog: "It began.",
  seconds: 1,
} as const satisfies ExecFact;

/** The next action after facts, where what passes is tried again twice. */
function dueAfter(facts: readonly ExecFact[], change: Partial<ExecPlan["settings"]> = {}) {
  const patient = { ...plan(change), handoff: { autoAcceptPermissions: false, maxErrorRetries: 2 } };
  return nextAction(foldFacts([...OPENING, ...facts]), patient, { now: NOW });
}

function recovering(retry: number, recovery: "pause" | "fresh_session" = "pause"): ExecFact {
  const retryAt = NOW.toISOString();
  return {
    ...{ type: "attempt_recovering", ...PLACE, attempt: 1, class: "overloaded", message: "529" },
    ...{ recovery, retry, retryAt },
  };
}

Deno.test("what an attempt fails of that passes is tried again after a pause, and is no retry of the step", () => {
  const first = dueAfter([FAILED]);
  assert(first.do === "recover");
  assertEquals([first.retry.recovery, first.retry.number], ["pause", 1]);
  assertEquals(first.retry.at.getTime() - NOW.getTime(), 30_000);
  const again = dueAfter([FAILED, recovering(1)]);
  assert(again.do === "run_attempt");
  assertEquals([again.attempt.reason, again.attempt.notBefore], ["recovered", NOW]);
  const state = foldFacts([...OPENING, FAILED, recovering(1)]);
  assertEquals([state.current?.step.failures, state.current?.step.attemptLog], [0, "It began."]);
  // The step has one retry of its own.
  const last = dueAfter([FAILED, recovering(1), FAILED, recovering(2), FAILED]);
  assert(last.do === "run_attempt");
  assertEquals([last.attempt.reason, last.attempt.notBefore], ["retry", undefined]);
});

Deno.test("what was tried again uses a fifth of the job's tokens at most, or of its cap", () => {
  const usage = { m: { inputTokens: 20_000, cachedInputTokens: 0, outputTokens: 0 } };
  const next = (facts: readonly ExecFact[], caps: ExecPlan["caps"]) => {
    const patient = { ...plan(), caps, handoff: { autoAcceptPermissions: false, maxErrorRetries: 9 } };
    return nextAction(foldFacts([...OPENING, ...facts]), patient, { now: NOW });
  };
  const failed = { ...FAILED, usage };
  const again: ExecFact = { ...OPENING.at(-1), attempt: 2 } as ExecFact;
  const twice = [failed, recovering(1), again, failed];
  assertEquals(next([failed], { maxTokens: 90_000 }).do, "recover");
  assertEquals(next(twice, {}).do, "recover");
  assertEquals(next(twice, { maxTokens: 100_000 }).do, "recover");
  const over = next(twice, { maxTokens: 99_000 });
  assert(over.do === "finish_step");
  assertStringIncludes(
    over.reason ?? "",
    "529 Overloaded; what was tried again in vain has used a fifth of the job's tokens",
  );
  // A person has resumed it.
  const resumed: ExecFact = { type: "run_resumed", runId: "r", folder: "f" };
  assertEquals(next([...twice, resumed, again, failed], { maxTokens: 99_000 }).do, "recover");
});

Deno.test("the CLI's session continues after what passes where resume is native, and another begins where it is full", () => {
  const named = { ...FAILED, sessionId: "s1" };
  const session = (recovery: "pause" | "fresh_session", change: Partial<ExecPlan["settings"]>) => {
    const action = dueAfter([named, recovering(1, recovery)], change);
    assert(action.do === "run_attempt");
    return action.attempt.resumeSessionId;
  };
  assertEquals(session("pause", { resume: "native" }), "s1");
  assertEquals(session("pause", { resume: "replay" }), undefined);
  assertEquals(session("fresh_session", { resume: "native" }), undefined);
  const full = dueAfter([{ ...named, failure: "context" }]);
  assert(full.do === "recover");
  assertEquals([full.retry.recovery, full.retry.at], ["fresh_session", NOW]);
});

Deno.test("a failure of no known class, one of a person's, and a time limit are for the step's own retries", () => {
  for (const change of [{ failure: "other" }, { failure: "model" }, { timedOut: true }] as const) {
    assertEquals(dueAfter([{ ...FAILED, ...change }]).do, "run_attempt", JSON.stringify(change));
  }
  assertEquals(dueAfter([{ ...FAILED, failure: "auth" }]).do, "await_login");
  const unknown = { ...FAILED, failure: "other" } as const;
  assertEquals(dueAfter([unknown, unknown, unknown]).do, "finish_step");
});

Deno.test("a session that was adopted goes on in every attempt of the first step, whatever the settings say", () => {
  const [opening, task, started, attempt] = OPENING as [ExecFact, ExecFact, ExecFact, ExecFact];
  if (opening.type !== "run_started") throw new TypeError("it is another fact");
  const adopting: readonly ExecFact[] = [
    { ...opening, overrides: { session: { id: "own", file: "/h/own.jsonl" } } },
    task,
    started,
  ];
  const due = (facts: readonly ExecFact[]) => {
    const action = nextAction(foldFacts(facts), plan({ resume: "replay" }), { now: NOW });
    return action.do === "run_attempt" ? [action.attempt.number, action.attempt.resumeSessionId] : [action.do];
  };
  assertEquals(due(adopting), [1, "own"]);
  const found: ExecFact = { type: "session_found", sessionId: "own" };
  assertEquals(due([...adopting, attempt, found, ASKED, ANSWERED]), [2, "s1"]);
  const resumed: ExecFact = { type: "run_resumed", runId: "r", folder: "f" };
  for (const broken of [[attempt], [attempt, found]]) assertEquals(due([...adopting, ...broken, resumed]), [2, "own"]);
  assertEquals(due([opening, task, started]), [1, undefined]);
});
