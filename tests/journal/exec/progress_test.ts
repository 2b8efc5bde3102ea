import { assertEquals } from "@std/assert";
import { EXEC_FOLDS, type ExecFact } from "../../../lib/journal/exec/facts.ts";
import { initialProgress, type Progress } from "../../../lib/journal/progress.ts";
import { execWaiting } from "../../support/run_folders.ts";

const ID = "20261120-072605-3fa9";
const FACTS = execWaiting("/w", ID);
const STEP = { task: 1, step: 2 } as const;

/** The progress after facts that were written a second apart. */
function after(...facts: readonly ExecFact[]): Progress {
  return facts.reduce(
    (before, fact, second) => EXEC_FOLDS.progress(before, { ...fact, at: at(second) }),
    initialProgress("exec"),
  );
}

function at(second: number): string {
  return new Date(Date.UTC(2026, 10, 20, 8) + second * 1000).toISOString();
}

Deno.test("progress of a pipeline: task, step and attempt are one place, the step's agent is its worker", () => {
  const progress = after(...FACTS.slice(0, 6));
  assertEquals(progress.about, "add-login.md");
  assertEquals(progress.place, [
    { unit: "task", number: 1, name: "/w/add-login.md" },
    { unit: "step", number: 2, of: 2, name: "build" },
    { unit: "attempt", number: 1 },
  ]);
  assertEquals(progress.pipeline, { name: "default", steps: ["plan", "build"] });
  assertEquals(progress.activity, { kind: "turn", worker: "build", since: at(5) });
  assertEquals(progress.workers, [{
    name: "build",
    provider: "codex",
    status: "processing",
    since: at(5),
    sessionId: undefined,
    pane: undefined,
    folder: "steps/02-build/attempt-1",
  }]);
  assertEquals(progress.done, [{ unit: "step", number: 1, name: "plan", outcome: "pass", at: at(3) }]);
});

Deno.test("progress of a pipeline: a question waits across the end of its run, until it is answered", () => {
  const waiting = after(...FACTS);
  assertEquals(waiting.waiting, {
    id: "q1",
    by: "build",
    text: "Which database?",
    askedAt: "2026-11-20T07:30:00.000Z",
  });
  assertEquals([waiting.finished?.outcome, waiting.activity], ["waiting", undefined]);
  assertEquals(waiting.usage, { "gpt-6": { inputTokens: 1200, cachedInputTokens: 0, outputTokens: 40 } });
  const answer = { question: "q1", answer: "PostgreSQL", by: "command", answeredAt: at(1) } as const;
  const answered = after(
    ...FACTS,
    { type: "run_resumed", runId: ID, folder: "" },
    { type: "question_answered", ...answer },
  );
  assertEquals([answered.waiting, answered.finished], [undefined, undefined]);
  assertEquals(answered.answers.map(({ id, worker, asked, answer, by }) => [id, worker, asked, answer, by]), [
    ["q1", "build", "Which database?", "PostgreSQL", "command"],
  ]);
});

Deno.test("progress of a pipeline: a step that fails, and the attempt that a resume makes anew", () => {
  const attempt = { type: "attempt_started", ...STEP, native: false, folder: "f", promptBytes: 1 } as const;
  const failed = after(
    ...FACTS.slice(0, 6),
    { type: "check_finished", ...STEP, check: 1, passed: false, detail: "red", output: "", seconds: 1 },
    { type: "step_finished", ...STEP, name: "build", outcome: "fail", attempts: 1, reason: "red" },
  );
  assertEquals([failed.workers[0]?.status, failed.done.at(-1)?.reason], ["error", "red"]);
  const resumed = EXEC_FOLDS.progress(failed, { type: "run_resumed", runId: ID, folder: "", at: at(20) });
  assertEquals([resumed.workers[0]?.status, resumed.workers[0]?.since], ["starting", at(20)]);
  const again = EXEC_FOLDS.progress(resumed, { ...attempt, attempt: 2, reason: "retry", at: at(21) });
  assertEquals([again.place.at(-1), again.counts.turns], [{ unit: "attempt", number: 2 }, 2]);
});

Deno.test("progress of a pipeline: a step that leads back is done, and the round of the next one is part of the place", () => {
  const next = { step: 1, name: "plan", round: 2 };
  const led = after(
    ...FACTS.slice(0, 6),
    { type: "step_finished", ...STEP, name: "build", outcome: "fail", attempts: 1, reason: "red", next },
  );
  assertEquals(led.place.slice(1), [{ unit: "step", number: 1, of: 2, name: "plan" }]);
  assertEquals([led.workers, led.done.at(-1)?.outcome], [[], "fail"]);
  const begun = { type: "step_started", task: 1, step: 1, round: 2, name: "plan", provider: "codex" } as const;
  const attempt = { type: "attempt_started", task: 1, step: 1, attempt: 1, reason: "first", native: false } as const;
  const again = after(
    ...FACTS.slice(0, 6),
    { type: "step_finished", ...STEP, name: "build", outcome: "fail", attempts: 1, reason: "red", next },
    { ...begun, autonomyLevel: 1, startedAt: at(8) },
    { ...attempt, folder: "f", promptBytes: 1 },
  );
  assertEquals(again.place.slice(1), [
    { unit: "step", number: 1, of: 2, name: "plan" },
    { unit: "round", number: 2 },
    { unit: "attempt", number: 1 },
  ]);
});

Deno.test("progress of a pipeline: any prefix of a journal has one, with the time and type of its last record", () => {
  for (let count = 1; count <= FACTS.length; count++) {
    const { lastAt, lastRecord } = after(...FACTS.slice(0, count));
    assertEquals([lastAt, lastRecord], [at(count - 1), FACTS[count - 1]?.type]);
  }
});
