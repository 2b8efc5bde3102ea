import { present } from "../../base/schema.ts";
import type { Usage } from "../../base/usage.ts";
import { type Change, type Done, levelOf, type Progress, tokensCounted } from "../progress.ts";
import type { Worker } from "../workers.ts";
import { ATTEMPT, stepWorker } from "./state.ts";

/** The place at a step. */
export function stepLevel(number: number, steps: readonly string[]) {
  const name = steps[number - 1];
  return { unit: "step", number, of: steps.length, ...present({ name }) } as const;
}

/** Changes the agent of the step under way: there is one at a time. */
export function changeAgent({ workers }: Progress, change: Partial<Worker>): Pick<Progress, "workers"> {
  return { workers: workers.map((worker) => ({ ...worker, ...change })) };
}

/** What the attempt under way has used so far. */
export function attemptUsed(before: Progress, usage: Usage): Change {
  const worker = stepWorker(before.pipeline?.name ?? "", levelOf(before, "step")?.name ?? "");
  return tokensCounted(before, { worker, source: ATTEMPT, usage });
}

/** Something more that is finished. */
export function done(before: Progress, what: Done): Change {
  return { done: [...before.done, what] };
}
