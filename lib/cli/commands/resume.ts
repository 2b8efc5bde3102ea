import type { RunCaps } from "../../journal/meter_event.ts";
import { basename, resolve } from "@std/path/posix";
import { loadSettings } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { UsageError } from "../../base/errors.ts";
import { JOBS } from "../../jobs/mod.ts";
import { resumeExec } from "../../jobs/pipeline/execute.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import { PIPELINE } from "../../jobs/pipeline/mod.ts";
import { hasPanes } from "../../jobs/review_loop/run_session.ts";
import { resumeReviewRun } from "../../jobs/review_loop/execute.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { REVIEW_LOOP } from "../../jobs/review_loop/mod.ts";
import { parseRaise } from "../../run/caps.ts";
import { canResume } from "../../run/condition.ts";
import { listRunIds } from "../../run/find_run.ts";
import { findCarried } from "../../run/carried.ts";
import { readOverview } from "../../run/overview.ts";
import { cutDamagedJournal, isJournalOf, type JournalFacts, notBegun, readFacts } from "../../journal/read_facts.ts";
import type { Progress } from "../../journal/progress.ts";
import type { RunEnd } from "../../journal/run_facts.ts";
import { foldProgress } from "../../run/read_progress.ts";
import { type RunFolder, runFolderAt } from "../../run/run_folder.ts";
import { lockRun } from "../../run/run_lock.ts";
import { NO_INPUT_FLAG, type Surroundings } from "../carry_out.ts";
import { type CliIo, defineCommand, switchFlag, textFlag } from "../console/command.ts";
import { findNamedRun, findRunsWorkdir, inRealWorkdir, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { detach, DETACH_FLAG } from "../detach.ts";
import { configSource } from "../environment.ts";
import { openPreflight } from "../preflight/mod.ts";
import { lookAtReviewRun } from "../preflight/look_at_needs.ts";
import { JUNIT_FLAG } from "../reports/mod.ts";
import { requireTrust, TRUST_FLAG, type TrustSurroundings } from "../trust.ts";
import { executeSteps } from "./exec.ts";
import { configOf, requireBelow, requireOwnPlace } from "../run_place.ts";
import { executeReview } from "./run.ts";
import { present } from "../../base/schema.ts";

export const command = defineCommand({
  arguments: [RUN_ARGUMENT],
  flags: {
    "no-input": NO_INPUT_FLAG,
    wd: WORKDIR_FLAG,
    config: textFlag("FILE", "the config file from now on, where it is not the one that the run was started with"),
    detach: DETACH_FLAG,
    trust: TRUST_FLAG,
    junit: { ...JUNIT_FLAG, description: `of a pipeline: ${JUNIT_FLAG.description}` },
    raise: textFlag("CAP=N", "let the run use more than its configuration says, from now on: max_turns=40", {
      repeatable: true,
    }),
    "from-last-good": switchFlag(
      "cut a damaged journal before the damage, keep the rest beside it, and resume from there",
    ),
  },
  async run(parsed, io) {
    const { flags, positionals, global } = parsed;
    if (flags.detach === true) return await detach("resume", parsed, io);
    const [name] = positionals;
    const folder = name === undefined
      ? await inRealWorkdir(await findUnfinishedRun(io, flags.wd))
      : await findNamedRun(io, name, flags.wd);
    if (flags.wd !== undefined) await requireBelow(folder, resolve(io.cwd, flags.wd));
    if (flags["from-last-good"] === true) await repair(folder, io);
    const raise = parseRaise(flags.raise ?? []);
    const { junit } = flags;
    const config = flags.config === undefined ? undefined : resolve(io.cwd, flags.config);
    const around = {
      ...{ io, global, noInput: flags["no-input"] === true, trust: flags.trust === true, raise },
      ...present({ wd: flags.wd, junit, config }),
    };
    const journal = await readFacts(folder.journalPath, JOBS);
    if (isJournalOf(journal, REVIEW_LOOP) && junit !== undefined) {
      throw new UsageError(`Cannot use --junit: run ${folder.id} is a review loop, and has no tasks`);
    }
    if (isJournalOf(journal, REVIEW_LOOP)) return await resumeReview(folder, journal, around);
    if (isJournalOf(journal, PIPELINE)) return await resumeSteps(folder, journal, around);
    throw notBegun(folder.id);
  },
});

type Around = Pick<Surroundings, "io" | "global" | "noInput"> & Pick<TrustSurroundings, "trust"> & {
  readonly raise: RunCaps;
  readonly junit?: string;
  readonly wd?: string;
  readonly config?: string;
};

async function resumeSteps(
  folder: RunFolder,
  { facts, version }: JournalFacts<ExecFact>,
  around: Around,
): Promise<number> {
  const [started] = facts;
  if (started?.type !== "run_started") throw notBegun(folder.id);
  const earlier = foldProgress(PIPELINE, facts);
  const { wd, config } = around;
  requireOwnPlace(folder, { earlier, version, wd });
  const configFile = await configOf(folder, earlier, config);
  const { workdir, target, overrides: { provider, check } } = started;
  // Who has written the journal is not known, so a person must have agreed to its check.
  const builtIn = target.text === undefined ? undefined : { check, isOwn: false };
  const flags = { wd: workdir, ...present({ provider }) };
  const steps = { flags, builtIn, ...(configFile === null ? {} : { path: configFile }) };
  return await executeSteps(steps, {
    ...around,
    trust: around.trust || await isRefused(folder, earlier, ["pass"]),
    earlier,
    facts,
    execute: (options) => resumeExec(folder, { ...options, raise: around.raise, ...changedConfig(config) }),
  });
}

async function resumeReview(
  folder: RunFolder,
  { facts, version }: JournalFacts<ReviewFact>,
  around: Around,
): Promise<number> {
  const [started] = facts;
  if (started?.type !== "run_started") throw notBegun(folder.id);
  const earlier = foldProgress(REVIEW_LOOP, facts);
  const { wd, config } = around;
  requireOwnPlace(folder, { earlier, version, wd });
  const configFile = await configOf(folder, earlier, config);
  const { origin: { cwd, flags }, task, workdir } = started;
  const isElsewhere = wd !== undefined || findCarried(folder, earlier.folder) !== undefined;
  const given = isElsewhere ? { ...flags, wd: workdir } : flags;
  const loaded = await loadSettings(
    await configSource(around.io, { cwd, flags: given, path: configFile ?? undefined }),
  );
  if (loaded.workdir !== workdir) {
    throw new UsageError(
      `Cannot resume run ${folder.id}: it works in ${workdir}, but its configuration now names ${loaded.workdir}`,
      { hint: "Correct the working directory in the configuration, name this one with --wd, or start a new run." },
    );
  }
  const trust = around.trust || await isRefused(folder, earlier, ["pass", "fail"]);
  await requireTrust(loaded, { ...around, trust, mayAsk: !around.global.json && around.noInput !== true });
  const plan = toRunPlan({ ...loaded, job: task });
  return await executeReview(plan, {
    ...around,
    earlier,
    execute: (options) =>
      resumeReviewRun(folder, {
        ...options,
        raise: around.raise,
        ...changedConfig(config),
        async beforeResume(roles) {
          const onWarning = (message: string) => options.onEvent?.({ type: "warning", message });
          const preflight = openPreflight("resume the run", { ...around, onWarning });
          await preflight.readBesideMachine(() => Promise.resolve(), { panes: hasPanes(plan) });
          const review = { plan, roles, sources: loaded.sources };
          preflight.require(await lookAtReviewRun(review, preflight));
        },
      }),
  });
}

function changedConfig(config: string | undefined): { readonly configFile?: string } {
  return config === undefined ? {} : { configFile: config };
}

async function isRefused(folder: RunFolder, { finished }: Progress, final: readonly RunEnd[]): Promise<boolean> {
  (await lockRun(folder))[Symbol.dispose]();
  return finished !== undefined && final.includes(finished.outcome);
}

/** Cuts a damaged journal, unless a process writes to it. */
async function repair(folder: RunFolder, io: CliIo): Promise<void> {
  using _owned = await lockRun(folder);
  const cut = await cutDamagedJournal(folder.journalPath, JOBS);
  if (cut === undefined) return io.stderr(`The journal of run ${folder.id} is whole: nothing was cut.\n`);
  io.stderr(
    `The journal of run ${folder.id} was cut before line ${cut.line}; the other ${cut.bytes} bytes are kept in ` +
      `${basename(cut.keptAs)}.\n`,
  );
}

async function findUnfinishedRun(io: CliIo, wd: string | undefined): Promise<RunFolder> {
  const workdir = await findRunsWorkdir(io, wd);
  const ids = await listRunIds(workdir);
  for (const id of ids.toReversed()) {
    const overview = await readOverview(runFolderAt(workdir, id), JOBS, { brief: true });
    const { condition, executed, folder, progress } = overview;
    // One that is executed or unreadable is meant as well: what is in the way is told when it is opened.
    if (executed || condition === "unreadable" || canResume(condition, { job: progress?.job, executed })) return folder;
  }
  if (ids.length > 0) {
    throw new UsageError(`Cannot resume a run in ${workdir}: every run is over`, {
      hint: 'Start a new one with "panewright run" or "panewright exec"; "panewright runs" lists the others.',
    });
  }
  throw new UsageError(`Cannot resume a run in ${workdir}: there are no runs yet`, {
    hint: "Runs are kept in .panewright/runs of the working directory: run the command there, or name it with --wd.",
  });
}
