import { basename } from "@std/path/posix";
import type { ExecFact } from "../pipeline/facts.ts";
import { foldFacts } from "../pipeline/fold.ts";
import { openQuestion, type TaskState } from "../pipeline/state.ts";
import type { AskedQuestion, ExecSummary, Finished, SummarisedTask } from "./summary.ts";

type Recorded = ExecFact & { readonly at: string };

/**
 * What the records of a run of `panewright exec` tell about it.
 *
 * @param started the run's first record
 */
export function summariseExec(
  started: Extract<Recorded, { type: "run_started" }>,
  records: readonly Recorded[],
): ExecSummary {
  const state = foldFacts(records);
  const { workdir, configFile, target, at } = started;
  const question = openQuestion(state);
  const finishedAt = records.findLast(({ type }) => type === "run_finished")?.at ?? at;
  const finished: Finished<NonNullable<typeof state.finished>["outcome"]> | undefined = state.finished === undefined
    ? undefined
    : { ...state.finished, at: finishedAt };
  const asked: AskedQuestion | undefined = question === undefined ? undefined : {
    id: question.id,
    by: question.step,
    text: question.text,
    askedAt: question.askedAt,
  };
  return {
    job: "exec",
    workdir,
    configFile,
    startedAt: at,
    executedSince: records.findLast(({ type }) => type === "run_started" || type === "run_resumed")?.at ?? at,
    lastAt: records.at(-1)?.at ?? at,
    about: basename(target.path),
    tasksPassed: state.passed.length,
    task: state.current === undefined ? undefined : summariseTask(state.current, records),
    usage: state.usage,
    question: asked,
    finished,
  };
}

function summariseTask({ file, pipeline, steps, step }: TaskState, records: readonly Recorded[]): SummarisedTask {
  const attempt = records.findLast((record) => record.type === "attempt_started" && record.step === step.number);
  return {
    file,
    pipeline,
    steps,
    step: step.number,
    attempts: step.attempts,
    attemptFolder: attempt?.type === "attempt_started" && step.attempts > 0 ? attempt.folder : undefined,
    stage: step.stage.kind,
  };
}
