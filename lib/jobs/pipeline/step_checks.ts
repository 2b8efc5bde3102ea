import type { AroundAgent } from "../../agents/launch_plan.ts";
import { noProgressName } from "../../run/no_progress.ts";
import { fingerprintFiles } from "../files/fingerprint.ts";
import { runTestOf } from "../test_of_run.ts";
import { checkFiles, type CheckResult, describeCheck, judgeCommand, judgeReview, shellChecksOf } from "./checks.ts";
import type { Drive } from "./context.ts";
import type { Action, StepPlace } from "./machine.ts";
import type { CheckPlan } from "./plan.ts";
import { present } from "../../base/schema.ts";

export async function runCheck({ at, number, check }: Extract<Action, { do: "check" }>, drive: Drive): Promise<void> {
  const place = { task: at.task.number, step: at.step.number, check: number };
  const description = describeCheck(check);
  drive.record({ type: "check_started", ...place, description });
  const startedAtMs = drive.clock.now();
  const { workdir, sandboxOfCommands: around } = drive.plan;
  const result = check.type === "review"
    ? judgeReview(at.step.finalText)
    : check.type === "evidence"
    ? await judgeEvidence(at, drive)
    : await makeCheck(check, { run: drive, workdir, around });
  const seconds = (drive.clock.now() - startedAtMs) / 1000;
  const mayRepeat = !result.passed && result.notMade !== true && at.plan.retry > 0 &&
    drive.limitOf(noProgressName("maxSameTestOutput")) !== undefined;
  const files = mayRepeat ? await lookAtFiles(at, drive) : undefined;
  drive.record({
    type: "check_finished",
    ...place,
    description,
    ...result,
    seconds,
    ...present({ files }),
  });
}

/** A fingerprint of the files, for comparison within a step; `undefined` where it cannot be told. */
export async function lookAtFiles({ step }: StepPlace, { plan, signal }: Drive): Promise<string | undefined> {
  const sinceMs = Date.parse(step.startedAt);
  return await fingerprintFiles({ workdir: plan.workdir, sinceMs, except: [".panewright"], signal });
}

/** Looks whether what the checks of this step, or of one before it, have passed holds. */
async function judgeEvidence({ step, task }: StepPlace, { judge, plan }: Drive): Promise<CheckResult> {
  const steps = plan.pipelines[task.pipeline]?.slice(0, step.number) ?? [];
  const { how, output, problem } = await judge(shellChecksOf(steps));
  return { passed: problem === undefined, detail: how, output };
}

/** Makes a check that needs no agent's words, in a folder. */
export async function makeCheck(
  check: Exclude<CheckPlan, { type: "review" | "evidence" }>,
  { run, workdir, around }: {
    readonly run: Parameters<typeof runTestOf>[0];
    readonly workdir: string;
    readonly around: AroundAgent | undefined;
  },
): Promise<CheckResult> {
  switch (check.type) {
    case "none":
      return { passed: true, detail: "nothing to check", output: "" };
    case "fileExists":
      return await checkFiles(check.paths, { workdir });
    case "shell":
      return judgeCommand(
        check,
        await runTestOf(run, {
          ...{ command: check.command, cwd: workdir, timeoutSeconds: check.timeLimitSeconds, around },
        }),
      );
  }
}
