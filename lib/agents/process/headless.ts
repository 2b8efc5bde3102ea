import { runAttempt } from "./attempt.ts";
import type { AttemptRequest, HeadlessResult } from "./seam.ts";
import type { StepProvider } from "../provider.ts";

export * from "./seam.ts";

/** One attempt of a step, and whose agent it is. */
export interface HeadlessRequest extends AttemptRequest {
  readonly provider: StepProvider;
}

/**
 * Runs an agent without a terminal, to the end of its turn: `codex exec` or `claude -p`, in a process group of its own.
 *
 * Whatever happens, nothing of its process tree is left when this settles. A turn that failed, or was stopped by the
 * time limit, is a result as well.
 *
 * @throws {AgentAskedError} when the agent asks a person
 * @throws the signal's reason when it is aborted
 * @throws {UsageError} when there is no such program
 */
export async function runHeadless(request: HeadlessRequest): Promise<HeadlessResult> {
  return await runAttempt(request, request.provider);
}
