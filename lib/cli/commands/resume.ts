import { basename } from "@std/path/posix";
import { UsageError } from "../../errors.ts";
import { loadSettings } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { listRunIds } from "../../run/find_run.ts";
import { cutDamagedJournal } from "../../run/read_journal.ts";
import { lockRun } from "../../run/run_lock.ts";
import { type RunFolder, runFolderAt } from "../../run/run_folder.ts";
import { canResume } from "../../run/condition.ts";
import { readOverview } from "../../run/overview.ts";
import type { Progress } from "../../run/progress.ts";
import { readProgress } from "../../run/read_progress.ts";
import { JOBS } from "../../jobs/mod.ts";
import { resumeExec } from "../../jobs/pipeline/execute.ts";
import { tryReadExecRun } from "../../jobs/pipeline/read_run.ts";
import { resumeReviewRun } from "../../jobs/review_loop/execute.ts";
import { tryReadReviewRun } from "../../jobs/review_loop/read_run.ts";
import type { RunState } from "../../jobs/review_loop/run_state.ts";
import type { RunHead } from "../../jobs/pipeline/state.ts";
import { type CliIo, defineCommand, type GlobalFlags } from "../console/command.ts";
import { NO_INPUT_FLAG, withExecOptions } from "./exec.ts";
import { loadExecConfig } from "../exec_config.ts";
import { openLiveOutput } from "../show/live_output.ts";
import { findNamedRun, findRunsWorkdir, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { executeRun } from "./run.ts";

/** `panewright resume [RUN]` */
export const command = defineCommand({
  description:
    "Goes on with a run of `panewright run` or `panewright exec` from where its journal says that it stands: after an answer, a " +
    "failure, Ctrl-C, kill -9 or a crash of the machine. Without RUN it is the newest one that is not over.\n\nOf a review loop " +
    "the finished turns stay finished, agents that are alive go on, those that are not are started again (with the session of their " +
    "CLI where it can be gone on with), and a response that was written meanwhile is taken. Of a pipeline a question that is still " +
    "open is asked again, and a step that failed gets its tries anew.\n\nThe configuration is read anew: what was wrong with it can be " +
    "put right before. The exit codes are those of `panewright run` and `panewright exec`.",
  arguments: [RUN_ARGUMENT],
  flags: [
    NO_INPUT_FLAG,
    WORKDIR_FLAG,
    {
      name: "from-last-good",
      type: "switch",
      description: "cut a damaged journal before the damage, keep the rest beside it, and go on from there",
    },
  ],
  examples: [
    { command: "resume", description: "go on with the newest run of this folder that is not over" },
    { command: "resume 20261120-072605-3fa9", description: "go on with this one, after its question was answered" },
  ],
  async run({ flags, positionals, global }, io) {
    const [name] = positionals;
    const folder = name === undefined ? await findUnfinishedRun(io, flags.wd) : await findNamedRun(io, name, flags.wd);
    if (flags["from-last-good"] === true) await repair(folder, io);
    const exec = await tryReadExecRun(folder);
    const noInput = flags["no-input"] === true;
    if (exec !== undefined) return await goOnWithExec(folder, { head: exec.state.run, io, global, noInput });
    const review = await tryReadReviewRun(folder);
    if (review !== undefined) return await goOnWithReview(folder, { head: review.head, io, global, noInput });
    throw new UsageError(`Cannot go on with run ${folder.id}: it was broken off before it began`, {
      hint: "Nothing was done yet: start it anew.",
    });
  },
});

interface GoOn<Head> {
  readonly head: Head;
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly noInput: boolean;
}

async function goOnWithExec(folder: RunFolder, { head, io, global, noInput }: GoOn<RunHead>): Promise<number> {
  using progress = openLiveOutput("exec", { io, global, earlier: await readEarlier(folder) });
  const config = await loadExecConfig(io, {
    flags: { wd: head.workdir },
    ...(head.configFile === null ? {} : { path: head.configFile }),
  }, ({ where, message }) => progress.onEvent({ type: "warning", message: `${where}: ${message}` }));
  return await withExecOptions(
    { io, global, config, noInput, onEvent: progress.onEvent },
    (options) => resumeExec(folder, options),
  );
}

async function goOnWithReview(
  folder: RunFolder,
  { head, io, global, noInput }: GoOn<RunState["head"]>,
): Promise<number> {
  const { origin, task, workdir } = head;
  const loaded = await loadSettings({
    cwd: origin.cwd,
    env: (name) => io.env(name),
    flags: origin.flags,
    ...(origin.configFile === null ? {} : { path: origin.configFile }),
  });
  if (loaded.workdir !== workdir) {
    throw new UsageError(
      `Cannot go on with run ${folder.id}: it works in ${workdir}, and its configuration now names ` +
        loaded.workdir,
      { hint: "Put the configuration's working directory right, or start the run anew." },
    );
  }
  const plan = toRunPlan({ ...loaded, job: task });
  const isTerminal = noInput ? { ...io.isTerminal, stdin: false } : io.isTerminal;
  const run = (options: Parameters<typeof resumeReviewRun>[1]) => resumeReviewRun(folder, options);
  return await executeRun(plan, { io: { ...io, isTerminal }, global, earlier: await readEarlier(folder), run });
}

/** How a run stood when it was broken off, for the live line. */
async function readEarlier(folder: RunFolder): Promise<Progress | undefined> {
  return (await readProgress(folder, JOBS)).progress;
}

/** Cuts a damaged journal, unless a process writes to it. */
async function repair(folder: RunFolder, io: CliIo): Promise<void> {
  using _owned = await lockRun(folder);
  const cut = await cutDamagedJournal(folder.journalPath);
  if (cut === undefined) return io.stderr(`The journal of run ${folder.id} is whole: nothing was cut.\n`);
  io.stderr(
    `The journal of run ${folder.id} was cut before line ${cut.line}; the other ${cut.bytes} bytes are kept in ` +
      `${basename(cut.keptAs)}.\n`,
  );
}

/** The newest run that can be gone on with. */
async function findUnfinishedRun(io: CliIo, wd: string | undefined): Promise<RunFolder> {
  const workdir = await findRunsWorkdir(io, wd);
  for (const id of (await listRunIds(workdir)).toReversed()) {
    const overview = await readOverview(runFolderAt(workdir, id), JOBS, { brief: true });
    const { condition, executed, folder, progress } = overview;
    // One that is executed or unreadable is meant as well: what is in the way is told when it is opened.
    if (executed || condition === "unreadable" || canResume(condition, { job: progress?.job, executed })) return folder;
  }
  throw new UsageError(`Cannot go on with a run in ${workdir}: there is none that is not over`, {
    hint: "Runs are kept in .panewright/runs of the working directory: call it there, or name it with --wd.",
  });
}
