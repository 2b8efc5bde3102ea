import { UsageError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import { firstLine } from "../base/text/lines.ts";
import { EXEC_FLAGS } from "../config/flags.ts";
import { jobText } from "../jobs/review_loop/job.ts";
import type { Job } from "../journal/loop/fields.ts";
import { LANE_SETTINGS } from "../lanes/settings.ts";
import { runExec } from "./commands/exec.ts";
import { type CliIo, type GlobalFlags, switchFlag, textFlag } from "./console/command.ts";
import { textTarget } from "./exec_target.ts";

const OF_LANES = Object.values(LANE_SETTINGS).map(({ names }) => names.flag.slice(2));

/** Flags of `panewright run` for a folder of jobs, and for several attempts at one. */
export const APART_FLAGS = {
  ...Object.fromEntries(Object.entries(EXEC_FLAGS).filter(([name]) => OF_LANES.includes(name))),
  config: textFlag("FILE", "the configuration file, of a folder of jobs or of a job that is given as a text"),
  only: textFlag("NAME", "of a folder, do this job only, by the name of its file; may be given several times", {
    repeatable: true,
  }),
  "keep-going": switchFlag("do a folder's other jobs even if one has failed, or waits for a person"),
};

interface OfSeveral {
  readonly only?: readonly string[];
  readonly keepGoing?: true;
  /** Those of the lanes, as they were given. */
  readonly lanes: Readonly<Record<string, unknown>>;
}

/** Those of the flags that are for several loops, and those that are for each. */
export function splitFlags(
  { config, only, "keep-going": keepGoing, ...all }: {
    readonly config?: string;
    readonly only?: readonly string[];
    readonly "keep-going"?: boolean;
  } & Readonly<Record<string, unknown>>,
): OfSeveral & { readonly config: string | undefined; readonly given: Readonly<Record<string, unknown>> } {
  const parts = (of: boolean) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => OF_LANES.includes(name) === of));
  return { config, given: parts(false), lanes: parts(true), ...present({ only, keepGoing: keepGoing || undefined }) };
}

/** @throws {UsageError} where what is given is for several jobs, or attempts, and there is one */
export function requireOne({ keepGoing, lanes, only }: OfSeveral): void {
  const [name] = [...Object.keys(lanes), ...(only === undefined ? [] : ["only"]), ...(keepGoing ? ["keep-going"] : [])];
  if (name === undefined) return;
  throw new UsageError(`Cannot use --${name}: it is for a folder of jobs, and for several attempts at one`, {
    hint: "Name the folder, or say with --attempts how often the job is tried.",
  });
}

interface RunApart extends OfSeveral {
  readonly path?: string;
  readonly trust?: boolean;
  /** What each loop is told. */
  readonly flags: Readonly<Record<string, unknown>>;
}

interface Jobs {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  /** The folder of the jobs, or the only one. */
  readonly jobs: { readonly folder: string } | { readonly job: Job };
}

/** Has the roles take each of several jobs, or attempts at one, through their loop, each in a workspace. */
export async function runApart(
  { flags, keepGoing, lanes, only, path: config, trust }: RunApart,
  { global, io, jobs }: Jobs,
): Promise<number> {
  const { prompt: _p, ...told } = flags;
  const target = "folder" in jobs ? undefined : textTarget(jobText(jobs.job), {
    cwd: io.cwd,
    about: firstLine(`${jobs.job.introduction}\n${jobs.job.exploreSummary}`.trim()),
  });
  const ofAll = present({ config, only, trust, "keep-going": keepGoing, wd: wordOf(told["wd"]) });
  return await runExec(
    { flags: { ...ofAll, ...lanes }, positionals: "folder" in jobs ? [jobs.folder] : [], global },
    io,
    { roles: { cwd: io.cwd, flags: told }, ...present({ target }) },
  );
}

function wordOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
