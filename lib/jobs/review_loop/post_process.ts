import { withoutRepository } from "../../base/ports/git.ts";
import { changedActs, gitActs } from "../files/git_acts.ts";
import { type ProcessRunner, systemProcessRunner } from "../../base/ports/process.ts";
import type { PostProcessingPlan } from "./plan.ts";
import { errorText } from "../../base/text/error_text.ts";
import { present } from "../../base/schema.ts";

const TIMEOUT_SECONDS = 120;

export interface PostProcessOptions {
  readonly workdir: string;
  /** By what git would have run something when the run began; undefined where that was not noted. */
  readonly acts: readonly string[] | undefined;
  readonly done: readonly string[];
  readonly onEnd: (command: string, problem: string | undefined) => void;
  readonly processRunner?: ProcessRunner;
  readonly signal?: AbortSignal;
}

/**
 * What is done with the working directory after PASS: the openspec change is archived, then everything is committed.
 * Nothing follows a command that fails; the work itself has passed and stays passed. git runs with the person's hooks:
 * where one is not as it was before the agents worked, nothing is committed.
 */
export async function postProcess(plan: PostProcessingPlan, options: PostProcessOptions): Promise<void> {
  const { workdir, acts, done, onEnd, processRunner = systemProcessRunner, signal } = options;
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
      const why = argv[0] === "git" ? await whyUnsafe() : undefined;
      if (why !== undefined) return `Cannot finish the post-processing: "${spelled}" was not run: ${why}`;
      const result = await processRunner.run({
        argv,
        cwd: workdir,
        ...(argv[0] === "git" ? { env: withoutRepository(), clearEnv: true } : {}),
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

  /** The hooks, filters and programs of git are the person's as long as they are as they were before any agent worked. */
  async function whyUnsafe(): Promise<string | undefined> {
    if (acts === undefined) return "it was not noted what git would run before the agents worked";
    const changed = changedActs(acts, await gitActs({ folder: workdir, ...present({ signal }) }));
    if (changed.length === 0) return undefined;
    const named = changed.slice(0, MAX_NAMED).join(", ");
    return `what git would run has changed since the run began: ${named}${changed.length > MAX_NAMED ? ", …" : ""}`;
  }
}

const MAX_NAMED = 10;

function postProcessCommands(plan: PostProcessingPlan): [string, ...string[]][] {
  const commands: [string, ...string[]][] = [];
  if (plan.openspecChange !== undefined) commands.push(["openspec", "archive", plan.openspecChange, "--yes"]);
  if (plan.gitCommitMessage !== undefined) {
    commands.push(["git", "add", "--all"], ["git", "commit", "--message", plan.gitCommitMessage]);
  }
  return commands;
}
