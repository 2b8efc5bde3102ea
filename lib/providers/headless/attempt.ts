import { UsageError } from "../../errors.ts";
import { systemHost } from "../../ports/host.ts";
import { systemProcessRunner } from "../../ports/process.ts";
import { errorText } from "../../text/error_text.ts";
import type { StepProvider } from "../provider.ts";
import { requireSandbox } from "../require_sandbox.ts";
import { Account } from "./account.ts";
import type { JudgedCall } from "./call_judge.ts";
import { CliAtWork } from "./cli_at_work.ts";
import { type CommandHooks, openCommandHooks } from "./command_hooks.ts";
import { writeLaunchers } from "./launchers.ts";
import { AgentAskedError, type AttemptRequest, type HeadlessResult } from "./seam.ts";
import { openStepFiles, type StepFiles } from "./step_files.ts";

/** Runs one attempt; see `runHeadless`. */
export async function runAttempt(request: AttemptRequest, provider: StepProvider): Promise<HeadlessResult> {
  const { ask, clock, signal, stepFolder, timeLimitSeconds } = request;
  signal.throwIfAborted();
  const startMs = clock.now();
  await writeLaunchers(ask.launcherFolder, ask);
  await Deno.mkdir(ask.channelFolder, { recursive: true, mode: 0o700 });
  using files = await openStepFiles(stepFolder, () => new Date());
  const account = new Account({
    askCommands: ask.commands,
    ...(provider.failures === undefined ? {} : { failures: provider.failures }),
    hasLog: provider.headless.openLog !== undefined,
    onFact(fact) {
      files.fact(fact);
      request.onProgress?.(fact);
    },
  });
  if (request.sandbox !== undefined) {
    const { sandbox, env } = request;
    const about = { name: "the agent", sandbox, host: systemHost(env), processRunner: systemProcessRunner };
    await requireSandbox(provider, { ...request, ...about });
  }
  await using hooks = await openHooks(request, files);
  if (hooks === undefined && request.judge?.judgesAll === true) throw notJudged(provider, "there is no place for them");
  const work = new CliAtWork(request, { account, provider, files, hooks });
  const { end, exitCode, stderr } = await work.run();
  const { sandbox } = work;
  if (stderr !== "") files.note(`stderr: ${stderr}`);
  if (sandbox?.problem !== undefined) throw notInSandbox(provider, sandbox.problem);
  const requireReadBack = () => {
    if (sandbox?.turns === 0) throw notInSandbox(provider, "its session log tells nothing of the turn");
  };

  const { question, sessionId, usage } = account;
  const known = {
    attemptLog: account.log.text(),
    usage,
    seconds: (clock.now() - startMs) / 1000,
    ...(sessionId === undefined ? {} : { sessionId }),
  };
  const asked = (text: string, call?: JudgedCall) => {
    requireReadBack();
    files.note(`asked: ${text}`);
    return new AgentAskedError(text, { ...known, ...(call === undefined ? {} : { call }) });
  };
  if (question !== undefined) throw asked(question);
  if (end === "unjudged") throw notJudged(provider, "they do not tell of its calls");
  if (work.halted !== undefined) throw asked(work.halted.question, work.halted.call);
  if (end === "aborted") {
    files.note("stopped");
    throw signal.reason;
  }
  const timedOut = end === "time limit" && timeLimitSeconds !== undefined;
  const result = account.result({
    exitCode,
    stderr,
    lingered: end === "lingered",
    ...(timedOut ? { timedOutAfterSeconds: timeLimitSeconds } : {}),
  });
  if (result.outcome === "completed") requireReadBack();
  // Nobody knows whether it was reached: what nobody has answered must not pass.
  const undecided = result.outcome === "completed" ? account.undecidedQuestion : undefined;
  if (undecided !== undefined) throw asked(undecided);
  files.note(result.outcome === "completed" ? "completed" : `failed: ${result.error ?? "unknown"}`);
  return { ...result, ...known };
}

/** Without hooks session log and report have to do. */
async function openHooks(request: AttemptRequest, files: StepFiles): Promise<CommandHooks | undefined> {
  const { ask, clock, judge, onProgress, refuseWrite } = request;
  if (ask.hookFolder === undefined) return undefined;
  try {
    return await openCommandHooks(ask.hookFolder, { clock, refuseWrite, judge });
  } catch (error) {
    const text = `the CLI's hooks cannot tell of commands: ${errorText(error)}`;
    files.note(text);
    onProgress?.({ type: "trouble", text });
    return undefined;
  }
}

function notJudged({ label }: StepProvider, problem: string): UsageError {
  return new UsageError(
    `Cannot keep the rules of permissions.deny and permissions.ask, which need the hooks of ${label}: ${problem}`,
    {
      hint: "Codex has such hooks from 0.130.0 on, and a --settings among the arguments of Claude Code replaces them.",
    },
  );
}

function notInSandbox({ label, sandbox }: StepProvider, problem: string): UsageError {
  const remedy = sandbox?.remedy;
  return new UsageError(`Cannot run the step in a sandbox: that of ${label} is not on: ${problem}`, {
    ...(remedy === undefined ? {} : { hint: remedy }),
  });
}
