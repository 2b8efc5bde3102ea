import { type ProcessRunner, systemProcessRunner } from "../../base/ports/process.ts";
import type { PostProcessingPlan } from "./plan.ts";
import { errorText } from "../../base/text/error_text.ts";
import { present } from "../../base/schema.ts";

const TIMEOUT_SECONDS = 120;

export interface PostProcessOptions {
  readonly workdir: string;
  readonly done: readonly string[];
  readonly onEnd: (command: string, problem: string | undefined) => void;
  readonly processRunner?: ProcessRunner;
  readonly signal?: AbortSignal;
}

/**
 * What is done with the working directory after PASS: the openspec change is archived, then everything is committed.
 * Nothing follows a command that fails; the work itself has passed and stays passed.
 */
export async function postProcess(plan: PostProcessingPlan, options: PostProcessOptions): Promise<void> {
  const { workdir, done, onEnd, processRunner = systemProcessRunner, signal } = options;
  for (const argv of postProcessCommands(plan)) {
    const command = argv.join(" ");
    if (done.includes(command)) continue;
    const problem = await runStep(argv);
    onEnd(command, problem);
    if (problem !== undefined) return;
  }

  async function runStep(argv: readonly [string, ...string[]]): Promise<string | undefined> {
    const spelled = argv.join(" ");
    try {
      const result = await processRunner.run({
        argv,
        cwd: workdir,
        timeoutMs: TIMEOUT_SECONDS * 1000,
        ...present({ signal }),
      });
      if (result.code === 0) return undefined;
      const output = `${result.stdout}\n${result.stderr}`.trim().split("\n").slice(-3).join(" / ");
      return `Cannot finish the post-processing: "${spelled}" ended with code ${result.code}: ${output}`;
    } catch (error) {
      signal?.throwIfAborted();
      return `Cannot finish the post-processing: "${spelled}": ${errorText(error)}`;
    }
  }
}

function postProcessCommands(plan: PostProcessingPlan): [string, ...string[]][] {
  const commands: [string, ...string[]][] = [];
  if (plan.openspecChange !== undefined) commands.push(["openspec", "archive", plan.openspecChange, "--yes"]);
  if (plan.gitCommitMessage !== undefined) {
    commands.push(["git", "add", "--all"], ["git", "commit", "--message", plan.gitCommitMessage]);
  }
  return commands;
}
