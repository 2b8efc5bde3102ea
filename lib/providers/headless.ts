import { claudeHeadless } from "./claude_code/headless/cli.ts";
import { codexHeadless } from "./codex/headless/cli.ts";
import { runAttempt } from "./headless/attempt.ts";
import type { HeadlessCli } from "./headless/cli.ts";
import type { HeadlessProvider, HeadlessRequest, HeadlessResult } from "./headless/seam.ts";

export * from "./headless/seam.ts";

/** Every CLI that can run a step without a terminal: the one list of them. */
const HEADLESS_CLIS: Readonly<Record<HeadlessProvider, HeadlessCli>> = {
  codex: codexHeadless,
  claude_code: claudeHeadless,
};

/**
 * Runs an agent without a terminal, to the end of its turn: `codex exec` or `claude -p`, in a process group of its own.
 *
 * Whatever happens, nothing of its process tree is left when this settles. A turn that failed, or was stopped by the time limit,
 * is a result as well.
 *
 * @throws {AgentAskedError} when the agent asks a person
 * @throws the signal's reason when it is aborted
 * @throws {UsageError} when there is no such program
 */
export async function runHeadless(request: HeadlessRequest): Promise<HeadlessResult> {
  return await runAttempt(request, HEADLESS_CLIS[request.provider]);
}
