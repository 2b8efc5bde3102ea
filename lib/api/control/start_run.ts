import { UsageError } from "../../base/errors.ts";
import { makeFoldersBelow, replaceFile } from "../../base/ports/own_files.ts";
import { makePanewrightFolder, type RunFolder } from "../../run/run_folder.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import type { Actor } from "./act.ts";
import { type DetachedRun, type DetachOptions, startDetached } from "./detach.ts";
import { present } from "../../base/schema.ts";
import { dirname } from "@std/path/posix";

export interface RunToStart {
  /** Absolute path of the folder in which the agents work; the command is called there. */
  readonly workdir: string;
  /** By the command that starts it: a review loop, or a pipeline. */
  readonly kind: "run" | "exec";
  /** The config file, from the working directory. @default panewright.jsonc, where there is one */
  readonly config?: string;
  /**
   * Values of flags by their names, such as `max-rounds`: only those of {@linkcode OVERRIDES}, as no others are safe to
   * take from whoever may start a run.
   */
  readonly overrides?: Readonly<Record<string, OverrideValue>>;
  /**
   * What the agents are to do: a text, or a path in the working directory (for `exec` also a folder of tasks). Needed
   * for `exec`; for `run` the configuration has one, and a text must have the two sections of a job.
   */
  readonly task?: { readonly text: string } | { readonly path: string };
  /** The same key in the same working directory is the same run, whatever crashes: 1 to 256 characters. */
  readonly key?: string;
  readonly by: Actor["by"];
}

/** The value of a flag: true for a switch, several values for one that can be repeated. */
type OverrideValue = string | number | boolean | readonly string[];

/** The flags that a face may give, by the command; what else a run does comes from its trusted configuration. */
export const OVERRIDES = {
  run: ["max-rounds", "max-review-cycles", "start-agent", "response-timeout", "provider"],
  exec: ["pipeline", "provider", "autonomy-level", "only", "keep-going", "force", "workspace"],
} as const;

export async function startRun(run: RunToStart, options: DetachOptions = {}): Promise<DetachedRun> {
  const { workdir, kind, config, overrides = {}, task, key, by } = run;
  const flags = [`--wd=${workdir}`, ...Object.entries(overrides).flatMap(([name, value]) => flagOf(kind, name, value))];
  const call = { command: kind, cwd: workdir, by, ...present({ key }) } as const;
  // One that is not there is told of by the command.
  if (config !== undefined) await isThere(workdir, config);
  if (kind === "run") {
    const file = task === undefined ? [] : [`--prompt-file=${await jobFile(task, workdir)}`];
    const positionals = config === undefined ? [] : [config];
    return await startDetached({ ...call, flags: [...flags, ...file], positionals }, options);
  }
  if (task === undefined) throw badInput("Cannot start the run: there is no task");
  const all = [...flags, ...(config === undefined ? [] : [`--config=${config}`])];
  if ("text" in task) {
    if (task.text.trim() === "") throw badInput("Cannot start the run: its task is empty");
    // In a workspace it is as at the front door: a project without tests is no obstacle there.
    const command = overrides["workspace"] === true ? "task" : kind;
    return await startDetached({ ...call, command, flags: all, positionals: ["-"], stdin: task.text }, options);
  }
  // What is not there would be taken for the task itself.
  return await startDetached({ ...call, flags: all, positionals: [await pathIn(workdir, task.path)] }, options);
}

/** The file with the job: a text is kept, on the disk, by its hash. */
async function jobFile(task: NonNullable<RunToStart["task"]>, workdir: string): Promise<string> {
  if ("path" in task) return await pathIn(workdir, task.path);
  const folder = await makeFoldersBelow(await makePanewrightFolder(workdir), "jobs");
  const path = `${folder}/${(await sha256Hex(task.text)).slice(0, 32)}.md`;
  await replaceFile(path, task.text, { durable: true });
  return path;
}

/** @throws {UsageError} when there is nothing, or it is not in the working directory */
async function pathIn(workdir: string, path: string): Promise<string> {
  if (!await isThere(workdir, path)) throw badInput(`Cannot start the run: there is no ${path} in ${workdir}`);
  return absolute(workdir, path);
}

/**
 * Whether a path is there, links followed. One that leads out of the working directory is refused: agents are shown what
 * a task says, and an error what a config does, and who may start a run here may not read the person's other files.
 */
async function isThere(workdir: string, path: string): Promise<boolean> {
  const [real, base] = await Promise.all(
    [absolute(workdir, path), workdir].map((one) => Deno.realPath(one).catch(() => undefined)),
  );
  if (real === undefined || base === undefined) return false;
  if (real === base || real.startsWith(`${base}/`)) return true;
  throw badInput(`Cannot start the run: ${path} is not in ${workdir}`, "Use a file of the working directory.");
}

function absolute(workdir: string, path: string): string {
  return path.startsWith("/") ? path : `${workdir}/${path}`;
}

function flagOf(kind: RunToStart["kind"], name: string, value: OverrideValue): readonly string[] {
  const known: readonly string[] = OVERRIDES[kind];
  if (!known.includes(name)) {
    throw badInput(`Cannot start the run: "${name}" cannot be given from here; what can: ${known.join(", ")}`);
  }
  if (Array.isArray(value)) return value.map((one) => `--${name}=${one}`);
  return value === false ? [] : value === true ? [`--${name}`] : [`--${name}=${value}`];
}

function badInput(message: string, hint?: string): UsageError {
  return new UsageError(message, { code: "bad_input", ...present({ hint }) });
}

interface ResumeRequest extends Pick<Actor, "by"> {
  /** Caps that it may go up to from now on, by name: `max_turns`. */
  readonly raise?: Readonly<Record<string, number>>;
  /** What a person says to the agent that it continues with. */
  readonly message?: string;
}

export async function resumeDetached(
  { id, path }: RunFolder,
  { by, message, raise = {} }: ResumeRequest,
  options: DetachOptions = {},
): Promise<Omit<DetachedRun, "isNew">> {
  const raised = Object.entries(raise).map(([name, value]) => `--raise=${name}=${value}`);
  const flags = [...raised, ...(message === undefined ? [] : [`--message=${message}`])];
  const cwd = dirname(dirname(dirname(path)));
  const { run, folder } = await startDetached({ command: "resume", flags, positionals: [id], cwd, by }, options);
  return { run, folder };
}
