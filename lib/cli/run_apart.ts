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

interface RunApart extends OfSeveral {
  /** The argument of the command. */
  readonly named: string;
  /** Whether that is the job itself. */
  readonly isJob: boolean;
  readonly config: string | undefined;
  readonly trust: boolean | undefined;
  /** What each loop is told. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/**
 * Has the roles take each job of a folder, or each attempt at one, through their loop, in a workspace.
 *
 * @returns undefined where there is one job, which is tried once
 * @throws {UsageError} where what is given is for several
 */
export async function runApart(
  { config, flags, isJob, keepGoing, lanes, named, only, trust }: RunApart,
  { global, io }: { readonly io: CliIo; readonly global: GlobalFlags },
): Promise<number | undefined> {
  const isFolder = named !== "" && await isFolderAt(resolve(io.cwd, named));
  const isConfig = !isFolder && !isJob && named !== "";
  const path = isConfig ? named : config;
  if (config !== undefined && isConfig) {
    throw new UsageError("Cannot use --config: the configuration file is named already");
  }
  if (!isFolder && lanes["attempts"] === undefined) return requireOne({ lanes, ...present({ keepGoing, only }) });
  const { runExec } = await import("./commands/exec.ts");
  const { prompt: _, ...told } = flags;
  const target = isFolder ? undefined : await readTarget(await configSource(io, { flags, path }), io);
  const wd = typeof told["wd"] === "string" ? told["wd"] : undefined;
  return await runExec(
    {
      flags: { ...present({ config: path, only, trust, "keep-going": keepGoing, wd }), ...lanes },
      positionals: isFolder ? [named] : [],
      global,
    },
    io,
    // What the front matter of a task names is another way to do it.
    { byRoles: { roles: { cwd: io.cwd, flags: told }, pipeline: BUILT_IN }, ...present({ target }) },
  );
}

function requireOne({ keepGoing, lanes, only }: OfSeveral): undefined {
  const [name] = [...Object.keys(lanes), ...(only === undefined ? [] : ["only"]), ...(keepGoing ? ["keep-going"] : [])];
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
