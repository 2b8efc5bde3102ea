import type { MeterEvent } from "../../run/spending.ts";
import type { ExecFact, Usage } from "./facts.ts";
import type { ExecState } from "./state.ts";
import { totalUsage } from "./usage.ts";

/** What a fact means for what the run and its steps use; `state` is the one before it. */
export function meterExec(fact: ExecFact, state: ExecState): MeterEvent | undefined {
  switch (fact.type) {
    case "run_started":
      return { kind: "process_begins" };
    case "run_resumed":
      return { kind: "process_begins", raised: fact.raised };
    case "run_finished":
      return { kind: "process_ends", seconds: fact.seconds };
    case "step_started":
      return { kind: "worker_begins", worker: workerOf(state) };
    case "attempt_started":
      return { kind: "turn_begins", worker: workerOf(state) };
    case "attempt_finished":
    case "question_asked":
      return { kind: "turn_ends", seconds: fact.seconds, tokens: tokensIn(fact.usage) };
    case "tokens_counted":
      return { kind: "tokens_counted", tokens: tokensIn(fact.usage) };
    default:
      return undefined;
  }
}

function tokensIn(usage: Usage): number {
  const { inputTokens, outputTokens } = totalUsage(usage);
  return inputTokens + outputTokens;
}

function workerOf({ current }: ExecState): string {
  return current === undefined ? "" : stepWorker(current.pipeline, current.steps[current.step.number - 1] ?? "");
}

/** The name that the caps of a step have: `main/build`. */
export function stepWorker(pipeline: string, step: string): string {
  return `${pipeline}/${step}`;
}
