import { UsageError } from "../../base/errors.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { CliStepProvider } from "../provider.ts";
import type { AgentEnd, AttemptParts } from "./attempt_watch.ts";
import { CliAtWork } from "./cli_at_work.ts";
import { type CommandHooks, openCommandHooks } from "./command_hooks.ts";
import type { AttemptRequest } from "./seam.ts";
import type { StepFiles } from "./step_files.ts";
import { present } from "../../base/schema.ts";

export async function workByCli(
  request: AttemptRequest,
  { account, files, provider }: AttemptParts & { readonly provider: CliStepProvider },
): Promise<AgentEnd> {
  await using hooks = await openHooks(request, files);
  if (hooks === undefined && request.judge?.judgesAll === true) throw notJudged(provider, "there is no place for them");
  const work = new CliAtWork(request, { account, provider, files, hooks });
  const ended = await work.run();
  if (ended.stderr !== "") files.note(`stderr: ${ended.stderr}`);
  const { sandbox } = work;
  if (sandbox?.problem !== undefined) throw notInSandbox(provider, sandbox.problem);
  return {
    ...ended,
    ...(ended.end === "unjudged" ? { error: notJudged(provider, "they do not report its calls") } : {}),
    ...(sandbox?.turns === 0 ? { unproven: notInSandbox(provider, "its session log tells nothing of the turn") } : {}),
  };
}

async function openHooks(request: AttemptRequest, files: StepFiles): Promise<CommandHooks | undefined> {
  const { ask, clock, judge, onProgress, refuseWrite } = request;
  if (ask.hookFolder === undefined) return undefined;
  try {
    return await openCommandHooks(ask.hookFolder, { clock, refuseWrite, judge });
  } catch (error) {
    const text = `the CLI's hooks cannot report commands: ${errorText(error)}`;
    files.note(text);
    onProgress?.({ type: "trouble", text });
    return undefined;
  }
}

function notJudged({ label }: CliStepProvider, problem: string): UsageError {
  return new UsageError(
    `Cannot keep the rules of permissions.deny and permissions.ask, which need the hooks of ${label}: ${problem}`,
    {
      hint: "Codex has such hooks from 0.130.0 on, and a --settings among the arguments of Claude Code replaces them.",
    },
  );
}

function notInSandbox({ label, sandbox }: CliStepProvider, problem: string): UsageError {
  const remedy = sandbox?.remedy;
  return new UsageError(`Cannot run the step in a sandbox: that of ${label} is not on: ${problem}`, {
    ...present({ hint: remedy }),
  });
}
