import type { Clock } from "../../ports/clock.ts";
import { endMarkedTrees } from "../../ports/end_processes.ts";
import { runTestCommand, type TestCommand, type TestCommandResult } from "../test_command.ts";
import type { ReviewRunPlan } from "./plan.ts";

/** Set for the test command and all that it starts, to the run's id. */
const RUN_VARIABLE = "PANEWRIGHT_TEST_OF_RUN";

/** How long a test command that outlived panewright has to end after SIGTERM. */
const TERMINATE_GRACE_MS = 2000;

/**
 * Makes the way in which a run's test command is run. One that an earlier process of the run has left behind is ended
 * first: two at the same time would disturb each other.
 */
export async function createTestCommandRunner(options: {
  readonly plan: Pick<ReviewRunPlan, "workdir" | "loop">;
  readonly runId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<(command: TestCommand) => Promise<TestCommandResult>> {
  const { plan: { workdir, loop }, runId, clock, signal } = options;
  const mark = { name: RUN_VARIABLE, value: runId };
  await endMarkedTrees(mark, { clock, hangupGraceMs: 0, terminateGraceMs: TERMINATE_GRACE_MS });
  return (command) =>
    runTestCommand(command, {
      cwd: workdir,
      timeoutSeconds: loop.testCommandTimeoutSeconds,
      env: { [RUN_VARIABLE]: runId },
      clock,
      signal,
    });
}
