import type { Run } from "../../run/conduct.ts";
import { checkMark, endLeftProcesses } from "../../run/left_processes.ts";
import { runTestCommand, type TestCommand, type TestCommandResult } from "../test_command.ts";
import type { ReviewRunPlan } from "./plan.ts";

/**
 * Makes the way in which a run's test command is run. One that an earlier process of the run has left behind is ended
 * first: two at the same time would disturb each other.
 */
export async function createTestCommandRunner(
  options: Pick<Run<never, never>, "folder" | "onForcedExit" | "clock" | "signal"> & {
    readonly plan: Pick<ReviewRunPlan, "workdir" | "loop">;
  },
): Promise<(command: TestCommand) => Promise<TestCommandResult>> {
  const { plan: { workdir, loop }, folder, onForcedExit, clock, signal } = options;
  await endLeftProcesses(folder, { clock });
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
