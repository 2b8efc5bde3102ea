import { plainName } from "../../journal/exec/place.ts";
import { RuntimeError, UsageError } from "../../base/errors.ts";
import type { RunResult } from "../../run/execution.ts";
import type { Drive } from "./context.ts";
import { fingerprintTask } from "./fingerprint_task.ts";
import type { Action } from "./machine.ts";
import type { ExecState } from "../../journal/exec/state.ts";
import { choosePipeline, parseTask, type Task } from "./task.ts";
import { neededFiles, needsOf } from "./task_order.ts";
import { filesOf, sourceOf } from "./task_folder.ts";
import { present } from "../../base/schema.ts";

/**
 * Begins the next task. Those of a folder that an earlier run has passed are left out, unless they, or their pipeline,
 * have changed.
 */
export async function beginTask(drive: Drive): Promise<boolean> {
  const { target, overrides } = drive;
  for (;;) {
    drive.signal.throwIfAborted();
    const { begun } = drive.state();
    const { over, files, left } = await tasksOf(drive);
    const file = left.find((each) => isDue(each, { files: [...over, ...files], drive }));
    if (file === undefined) return false;
    const of = new Set([...files, ...over]).size;
    const { task, pipeline, fingerprint } = await readWhole(file, drive);
    const run = target.kind === "folder" && overrides.force !== true ? drive.passedTasks?.find(fingerprint) : undefined;
    if (run !== undefined) {
      drive.record({ type: "task_skipped", task: begun + 1, file, run, of });
      continue;
    }
    drive.record({
      type: "task_started",
      task: begun + 1,
      file,
      ...(target.text === undefined ? {} : { isText: true }),
      pipeline,
      steps: (drive.plan.pipelines[pipeline] ?? []).map(({ name }) => name),
      text: task.text,
      of,
      fingerprint,
      ...present({ autonomyLevel: task.autonomyLevel }),
    });
    return true;
  }
}

/** Whether all that a task needs has passed. */
function isDue(file: string, { drive, files }: { readonly files: readonly string[]; readonly drive: Drive }): boolean {
  const over = [...drive.state().passed, ...drive.state().skipped];
  return neededFiles({ needs: needsOf(file, drive.target) }, files).every((other) => over.includes(other));
}

/** The tasks on the disk, and those of them that are due; what is over, or rests, is not. */
export async function tasksOf(drive: Drive) {
  const { passed, skipped, failed, parked } = drive.state();
  const over = new Set([...passed, ...skipped, ...failed, ...parked.map(({ file }) => file)]);
  const files = await onTheWay(drive, () => filesOf(drive.target, { ...drive.overrides, over: [...over] }));
  return { over, files, left: files.filter((each) => !over.has(each)) };
}

/** Takes up a task that has waited: one whose answer this process has not looked for yet, else the first. */
export function takeUpParked(
  { state, record }: Drive,
  tried: ReadonlySet<string>,
  { waits }: { readonly waits: boolean },
): boolean {
  const { parked, questions } = state();
  const task = parked.find(({ file }) => !tried.has(file)) ?? (waits ? parked[0] : undefined);
  if (task === undefined) return false;
  const { number, file, pipeline, steps, step } = task;
  const ids = questions.filter((one) => one.open && one.task === file).map(({ id }) => id);
  record({
    type: "task_continued",
    task: number,
    file,
    pipeline,
    steps: [...steps],
    step: step.number,
    questions: ids,
  });
  return true;
}

interface WholeTask {
  readonly task: Task;
  readonly pipeline: string;
  readonly fingerprint: string;
}

async function readWhole(file: string, drive: Drive): Promise<WholeTask> {
  const { plan, overrides } = drive;
  return await onTheWay(drive, async () => {
    const task = parseTask(sourceOf(file, drive.target), { file });
    const pipeline = choosePipeline(plan, { task, overrides, file });
    return { task, pipeline, fingerprint: await fingerprintTask({ ...task, file, pipeline }, { plan, overrides }) };
  });
}

async function onTheWay<Value>(drive: Drive, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    // panewright was called correctly: the faulty task was met on the way.
    if (!(error instanceof UsageError) || drive.state().begun === 0) throw error;
    throw new RuntimeError(error.message, { cause: error, ...present({ hint: error.hint }) });
  }
}

export async function finishTask(
  { task, reason }: Extract<Action, { do: "finish_task" }>,
  drive: Drive,
): Promise<void> {
  const { number, file } = task;
  const about = { type: "task_finished", task: number, file } as const;
  if (reason !== undefined) return drive.record({ ...about, outcome: "fail", reason });
  const { plan, overrides } = drive;
  const now = task.fingerprint === undefined ? undefined : await fingerprintTask(task, { plan, overrides });
  if (now === undefined || now !== task.fingerprint) return drive.record({ ...about, outcome: "pass" });
  // It counts once the journal says so, too: kept before, it is not lost where the process is killed in between.
  const problem = drive.passedTasks?.keep(now);
  if (problem !== undefined) {
    drive.record({ type: "warning", message: `a later run will do ${plainName(file)} again: ${problem}` });
  }
  drive.record({ ...about, outcome: "pass", fingerprint: now });
}

export function folderResult({ passed, skipped, failed }: ExecState): RunResult {
  if (failed.length > 0) {
    const all = passed.length + skipped.length + failed.length;
    return { outcome: "fail", reason: `${failed.length} of ${all} tasks failed: ${failed.map(plainName).join(", ")}` };
  }
  const before = skipped.length === 0 ? "" : `; ${skipped.length} had passed before`;
  const now = passed.length === 1 ? "all steps of the task passed" : `all ${passed.length} tasks passed`;
  return {
    outcome: "pass",
    reason: passed.length === 0 && skipped.length > 0 ? `all ${skipped.length} tasks had passed before` : now + before,
  };
}
