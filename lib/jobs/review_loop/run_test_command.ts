import type { Run } from "../../run/execution.ts";
import { checkMark } from "../../run/left_processes.ts";
import { runTestCommand, type TestCommand, type TestCommandResult } from "../test_command.ts";
import type { ReviewRunPlan } from "./plan.ts";

export function createTestCommandRunner(
  options: Pick<Run<never, never>, "folder" | "onForcedExit" | "clock" | "signal"> & {
    readonly plan: Pick<ReviewRunPlan, "workdir" | "loop">;
  },
): (command: TestCommand) => Promise<TestCommandResult> {
  const { plan: { workdir, loop }, folder, onForcedExit, clock, signal } = options;
  return (command) =>
    runTestCommand(command, {
      cwd: workdir,
      timeoutSeconds: loop.testCommandTimeoutSeconds,
      mark: checkMark(folder),
      onForcedExit,
      clock,
      signal,
    });
}
