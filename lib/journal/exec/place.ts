import { present } from "../../base/schema.ts";
import type { Usage } from "../../base/usage.ts";
import { type Change, type Done, levelOf, type Progress, tokensCounted } from "../progress.ts";
import type { Worker } from "../workers.ts";
import { ATTEMPT, stepWorker } from "./state.ts";
import { basename } from "@std/path/posix";
import { clip, displayWidth } from "../../base/text/display_width.ts";

export function stepLevel(number: number, steps: readonly string[]) {
  const name = steps[number - 1];
  return { unit: "step", number, of: steps.length, ...present({ name }) } as const;
}

export function changeAgent({ workers }: Progress, change: Partial<Worker>): Pick<Progress, "workers"> {
  return { workers: workers.map((worker) => ({ ...worker, ...change })) };
}

export function attemptUsed(before: Progress, usage: Usage): Change {
  const worker = stepWorker(before.pipeline?.name ?? "", levelOf(before, "step")?.name ?? "");
  return tokensCounted(before, { worker, source: ATTEMPT, usage });
}

export function done(before: Progress, what: Done): Change {
  return { done: [...before.done, what] };
}

export function turnOf({ task, step, attempt }: Readonly<Record<"task" | "step" | "attempt", number>>): string {
  return `t${task}-s${step}-a${attempt}`;
}

const MAX_TITLE_COLUMNS = 60;

export function titleOf(text: string): string {
  const first = text.trim().split("\n", 1)[0] ?? "";
  const isLong = displayWidth(first) > MAX_TITLE_COLUMNS;
  return `"${isLong ? `${clip(first, MAX_TITLE_COLUMNS - 1)}…` : first}"`;
}

/** The name of a task, for people: that of its file, without `.md`. */
export function plainName(file: string): string {
  return basename(file).replace(/\.md$/i, "");
}
