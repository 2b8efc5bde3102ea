import { resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { isFolderAt } from "../base/ports/files.ts";
import { present } from "../base/schema.ts";
import { firstLine } from "../base/text/lines.ts";
import { EXEC_FLAGS } from "../config/flags.ts";
import { loadConfig, type LoadConfigOptions } from "../config/load.ts";
import { jobText } from "../jobs/review_loop/job.ts";
import type { ExecTarget } from "../journal/exec/fields.ts";
import { LANE_SETTINGS } from "../lanes/settings.ts";
import { BUILT_IN } from "./built_in_pipeline.ts";
import { type CliIo, type GlobalFlags, switchFlag, textFlag } from "./console/command.ts";
import { configSource } from "./environment.ts";
import { textTarget } from "./exec_target.ts";

const OF_LANES = Object.values(LANE_SETTINGS).map(({ names }) => names.flag.slice(2));

/** Flags of `panewright run` for a folder of jobs, and for several attempts at one. */
export const APART_FLAGS = {
  ...Object.fromEntries(Object.entries(EXEC_FLAGS).filter(([name]) => OF_LANES.includes(name))),
  only: textFlag("NAME", "of a folder, do this job only, by the name of its file; may be given several times", {
    repeatable: true,
  }),
  "keep-going": switchFlag("do a folder's other jobs even if one has failed, or waits for a person"),
};

type Given = Readonly<Record<string, unknown>>;

/** Those of the flags that are for several loops, and those that are for each. */
export function splitFlags(flags: Given): { readonly several: Given; readonly given: Given } {
  const parts = (of: boolean) =>
    Object.fromEntries(Object.entries(flags).filter(([name]) => name in APART_FLAGS === of));
  return { several: parts(true), given: parts(false) };
}

interface RunApart {
  /** The argument of the command. */
  readonly named: string;
  /** Whether that is the job itself. */
  readonly isJob: boolean;
  readonly config: string | undefined;
  readonly trust: boolean | undefined;
  /** What all of it is told. */
  readonly several: Given;
  /** What each loop is told. */
  readonly flags: Given;
}

/**
 * Has the roles take each job of a folder, or each attempt at one, through their loop, in a workspace.
 *
 * @returns undefined where there is one job, which is tried once
 * @throws {UsageError} where what is given is for several
 */
export async function runApart(
  given: RunApart,
  around: { readonly io: CliIo; readonly global: GlobalFlags },
): Promise<number | undefined> {
  const { config, isJob, named, several } = given;
  const isFolder = named !== "" && await isFolderAt(resolve(around.io.cwd, named));
  if (config !== undefined && !isFolder && !isJob && named !== "") {
    throw new UsageError("Cannot use --config: the configuration file is named already");
  }
  if (!isFolder && several["attempts"] === undefined) return requireOne(several);
  return await runSeveral(given, around);
}

/** Has the roles take each of several through their loop. */
export async function runSeveral(
  { config, flags, isJob, named, several, trust }: RunApart,
  { global, io }: { readonly io: CliIo; readonly global: GlobalFlags },
): Promise<number> {
  const isFolder = named !== "" && await isFolderAt(resolve(io.cwd, named));
  const isConfig = !isFolder && !isJob && named !== "";
  const path = isConfig ? named : config;
  const { runExec } = await import("./commands/exec.ts");
  const { prompt: _, ...told } = flags;
  const target = isFolder ? undefined : await readTarget(await configSource(io, { flags, path }), io);
  return await runExec(
    {
      flags: { ...several, ...present({ config: path, trust }) },
      positionals: isFolder ? [named] : [],
      global,
    },
    io,
    // What the front matter of a task names is another way to do it.
    { byRoles: { roles: { cwd: io.cwd, flags: told }, pipeline: BUILT_IN }, ...present({ target }) },
  );
}

function requireOne(several: Given): undefined {
  const [name] = Object.keys(several);
  if (name === undefined) return undefined;
  throw new UsageError(`Cannot use --${name}: it is for a folder of jobs, and for several attempts at one`, {
    hint: "Name the folder, or say with --attempts how often the job is tried.",
  });
}

/** The job of a configuration. */
async function readTarget(source: LoadConfigOptions, { cwd }: CliIo): Promise<ExecTarget> {
  const { job } = await loadConfig(source);
  return textTarget(jobText(job), { cwd, about: firstLine(`${job.introduction}\n${job.exploreSummary}`.trim()) });
}
