import { assert, assertEquals, assertThrows } from "@std/assert";
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

function stage(state: ExecState): string | undefined {
  return state.current?.step.stage.kind;
}

Deno.test("what is due follows the facts: task, step, attempt, checks, the step's end, the task's, the run's", () => {
  const facts: ExecFact[] = [];
  const due = () => nextAction(foldFacts(facts), plan()).do;
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
    const action = nextAction(given, plan(change));
    assert(action.do === "run_attempt");
    return action.attempt.resumeSessionId;
  };
  assertEquals(session(state, { resume: "native" }), "s1");
  assertEquals(session(state, { resume: "replay" }), undefined);
  const { sessionId: _, ...nameless } = ASKED;
  assertEquals(session(foldFacts([...OPENING, nameless, ANSWERED]), { resume: "native" }), undefined);
});

Deno.test("a resumed run asks an open question again, and begins an attempt anew that was broken off", () => {
  const resumed: ExecFact = { type: "run_resumed", runId: "r", folder: "f", interruptedLog: "half" };
  const asked = foldFacts([...OPENING, ASKED, resumed]);
  assertEquals([stage(asked), nextAction(asked, plan()).do], ["question", "await_answer"]);
  const broken = foldFacts([...OPENING, resumed]);
  assertEquals([stage(broken), broken.current?.step.attemptLog], ["ready", "half"]);
  assertEquals([broken.current?.step.attempts, broken.current?.step.failures], [1, 0]);
});
