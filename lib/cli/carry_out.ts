import type { ShownRecord } from "../journal/describe.ts";
import type { RunOptions, RunResult } from "../run/execution.ts";
import { privateWordsOf } from "../base/redact/secret_patterns.ts";
import { type CliIo, type GlobalFlags, switchFlag } from "./console/command.ts";
import { openTerminalPerson, type TerminalPerson } from "./console/ask_person.ts";
import type { LiveOutput } from "./show/live_output.ts";

export const NO_INPUT_FLAG = switchFlag("never ask at this terminal: a question stops the run with exit code 3");

export interface Surroundings {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly workdir: string;
  readonly output: LiveOutput;
  /** Whether nobody is to be asked at this terminal. @default {false} */
  readonly noInput?: boolean;
}

type CommonOptions = RunOptions<ShownRecord> & {
  /** Missing where nobody sits at a terminal. */
  readonly person: TerminalPerson | undefined;
  readonly isPatient: boolean;
};

/** What commands about a run need besides its id, where they are called from the same folder. */
export async function whereOf(workdir: string, { cwd }: Pick<CliIo, "cwd">): Promise<readonly string[]> {
  return workdir === await Deno.realPath(cwd) ? [] : ["--wd", workdir];
}

/**
 * Executes a run with this command line around it.
 *
 * @returns the exit code: 0 for a job that passed, 1 for one that failed, 3 for one that waits for an answer
 */
export async function carryOut(
  { io, global, workdir, output, noInput = false }: Surroundings,
  execute: (options: CommonOptions) => Promise<RunResult>,
): Promise<number> {
  const hasPerson = io.isTerminal.stdin && io.isTerminal.stderr && !global.json && !noInput;
  const { detached } = io;
  using person = hasPerson ? openTerminalPerson(io) : undefined;
  let telling: Promise<void> | undefined;
  /** Beside the run, and not before this process has it: it tells its own end itself. */
  const tellEarlier = () => telling ??= tellEarlierEnds(workdir, io);
  await using _told = { [Symbol.asyncDispose]: async () => void (io.signal.aborted || await tellEarlier()) };
  const { outcome } = await execute({
    whereArguments: await whereOf(workdir, io),
    onEvent(event) {
      tellEarlier();
      detached?.onRecord(event);
      output.onEvent(event);
    },
    ...(detached === undefined ? {} : { startedBy: detached.by }),
    ...(detached?.request === undefined ? {} : { request: detached.request }),
    // Whoever has started it cannot be told at its end how to resume it; a worker of a fleet is.
    isPatient: detached !== undefined && detached.mirror === undefined,
    signal: io.signal,
    secrets: privateWordsOf(Deno.env.toObject(), "").secrets ?? [],
    onForcedExit: io.onForcedExit,
    person,
    // The run would not be executed with a configuration that is not trusted.
    giveAnswer: async (folder, press) =>
      (await import("../api/control/give_answer.ts")).giveAnswer(folder, { ...press, by: "notification" }, {
        requireTrust: () => Promise.resolve(),
      }),
  });
  return { pass: 0, fail: 1, waiting: 3 }[outcome];
}

/** What an earlier run has left must not end this one. */
async function tellEarlierEnds(workdir: string, io: CliIo): Promise<void> {
  try {
    await (await import("./tell_earlier_ends.ts")).tellEarlierEnds(workdir, io);
  } catch { /* it stays for "notify flush" */ }
}
