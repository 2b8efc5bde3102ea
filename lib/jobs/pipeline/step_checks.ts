import { noProgressName } from "../../run/no_progress.ts";
import { fingerprintFiles } from "../fingerprint_files.ts";
import { runTestCommand } from "../test_command.ts";
import { checkFiles, type CheckResult, describeCheck, judgeCommand } from "./checks.ts";
import type { Drive } from "./context.ts";
import { type GitWritesOptions, snapshotTree, writesOutside } from "./git_writes.ts";
import type { Action, StepPlace } from "./machine.ts";
import { hasOtherRunsSince } from "./other_runs.ts";
import type { CheckPlan } from "./plan.ts";
import { stepFolder } from "./step_folders.ts";

/** Runs one check of a step. */
export async function runCheck({ at, number, check }: Extract<Action, { do: "check" }>, drive: Drive): Promise<void> {
  const place = { task: at.task.number, step: at.step.number, check: number };
  drive.record({ type: "check_started", ...place, description: describeCheck(check) });
  const startedAtMs = drive.clock.now();
  const result = await resultOf(check, drive);
  const seconds = (drive.clock.now() - startedAtMs) / 1000;
  const mayRepeat = !result.passed && at.plan.retry > 0 &&
    drive.limitOf(noProgressName("maxSameTestOutput")) !== undefined;
  const files = mayRepeat ? await lookAtFiles(at, drive) : undefined;
  drive.record({ type: "check_finished", ...place, ...result, seconds, ...(files === undefined ? {} : { files }) });
}

/** A fingerprint of the files, for comparison within a step; `undefined` where it cannot be told. */
export async function lookAtFiles({ step }: StepPlace, { plan, signal }: Drive): Promise<string | undefined> {
  const sinceMs = Date.parse(step.startedAt);
  return await fingerprintFiles({ workdir: plan.workdir, sinceMs, except: [".panewright"], signal });
}

async function resultOf(check: CheckPlan, { plan: { workdir }, clock, signal }: Drive): Promise<CheckResult> {
  switch (check.type) {
    case "none":
      return { passed: true, detail: "nothing to check", output: "" };
    case "fileExists":
      return await checkFiles(check.paths, { workdir });
    case "shell":
      return judgeCommand(
        check,
        await runTestCommand(check.command, { cwd: workdir, timeoutSeconds: check.timeLimitSeconds, clock, signal }),
      );
  }
}

/**
 * Notes how the files are before a step whose writes are limited.
 *
 * @returns the baseline; `undefined`, with a warning, where git cannot tell
 */
export async function startWatchingWrites(at: StepPlace, drive: Drive): Promise<string | undefined> {
  const baseline = await snapshotTree(gitOptions(at, drive));
  if (baseline === undefined) {
    drive.record({
      type: "warning",
      message:
        `step "${at.plan.name}": file_access cannot be checked, since ${drive.plan.workdir} is in no git repository`,
    });
  }
  return baseline;
}

/** Looks for files that a step has changed outside of what it may. */
export async function runWriteCheck(
  { at, allowWrite }: Extract<Action, { do: "check_writes" }>,
  drive: Drive,
): Promise<void> {
  const { baseline, startedAt } = at.step;
  const place = { task: at.task.number, step: at.step.number };
  const found = baseline === undefined ? [] : await writesOutside({ ...gitOptions(at, drive), baseline, allowWrite });
  if (found === undefined) {
    drive.record({
      type: "warning",
      message: `step "${at.plan.name}": file_access cannot be checked: git does not tell what has changed`,
    });
  }
  const outside = found ?? [];
  const shared = outside.length > 0 && await hasOtherRunsSince(drive.folder, { since: new Date(startedAt) });
  drive.record({
    type: "writes_checked",
    ...place,
    outside,
    enforced: drive.plan.settings.writesOutside === "fail" && !shared,
    ...(shared ? { note: "another run was at work in this directory: whose changes they are cannot be told" } : {}),
  });
}

/** Where git keeps what the write check needs. */
export function scratchOf({ task, step, plan }: StepPlace, { folder, target }: Drive): string {
  return `${folder.stepsDir}/${stepFolder({ target, task: task.number, step: step.number, name: plan.name })}/git`;
}

function gitOptions(at: StepPlace, drive: Drive): GitWritesOptions {
  return { workdir: drive.plan.workdir, scratch: scratchOf(at, drive), signal: drive.signal };
}
