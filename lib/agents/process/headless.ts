import { Account } from "./account.ts";
import type { Request } from "../../policy/request.ts";
import { Attempt } from "./attempt.ts";
import { writeLaunchers } from "./launchers.ts";
import { AgentAskedError, type AttemptRequest, type HeadlessResult } from "./seam.ts";
import { openStepFiles } from "./step_files.ts";
import { present } from "../../base/schema.ts";

/**
 * Runs an agent without a terminal, to the end of its turn. Whatever happens, nothing of its process tree is left when
 * this settles; a turn that failed, or was stopped by the time limit, is a result as well.
 *
 * @throws {AgentAskedError} when the agent asks a person
 * @throws the signal's reason when it is aborted
 * @throws {UsageError} when there is no such program
 */
export async function runHeadless(request: AttemptRequest): Promise<HeadlessResult> {
  const { provider, ask, clock, signal, stepFolder, timeLimitSeconds } = request;
  signal.throwIfAborted();
  const startMs = clock.now();
  await writeLaunchers(ask.launcherFolder, ask);
  await Deno.mkdir(ask.channelFolder, { recursive: true, mode: 0o700 });
  using files = await openStepFiles(stepFolder, () => new Date());
  const account = new Account({
    askCommands: ask.commands,
    ...present({ failures: provider.failures }),
    onFact(fact) {
      files.fact(fact);
      request.onProgress?.(fact);
    },
  });
  const { end, exitCode, stderr, halted, error, unproven } = await new Attempt(request, { account, files }).run();
  const requireProof = () => {
    if (unproven !== undefined) throw unproven;
  };

  const { compacted, cost, question, sessionId, usage } = account;
  const known = {
    attemptLog: account.log.text(),
    usage,
    seconds: (clock.now() - startMs) / 1000,
    ...present({ compacted, cost, sessionId }),
  };
  const asked = (
    text: string,
    { call, others = [] }: { readonly call?: Request; readonly others?: readonly string[] },
  ) => {
    requireProof();
    for (const one of [text, ...others]) files.note(`asked: ${one}`);
    return new AgentAskedError(text, { ...known, others, ...present({ call }) });
  };
  if (question !== undefined) throw asked(question, { others: account.otherQuestions });
  if (error !== undefined) throw error;
  if (halted !== undefined) throw asked(halted.question, present({ call: halted.call }));
  if (end === "aborted") {
    files.note("stopped");
    throw signal.reason;
  }
  const timedOut = end === "time_limit" && timeLimitSeconds !== undefined;
  const result = account.result({
    exitCode,
    stderr,
    isTurnOver: end === "turn_over",
    ...(timedOut ? { timedOutAfterSeconds: timeLimitSeconds } : {}),
  });
  if (result.outcome === "completed") requireProof();
  // Nobody knows whether it was reached: what nobody has answered must not pass.
  const undecided = result.outcome === "completed" ? account.undecidedQuestion : undefined;
  if (undecided !== undefined) throw asked(undecided, {});
  files.note(result.outcome === "completed" ? "completed" : `failed: ${result.error ?? "unknown"}`);
  return { ...result, ...known };
}
