import { resolve } from "@std/path/posix";
import { UsageError } from "../errors.ts";
import type { Provider } from "../providers/provider.ts";
import { type InputFiles, inputFiles } from "./input_files.ts";
import { inputProblem, type Layer, type Problem } from "./layers.ts";
import { dotted, isKeyed, type KeyPath, valueAt } from "./source.ts";
import { errorText } from "../text/error_text.ts";

/** What the configuration points to. */
export interface Inputs {
  /** Absolute, with links resolved. */
  readonly workdir: string;
  /** `undefined` where it was not asked for. */
  readonly job: JobInput | undefined;
}

/** The text of the job, and the name of its source in messages. */
export interface JobInput {
  readonly text: string;
  readonly source: string;
}

/** What {@linkcode checkAcrossKeys} looks at. */
export interface CheckContext {
  /** Those that the configuration may name. */
  readonly providers: readonly Provider[];
  /** All layers merged. */
  readonly merged: Readonly<Record<string, unknown>>;
  /** The layers, highest precedence first. */
  readonly layers: readonly Layer[];
  /** The layer of the config file, if there is one. */
  readonly fileLayer: Layer | undefined;
  /** The folder from which relative paths of a layer start. */
  baseOf(layer: Layer): string;
  readonly cwd: string;
  /** The mistakes found so far; checks add theirs. */
  readonly problems: Problem[];
  /** Whether a job is required. */
  readonly jobNeeded: boolean;
  /** What reads files. */
  readonly files: InputFiles;
}

/**
 * Checks what no single key shows: that there is exactly one job, and that the folder and the file exist. Skips values
 * already known to be wrong.
 *
 * @returns what was found; `undefined` when a problem was added
 */
export async function checkAcrossKeys(context: CheckContext): Promise<Inputs | undefined> {
  const { merged, problems } = context;
  const workdir = await findWorkdir(context);
  const job = context.jobNeeded ? await readJob(context) : undefined;
  const { ntfy_url: url, ntfy_topic: topic } = isKeyed(merged["notifications"]) ? merged["notifications"] : {};
  if (url !== undefined && topic === undefined) {
    report(context, ["notifications", "ntfy_url"], "% has no effect without notifications.ntfy_topic");
  }
  checkCosts(context);
  if (problems.length > 0 || workdir === undefined) return undefined;
  return { workdir, job };
}

/** A cap of costs needs prices. */
function checkCosts(context: CheckContext): void {
  const { merged } = context;
  if (merged["prices"] !== undefined) return;
  const keysOf = (path: KeyPath) => {
    const value = valueAt(merged, path);
    return isKeyed(value) ? Object.keys(value) : Array.isArray(value) ? value.map((_item, index) => index) : [];
  };
  const owners: KeyPath[] = [
    [],
    ...keysOf(["roles"]).map((role): KeyPath => ["roles", role]),
    ...keysOf(["pipelines"]).flatMap((name) =>
      keysOf(["pipelines", name]).map((index): KeyPath => ["pipelines", name, index])
    ),
  ];
  for (const owner of owners) {
    const path = [...owner, "limits", "max_cost"];
    if (valueAt(merged, path) !== undefined) report(context, path, "% cannot be kept without prices");
  }
}

/** The working directory that the configuration names; `undefined` where the value is not a path. */
export function namedWorkdir(context: CheckContext): string | undefined {
  const layer = layerOf(context, ["wd"]);
  const wd = context.merged["wd"] ?? ".";
  if (typeof wd !== "string" || wd === "") return undefined;
  return resolve(layer === undefined ? defaultBase(context) : context.baseOf(layer), wd);
}

async function findWorkdir(context: CheckContext): Promise<string | undefined> {
  const path = namedWorkdir(context);
  if (path === undefined) return undefined;
  try {
    if (!(await Deno.stat(path)).isDirectory) throw new UsageError("it is not a folder");
    return await Deno.realPath(path);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "there is no such folder" : errorText(error);
    report(context, ["wd"], `% names ${path}, but ${reason}`);
    return undefined;
  }
}

async function readJob(context: CheckContext): Promise<JobInput | undefined> {
  const { merged, cwd, problems } = context;
  const { prompt, prompt_file: promptFile } = merged;
  if (prompt !== undefined && promptFile !== undefined) {
    report(context, ["prompt_file"], "% and prompt cannot both be given: the job has one text");
    return undefined;
  }
  if (typeof prompt === "string" && prompt !== "") return { text: prompt, source: "prompt" };
  if (typeof promptFile === "string" && promptFile !== "") {
    const layer = layerOf(context, ["prompt_file"]);
    const path = resolve(layer === undefined ? cwd : context.baseOf(layer), promptFile);
    // What a flag or a variable names is not named by the config file.
    const files = layer === context.fileLayer ? context.files : inputFiles();
    const text = await readNamedFile({ ...context, files }, ["prompt_file"], path);
    return text === undefined ? undefined : { text, source: promptFile };
  }
  if (prompt === undefined && promptFile === undefined) {
    const none = context.fileLayer === undefined
      ? ` (there is no panewright.jsonc in ${cwd}; "panewright init" writes one)`
      : "";
    problems.push({ where: "", message: `there is no job: prompt_file or prompt must be given${none}` });
  }
  return undefined;
}

/** The text of a file that the value at a path names; `undefined` when a problem was added. */
export async function readNamedFile(context: CheckContext, at: KeyPath, file: string): Promise<string | undefined> {
  try {
    return await context.files.read(file);
  } catch (error) {
    report(context, at, `% names ${file}, but ${inputProblem(error)}`);
    return undefined;
  }
}

/** By default, the agents work in the folder of the config file; without one, where panewright was called. */
function defaultBase({ fileLayer, baseOf, cwd }: CheckContext): string {
  return fileLayer === undefined ? cwd : baseOf(fileLayer);
}

function layerOf({ layers }: CheckContext, path: KeyPath): Layer | undefined {
  return layers.find(({ data }) => valueAt(data, path) !== undefined);
}

/** Adds a problem with the value at a path; `%` in the message stands for its name. */
export function report(context: CheckContext, path: KeyPath, message: string): void {
  context.problems.push(problemOf(context, path, message));
}

/** A problem with the value at a path, and where the value stands. */
export function problemOf(context: CheckContext, path: KeyPath, message: string): Problem {
  return layerOf(context, path)?.problemAt(path, message) ?? { where: "", message: message.replace("%", dotted(path)) };
}
