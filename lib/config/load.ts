import { resolve } from "node:path";
import { UsageError } from "../errors.ts";
import { type Job, parseJob } from "../workflow/review_loop/job.ts";
import { checkAcrossKeys } from "./checks.ts";
import { environmentLayer, flagLayer, type Layer, mergeData, type Problem, readFileLayer } from "./layers.ts";
import { type Config, configSchema } from "./schema.ts";
import { dotted, isKeyed, type Source, valueAt } from "./source.ts";

export { toRunPlan } from "./plan.ts";

/** The config file that is read where none is named. */
export const DEFAULT_CONFIG_FILE = "panewright.jsonc";

/** Where the configuration is read from. */
export interface LoadConfigOptions {
  /** The config file; `panewright.jsonc` of `cwd`, if it is there, where none is named. */
  readonly path?: string;
  /** What relative paths of flags and variables start from. Absolute. */
  readonly cwd: string;
  env(name: string): string | undefined;
  /** Values of the flags of `CONFIG_FLAGS` that were given, by the flags' names. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** A configuration that was found to be right. */
export interface LoadedConfig {
  /** Effective values; paths in it are as they were written. */
  readonly config: Config;
  /** Where each effective value came from, by its dotted path. */
  readonly sources: ReadonlyMap<string, Source>;
  /** The config file as messages call it; `undefined` where there is none. */
  readonly file: string | undefined;
  /** Absolute path of the folder in which the agents work, every link resolved. */
  readonly workdir: string;
  readonly job: Job;
}

/**
 * Reads the configuration: flags before environment before file before defaults.
 *
 * @throws {UsageError} that lists everything that is wrong with it, each with its place
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { path, cwd, env, flags = {} } = options;
  const file = path ?? await defaultFile(cwd);
  const fileLayer = file === undefined ? undefined : await readFileLayer(resolve(cwd, file), { shownAs: file });
  const layers = [flagLayer(flags), environmentLayer(env), ...(fileLayer === undefined ? [] : [fileLayer])];
  const problems = layers.flatMap((layer) => layer.problems);
  const merged = mergeData(onePromptOnly(layers));
  const baseOf = (layer: Layer) => layer === fileLayer ? resolve(cwd, file ?? "", "..") : cwd;
  const inputs = fileLayer?.broken === true
    ? undefined
    : await checkAcrossKeys({ merged, layers, fileLayer, baseOf, cwd, problems });
  if (problems.length > 0 || inputs === undefined) throw problemsError(problems, file);

  const config = configSchema.parse(merged);
  const job = parseJob(inputs.jobText, { file: inputs.jobSource });
  return { config, sources: sourcesOf(config, layers), file, workdir: inputs.workdir, job };
}

/** A source that names the job replaces what those below it say of the job, whichever of the two keys they use. */
function onePromptOnly(layers: readonly Layer[]): Record<string, unknown>[] {
  const owner = layers.find(({ data }) => data["prompt"] !== undefined || data["prompt_file"] !== undefined);
  return layers.map((layer) => {
    const { prompt, prompt_file, ...rest } = layer.data;
    return layer === owner ? { ...rest, prompt, prompt_file } : rest;
  });
}

async function defaultFile(cwd: string): Promise<string | undefined> {
  try {
    await Deno.stat(`${cwd}/${DEFAULT_CONFIG_FILE}`);
    return DEFAULT_CONFIG_FILE;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    return DEFAULT_CONFIG_FILE;
  }
}

function problemsError(problems: readonly Problem[], file: string | undefined): UsageError {
  const sorted = problems.toSorted((left, right) => rank(left) - rank(right));
  const what = file === undefined ? "the configuration" : `the configuration of ${file}`;
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = sorted.map(({ where, message }) => where === "" ? `  ${message}` : `  ${where}: ${message}`);
  return new UsageError([`Cannot use ${what}: ${count}`, ...lines].join("\n"), {
    hint: 'Every key is explained by "panewright config schema".',
  });
}

/** By place in the file; what stands elsewhere comes after. */
function rank({ position }: Problem): number {
  return position === undefined ? Infinity : position.line * 10_000 + position.column;
}

function sourcesOf(config: Config, layers: readonly Layer[]): Map<string, Source> {
  const sources = new Map<string, Source>();
  collect(config, []);
  return sources;

  function collect(value: unknown, path: readonly string[]): void {
    if (isKeyed(value)) {
      for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key]);
      return;
    }
    const layer = layers.find(({ data }) => valueAt(data, path) !== undefined);
    sources.set(dotted(path), layer?.sourceOf(path) ?? { kind: "default" });
  }
}
