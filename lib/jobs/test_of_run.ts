import type { Run } from "../run/execution.ts";
import { checkMark } from "../run/left_processes.ts";
import { runTestCommand, type TestCommand, type TestCommandResult } from "./test_command.ts";

/** Runs a test command of a run; whoever ends what the run has left knows it by its mark. */
export async function runTestOf(
  { folder, onForcedExit, clock, signal }: Pick<Run<never, never>, "folder" | "onForcedExit" | "clock" | "signal">,
  { command, ...where }: { readonly command: TestCommand; readonly cwd: string; readonly timeoutSeconds: number },
): Promise<TestCommandResult> {
  return await runTestCommand(command, { ...where, mark: checkMark(folder), onForcedExit, clock, signal });
}
