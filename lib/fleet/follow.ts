import { tryLockFile } from "../base/ports/lock_file.ts";
import type { Clock } from "../base/ports/clock.ts";
import { errorText } from "../base/text/error_text.ts";
import { takeStopWish } from "../run/elsewhere.ts";
import { claimRunMail } from "../run/run_mail.ts";
import { type RunFolder, runFolderAt } from "../run/run_folder.ts";
import { RuntimeError } from "../base/errors.ts";
import { holdTarget } from "../workspace/target.ts";
import { bringJob, bringWork, type Collected, type Collecting, ownTarget, targetOf } from "./collect.ts";
import type { Fleet } from "./connect.ts";
import { listJobs, sayToJob } from "./control.ts";
import { isAtEnd, type JobEvent, type JobState, newJobState, nextJobState } from "./job.ts";
import { followJobLog, readLog } from "./job_log.ts";
import { runOf } from "./keep_work.ts";
import { contentsOf } from "./objects.ts";
import { whenReached } from "./reach.ts";
import type { Said } from "./said.ts";
import { restoreRunFiles, type RunRoots } from "./run_files.ts";

type Answer = Required<Pick<Said, "isModels" | "question" | "text">>;

/** The jobs that were submitted from this machine and have not ended, once the server is reached; none after the signal. */
export async function listOwnJobs(
  fleet: Fleet,
  { clock, signal }: Pick<Following, "clock" | "signal">,
): Promise<Awaited<ReturnType<typeof listJobs>>> {
  try {
    const all = await whenReached(() => listJobs(fleet), { clock, signal });
    return all.filter(({ entry, name }) => !isAtEnd(entry) && ownTarget(name, entry.job) !== undefined);
  } catch (error) {
    if (!signal.aborted) throw error;
    return [];
  }
}

interface Following extends Collecting {
  readonly clock: Clock;
  /** The answers that were left for the run here, and that it may take. */
  readonly takeAnswers: (folder: RunFolder) => Promise<readonly Answer[]>;
  /** Told of each event of the log, from the first one on, and again of all when the server was away. */
  readonly onEvent: (event: JobEvent, at: number) => void;
  /** Told why what was said here was not brought; it is tried again. */
  readonly onProblem: (message: string) => void;
}

/** How often it is looked for what was said here. */
const LOOK_EVERY_MS = 500;

/**
 * Keeps a job's run here as it goes on elsewhere, where lists, page and reports see it as one that is executed, and brings
 * the answers that are given here to whoever has the job; until it has ended.
 */
export async function followJob(fleet: Fleet, following: Following): Promise<void> {
  const { clock, signal } = following;
  await whenReached(() => followOnce(fleet, following), { clock, signal });
}

async function followOnce(fleet: Fleet, following: Following): Promise<void> {
  const { name, onEvent, signal } = following;
  const past = await readLog(fleet, name);
  past.forEach(onEvent);
  let state = past.reduce(after, newJobState());
  await using here = new AsyncDisposableStack();
  let run = await openHere(fleet, { ...following, state });
  here.defer(() => run?.[Symbol.asyncDispose]());
  if (isAtEnd(state)) return;
  let seen = 0;
  for await (const event of followJobLog(fleet, name, { signal })) {
    if (seen++ < past.length) continue;
    const before = state;
    state = after(state, event);
    if (run?.id !== state.run) {
      await run?.[Symbol.asyncDispose]();
      run = await openHere(fleet, { ...following, state });
    } else if (run !== undefined) await run.take(event, before, state);
    onEvent(event, seen - 1);
    if (isAtEnd(state)) return;
  }
}

/** As `nextJobState`; a run that has only begun has nothing yet that is saved. */
function after(before: JobState, event: JobEvent): JobState {
  const state = nextJobState(before, event);
  const run = event.type === "record" ? runOf(event.line) : undefined;
  return run === undefined ? state : { ...state, run };
}

/** A run that is followed here: this process is told of as the one that executes it. */
interface FollowedRun extends AsyncDisposable {
  readonly id: string;
  take(event: JobEvent, before: JobState, now: JobState): Promise<void>;
}

async function openHere(
  fleet: Fleet,
  following: Following & { readonly state: JobState },
): Promise<FollowedRun | undefined> {
  const { signal, state: { lines, run: id } } = following;
  if (lines.length === 0 || id === undefined) return undefined;
  await using stack = new AsyncDisposableStack();
  const workspace = await targetOf(fleet, following);
  // Two that write one journal would spoil it.
  stack.use(await holdTarget(workspace));
  const { roots } = await bringJob(fleet, { ...following, workspace });
  const folder = runFolderAt(workspace.workdir, id);
  const owner = `process ${Deno.pid}`;
  const lock = await tryLockFile(folder.lockPath, owner);
  if (roots === undefined || lock === undefined) throw new RuntimeError(`Cannot follow run ${id}: its lock is taken`);
  stack.use(lock);
  await claimRunMail(folder, { taker: owner });
  // Who wished it before this process began was told that nothing came of it.
  await takeStopWish(folder);
  const ended = new AbortController();
  const relaying = relay(fleet, folder, { ...following, signal: AbortSignal.any([ended.signal, signal]) });
  stack.defer(async () => {
    ended.abort();
    await relaying;
  });
  const held = stack.move();
  return {
    id,
    take: (event, before, now) => takeEvent(fleet, event, { id, roots, workspace, before, now, following }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

async function takeEvent(
  fleet: Fleet,
  event: JobEvent,
  { id, roots, workspace, before, now, following: { signal } }: {
    readonly id: string;
    readonly roots: RunRoots;
    readonly workspace: Collected["workspace"];
    readonly before: JobState;
    readonly now: JobState;
    readonly following: Following;
  },
): Promise<void> {
  if (event.type === "record") {
    // What is believed first.
    for (const root of [roots.entry, roots.run]) {
      await Deno.writeTextFile(`${root}/journal.ndjson`, `${event.line}\n`, { append: true, create: false });
    }
  }
  if (event.type !== "saved") return;
  const fresh = Object.entries(now.files).filter(([path, hash]) => before.files[path] !== hash);
  await restoreRunFiles(id, { roots, files: contentsOf(fleet, Object.fromEntries(fresh)) });
  await bringWork(fleet, { workspace, work: now.work, signal });
}

/** Brings what is said to a run here to whoever has the job. */
async function relay(
  fleet: Fleet,
  folder: RunFolder,
  { name, clock, signal, takeAnswers, onProblem }: Following,
): Promise<void> {
  const said = new Set<string>();
  const say = (what: Parameters<typeof sayToJob>[2]) =>
    whenReached(() => sayToJob(fleet, name, what), { clock, signal });
  while (!signal.aborted) {
    try {
      for (const answer of await takeAnswers(folder)) {
        if (said.has(answer.question)) continue;
        await say({ what: "answer", ...answer });
        said.add(answer.question);
      }
      if (await takeStopWish(folder)) await say({ what: "stop" });
    } catch (error) {
      if (!signal.aborted) onProblem(errorText(error));
    }
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
  }
}
