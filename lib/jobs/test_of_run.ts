import type { AroundAgent } from "../agents/launch_plan.ts";
import type { Run } from "../run/execution.ts";
import { newCheckMark } from "../run/left_processes.ts";
import { variablesOfWorkspace } from "../workspace/ports.ts";
import { bindCommand } from "./bound_command.ts";
import { runTestCommand, type TestCommand, type TestCommandResult } from "./test_command.ts";

type Parts = Pick<Run<never, never>, "folder" | "bound" | "onForcedExit" | "clock" | "signal">;

/**
 * Runs a test command of a run, with the scripts that the run began with; whoever ends what the run has left knows it by
 * its mark.
 */
export async function runTestOf(
  { folder, bound: { contract, tellChanges }, onForcedExit, clock, signal }: Parts,
  { command, env: set = {}, ...where }: {
    readonly command: TestCommand;
    /** @default {{}} */
    readonly env?: Readonly<Record<string, string>>;
    readonly cwd: string;
    readonly timeoutSeconds: number;
    readonly maxOutputBytes?: number;
    readonly around: AroundAgent | undefined;
  },
): Promise<TestCommandResult> {
  tellChanges();
  using bound = bindCommand(command, { workdir: where.cwd, contract });
  if (bound.problem !== undefined) return notRun(bound.problem);
  const takeBack = onForcedExit(() => bound[Symbol.dispose]());
  try {
    const env = { ...variablesOfWorkspace(where.cwd), ...set };
    const options = { ...where, env, mark: newCheckMark(folder), onForcedExit, clock, signal };
    const result = await runTestCommand(bound.command, options);
    const changed = bound.changedMeanwhile();
    return changed === undefined ? result : notRun(`${changed} was changed while it was run: what ran is not known`);
  } finally {
    takeBack();
  }
}

/** As a shell tells of what it cannot execute: it says nothing of the work. */
function notRun(output: string): TestCommandResult {
  return { passed: false, exitCode: 126, timedOut: false, seconds: 0, output, truncated: false };
}
