import { UsageError } from "../../base/errors.ts";
import { LineSplitter } from "../../base/follow/line_splitter.ts";
import { systemHost } from "../../base/ports/host.ts";
import { keepTail } from "../../base/ports/tail.ts";
import { type ProcessGroup, startProcessGroup } from "../../base/ports/process_group.ts";
import { present } from "../../base/schema.ts";
import { awaitProgram } from "../await_program.ts";
import { confined } from "../launch_plan.ts";
import type { CommandHookSet } from "./command_hooks.ts";
import type { CliStart } from "./start.ts";

interface ProcessStart {
  readonly text: string;
  readonly sessionId: string | undefined;
  readonly hooks: CommandHookSet | undefined;
  readonly onLine: (line: string) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface CliProcess extends ProcessGroup {
  /** The end of what it has written to its standard error. */
  stderrTail(): string;
}

const MAX_STDERR_BYTES = 8000;

/**
 * Starts a CLI without a terminal for one message; each line of its report is told, an unfinished one once it is stopped.
 *
 * @throws {UsageError} when there is no such program
 */
export async function startCliProcess(
  { ask, clock, launch, mark, onProgramGone: tell, provider: { cli, headless }, variables = {} }: CliStart,
  { text, sessionId, hooks, onLine, signal }: ProcessStart,
): Promise<CliProcess> {
  const { env = {}, workdir } = launch;
  await awaitProgram({ ...launch, cli }, { clock, signal, tell });
  const plan = await headless.plan({ ...launch, resumeSessionId: sessionId }, {
    host: systemHost(env),
    path: env["PATH"] ?? Deno.env.get("PATH") ?? "",
    variables: { ...variables, [mark.name]: mark.value },
    ...present({ ask, hooks }),
  });
  const { sandbox } = launch;
  const started = await confined({ argv: plan.argv, env: plan.env, cwd: workdir }, { sandbox });
  const report = new LineSplitter();
  const stderr = keepTail(MAX_STDERR_BYTES);
  try {
    const group = startProcessGroup({
      ...{ ...started, stdin: text, mark, clock },
      onStdout: (bytes) => report.push(bytes).forEach(onLine),
      onStderr: (bytes) => stderr.push(bytes),
    });
    const stop = async () => {
      await group.stop();
      const rest = report.unfinished();
      if (rest !== "") onLine(rest);
    };
    return { ...group, stop, stderrTail: () => stderr.text() };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new UsageError(`Cannot start ${plan.argv[0]}: there is no such program, or no folder ${workdir}`, {
      ...present({ hint: cli?.installHint }),
      cause: error,
    });
  }
}
