import { resolve } from "@std/path/posix";
import { isAbsence } from "../../base/ports/files.ts";
import { couldNotRun, formatTestCommand, type TestCommandResult } from "../test_command.ts";
import { condense } from "../../base/text/condense.ts";
import { errorText } from "../../base/text/error_text.ts";
import { plainText } from "../../base/text/sanitize.ts";
import { parseReviewVerdict, type ReviewVerdict } from "../verdicts.ts";
import type { CheckPlan, StepPlan } from "./plan.ts";

export interface CheckResult {
  readonly passed: boolean;
  readonly detail: string;
  readonly output: string;
  /** Whether it could not be made: it has failed then, but says nothing of the work. */
  readonly notMade?: true;
  readonly verdict?: ReviewVerdict | "none";
}

export function describeCheck(check: CheckPlan): string {
  switch (check.type) {
    case "none":
      return "nothing to check";
    case "review":
      return "the review approves";
    case "evidence":
      return "evidence";
    case "fileExists":
      return `there is ${check.paths.join(", ")}`;
    case "shell":
      return `${formatTestCommand(check.command)}${check.expect === "fail" ? " (must fail)" : ""}`;
  }
}

/**
 * Judges how the command of a check ended. If it did not end in time, the check has failed, whatever was expected; if
 * it could not be run, or was killed where it must fail, the check was not made.
 */
export function judgeCommand(
  check: { readonly expect: "pass" | "fail"; readonly timeLimitSeconds: number },
  result: TestCommandResult,
): CheckResult {
  const { exitCode, timedOut, output } = result;
  const because = (passed: boolean, detail: string) => ({ passed, detail, output });
  if (timedOut) return because(false, `the check did not end within ${check.timeLimitSeconds} s`);
  if (couldNotRun(result)) {
    return { ...because(false, `the check's command could not be run (exit code ${exitCode})`), notMade: true };
  }
  if (check.expect === "pass") {
    return result.passed ? because(true, "it passed") : because(false, `the check failed with exit code ${exitCode}`);
  }
  if (KILLED.has(exitCode)) {
    const detail = `the check's command was killed (exit code ${exitCode}): cannot tell whether it fails`;
    return { ...because(false, detail), notMade: true };
  }
  return result.passed
    ? because(false, "the check's command passed, but it must fail")
    : because(true, `it failed with exit code ${exitCode}, as it must`);
}

/** The exit codes of what others end: SIGHUP, SIGINT, SIGKILL (as for want of memory), SIGTERM. */
const KILLED: ReadonlySet<number> = new Set([129, 130, 137, 143]);

export function judgeReview(finalText: string): CheckResult {
  if (finalText.trim() === "") {
    const detail = "there is no review: the last message of its agent is empty";
    return { passed: false, detail, output: "", verdict: "none" };
  }
  const verdict = parseReviewVerdict(finalText) ?? "none";
  const detail = verdict === "none" ? "the review states no unambiguous verdict" : `the review says ${verdict}`;
  const output = condense(plainText(finalText), { maxLines: MAX_REVIEW_LINES });
  return { passed: verdict === "APPROVED", detail, output, verdict };
}

/** Lines of a review that are shown with its verdict; an agent that is sent back gets more. */
const MAX_REVIEW_LINES = 60;

export async function checkFiles(
  paths: readonly string[],
  { workdir }: { readonly workdir: string },
): Promise<CheckResult> {
  const missing: string[] = [];
  for (const path of paths) {
    try {
      if (!(await Deno.stat(resolve(workdir, path))).isFile) missing.push(path);
    } catch (error) {
      if (!isAbsence(error)) {
        return {
          passed: false,
          notMade: true,
          detail: `${path} cannot be looked for: ${errorText(error)}`,
          output: "",
        };
      }
      missing.push(path);
    }
  }
  const detail = missing.length === 0 ? `there is ${paths.join(", ")}` : `there is no file ${missing.join(", ")}`;
  return { passed: missing.length === 0, detail, output: "" };
}

/** What must hold of a task's work, whoever has done it: the last checks of its pipeline that need no agent's words. */
export function checksOf(steps: readonly StepPlan[]) {
  const own = steps.map(({ checks }) =>
    checks.flatMap((check) =>
      check.type === "fileExists" || check.type === "shell" && check.expect === "pass" ? [check] : []
    )
  );
  return own.findLast((checks) => checks.length > 0) ?? [];
}

/** The commands of them. */
export function shellChecksOf(steps: readonly StepPlan[]) {
  return checksOf(steps).filter((check) => check.type === "shell");
}

/** What must hold of the work of several tasks, by the steps of each, each check once. */
export function checksOfAll(pipelines: readonly (readonly StepPlan[] | undefined)[]) {
  const all = pipelines.flatMap((steps = []) => checksOf(steps));
  return [...new Map(all.map((check) => [JSON.stringify(check), check])).values()];
}
