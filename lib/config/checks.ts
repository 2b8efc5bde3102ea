import { resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import type { Provider } from "../agents/provider.ts";
import { type InputFiles, inputFiles } from "./input_files.ts";
import { inputProblem, type Layer, type Problem } from "./layers.ts";
import { dotted, isKeyed, type KeyPath, type Source, valueAt } from "./source.ts";
import { errorText } from "../base/text/error_text.ts";

interface Inputs {
  readonly workdir: string;
  readonly job: JobInput | undefined;
}

export interface JobInput {
  readonly text: string;
  readonly source: string;
}

export interface CheckContext {
  readonly providers: readonly Provider[];
  readonly merged: Readonly<Record<string, unknown>>;
  readonly layers: readonly Layer[];
  readonly fileLayer: Layer | undefined;
  baseOf(layer: Layer): string;
  readonly cwd: string;
  readonly problems: Problem[];
  readonly jobNeeded: boolean | "unless_pipelines";
  readonly files: InputFiles;
}

export async function checkAcrossKeys(context: CheckContext): Promise<Inputs | undefined> {
  const { problems } = context;
  const workdir = await findWorkdir(context);
  const job = isJobNeeded(context) ? await readJob(context) : undefined;
  checkNotifications(context);
  if (problems.length > 0 || workdir === undefined) return undefined;
  return { workdir, job };
}

/** What has no effect, by the settings of which one at least would give it one. */
const NEEDED_BY: readonly (readonly [key: string, others: readonly string[]])[] = [
  ["ntfy_url", ["ntfy_topic"]],
  ["ntfy_token_file", ["ntfy_topic"]],
  ["reply_topic", ["ntfy_topic"]],
  ["webhook_secret_file", ["webhook_url"]],
  ["answer_url", ["ntfy_topic", "webhook_url", "command"]],
];

function checkNotifications(context: CheckContext): void {
  const { merged } = context;
  const given = isKeyed(merged["notifications"]) ? merged["notifications"] : {};
  const report = (key: string, others: readonly string[]) => {
    if (given[key] === undefined || others.some((other) => given[other] !== undefined)) return;
    reportMissing(context, ["notifications", key], {
      message: `% has no effect without ${others.map((other) => `notifications.${other}`).join(" or ")}`,
      missing: others.map((other) => ["notifications", other]),
    });
  };
  for (const [key, others] of NEEDED_BY) report(key, others);
  if (given["buttons"] !== "none") report("buttons", ["ntfy_topic", "answer_url"]);
}

function isJobNeeded({ merged, jobNeeded }: CheckContext): boolean {
  if (jobNeeded !== "unless_pipelines") return jobNeeded;
  const { pipelines, prompt, prompt_file: promptFile } = merged;
  const hasPipelines = isKeyed(pipelines) && Object.keys(pipelines).length > 0;
  return !hasPipelines || prompt !== undefined || promptFile !== undefined;
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
  if (typeof prompt === "string" && prompt !== "") {
    const { where } = problemOf(context, ["prompt"], "");
    return { text: prompt, source: where === "" ? "prompt" : `prompt (${where})` };
  }
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
    const message = `there is no job: prompt_file or prompt must be given${none}`;
    const others = context.jobNeeded === "unless_pipelines" ? ["pipelines"] : [];
    problems.push({ where: "", message, missing: ["prompt_file", "prompt", ...others] });
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

/** Where the value at a path comes from; `undefined` where nobody has set it. */
export function sourceOf(context: CheckContext, path: KeyPath): Source | undefined {
  return layerOf(context, path)?.sourceOf(path);
}

/** Adds a problem with the value at a path; `%` in the message stands for its name. */
export function report(context: CheckContext, path: KeyPath, message: string): void {
  context.problems.push(problemOf(context, path, message));
}

/** Adds a problem with the value at a path that is there because a key is missing. */
export function reportMissing(
  context: CheckContext,
  path: KeyPath,
  { message, missing }: { readonly message: string; readonly missing: readonly KeyPath[] },
): void {
  context.problems.push({ ...problemOf(context, path, message), missing: missing.map(dotted) });
}

export function problemOf(context: CheckContext, path: KeyPath, message: string): Problem {
  return layerOf(context, path)?.problemAt(path, message) ?? { where: "", message: message.replace("%", dotted(path)) };
}
