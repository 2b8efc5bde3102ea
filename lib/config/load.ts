import { resolve } from "@std/path/posix";
import { type PanewrightErrorOptions, UsageError } from "../errors.ts";
import { type Job, parseJob } from "../jobs/review_loop/job.ts";
import { PROVIDERS } from "../providers/mod.ts";
import type { Provider } from "../providers/provider.ts";
import { checkAcrossKeys, type CheckContext, type JobInput } from "./checks.ts";
import { defaultConfigFile } from "./default_file.ts";
import { type InputFile, inputFiles } from "./input_files.ts";
import { environmentLayer, flagLayer, type Layer, mergeData, type Problem, readFileLayer } from "./layers.ts";
import { readProviders } from "./rules.ts";
import { checkSandbox } from "./sandbox_checks.ts";
import { configFormFor, parseConfig } from "./schema.ts";
import type { Config } from "./settings_table.ts";
import { dotted, isKeyed, type Source, valueAt } from "./source.ts";

/** Where the configuration is read from. */
export interface LoadConfigOptions {
  /** The config file; `panewright.jsonc` of `cwd`, if it is there, where none is named. */
  readonly path?: string;
  /** The folder from which relative paths of flags and variables start. Absolute. */
  readonly cwd: string;
  env(name: string): string | undefined;
  /** The providers that the configuration may name. @default {PROVIDERS} */
  readonly providers?: readonly Provider[];
  /** Values of the flags of `CONFIG_FLAGS` that were given, by the flags' names. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** An effective value, and where it came from. */
export type SourcedValue = Source & { readonly value: unknown };

/** A valid configuration, without its job. */
export interface LoadedSettings {
  /** Effective values; paths in it are as they were written. */
  readonly config: Config;
  /** Each effective value and where it came from, by its dotted path; keys, such as names of models, may have dots. */
  readonly sources: ReadonlyMap<string, SourcedValue>;
  /** The config file as messages call it; `undefined` where there is none. */
  readonly file: string | undefined;
  /** Absolute path of the folder in which the agents work, every link resolved. */
  readonly workdir: string;
  /** Every provider, with the person's changes to its rules. */
  readonly providers: readonly Provider[];
  /** Every file that was read because the config file names it, and the config file itself, by their absolute paths. */
  readonly files: ReadonlyMap<string, InputFile>;
}

/** A valid configuration, with the job that it names. */
export interface LoadedConfig extends LoadedSettings {
  readonly job: Job;
}

/** A configuration that cannot be used, with all its mistakes in the order of the file. */
export class ConfigError extends UsageError {
  override name = "ConfigError";

  constructor(message: string, readonly problems: readonly Problem[], options: PanewrightErrorOptions) {
    super(message, options);
  }
}

/**
 * Reads the configuration: flags before environment before file before defaults.
 *
 * @throws {UsageError} that lists every mistake with its place
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { job, ...settings } = await load(options, { jobNeeded: true });
  return { ...settings, job: parseJob(job?.text ?? "", { file: job?.source ?? "" }) };
}

/**
 * Reads the configuration like {@linkcode loadConfig}, for what needs no job.
 *
 * @param moreChecks adds problems of its own
 */
export async function loadSettings(
  options: LoadConfigOptions,
  moreChecks?: (context: CheckContext) => Promise<void>,
): Promise<LoadedSettings> {
  const { job: _, ...settings } = await load(options, { jobNeeded: false, ...(moreChecks ? { moreChecks } : {}) });
  return settings;
}

/**
 * Reads the configuration like {@linkcode loadConfig}. Where it has pipelines, it may do without a job.
 */
export async function loadAnyConfig(options: LoadConfigOptions): Promise<LoadedSettings & { readonly job?: Job }> {
  const { job, ...settings } = await load(options, { jobNeeded: "unless_pipelines" });
  return job === undefined ? settings : { ...settings, job: parseJob(job.text, { file: job.source }) };
}

/**
 * The providers with what a config file says of their screens. What else the file says must be right by its form, but
 * is not looked at.
 *
 * @throws {UsageError} that lists everything that is wrong with the file, each with its place
 */
export async function loadProviders(
  { path, cwd, providers = PROVIDERS }: Pick<LoadConfigOptions, "cwd" | "providers"> & { readonly path: string },
): Promise<readonly Provider[]> {
  const form = configFormFor(providers.map(({ id }) => id));
  const absolute = resolve(cwd, path);
  const files = inputFiles();
  const fileLayer = await readFileLayer(absolute, { shownAs: path, form, files });
  const problems = [...fileLayer.problems];
  const baseFolder = resolve(absolute, "..");
  const changed = await readProviders({ providers, form, fileLayer, baseFolder, problems, files });
  if (problems.length > 0) throw problemsError(problems, path);
  return changed;
}

async function load(
  options: LoadConfigOptions,
  needs: {
    readonly jobNeeded: boolean | "unless_pipelines";
    readonly moreChecks?: (context: CheckContext) => Promise<void>;
  },
): Promise<LoadedSettings & { readonly job: JobInput | undefined }> {
  const { path, cwd, env, flags = {}, providers: builtIn = PROVIDERS } = options;
  const form = configFormFor(builtIn.map(({ id }) => id));
  const file = path ?? await defaultConfigFile(cwd);
  const files = inputFiles();
  const fileLayer = file === undefined
    ? undefined
    : await readFileLayer(resolve(cwd, file), { shownAs: file, form, files });
  const layers = [flagLayer(flags, form), environmentLayer(env, form), ...(fileLayer === undefined ? [] : [fileLayer])];
  const problems = layers.flatMap((layer) => layer.problems);
  const merged = mergeData(onePromptOnly(layers));
  const baseOf = (layer: Layer) => layer === fileLayer ? resolve(cwd, file ?? "", "..") : cwd;
  const jobNeeded = needs.jobNeeded === "unless_pipelines" ? hasJob(merged) || !hasPipelines(merged) : needs.jobNeeded;
  const context = { providers: builtIn, merged, layers, fileLayer, baseOf, cwd, problems, jobNeeded, files };
  const inputs = fileLayer?.broken === true ? undefined : await checkAcrossKeys(context);
  if (fileLayer?.broken !== true) {
    checkSandbox(context);
    await needs.moreChecks?.(context);
  }
  const baseFolder = resolve(cwd, file ?? "", "..");
  const providers = await readProviders({ providers: builtIn, form, fileLayer, baseFolder, problems, files });
  if (problems.length > 0 || inputs === undefined) throw problemsError(problems, file);

  const config = parseConfig(merged, form);
  return { config, sources: sourcesOf(config, layers), file, providers, files: files.known, ...inputs };
}

function hasJob({ prompt, prompt_file }: Readonly<Record<string, unknown>>): boolean {
  return prompt !== undefined || prompt_file !== undefined;
}

function hasPipelines({ pipelines }: Readonly<Record<string, unknown>>): boolean {
  return isKeyed(pipelines) && Object.keys(pipelines).length > 0;
}

/** A source that names the job replaces what those below it say of the job, whichever of the two keys they use. */
function onePromptOnly(layers: readonly Layer[]): Record<string, unknown>[] {
  const owner = layers.find(({ data }) => hasJob(data));
  return layers.map((layer) => {
    const { prompt, prompt_file, ...rest } = layer.data;
    return layer === owner ? { ...rest, prompt, prompt_file } : rest;
  });
}

/** The error for mistakes of a configuration. */
export function problemsError(problems: readonly Problem[], file: string | undefined): ConfigError {
  // By place in the file; what stands elsewhere comes after.
  const rank = ({ position }: Problem) => position === undefined ? Infinity : position.line * 10_000 + position.column;
  const sorted = problems.toSorted((left, right) => rank(left) - rank(right));
  const what = file === undefined ? "the configuration" : `the configuration of ${file}`;
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = sorted.map(({ where, message }) => where === "" ? `  ${message}` : `  ${where}: ${message}`);
  return new ConfigError([`Cannot use ${what}: ${count}`, ...lines].join("\n"), sorted, {
    hint: 'Every key is explained by "panewright config schema".',
  });
}

function sourcesOf(config: Config, layers: readonly Layer[]): Map<string, SourcedValue> {
  const sources = new Map<string, SourcedValue>();
  collect(config, []);
  return sources;

  function collect(value: unknown, path: readonly string[]): void {
    if (isKeyed(value)) {
      for (const [key, inner] of Object.entries(value)) collect(inner, [...path, key]);
      return;
    }
    const layer = layers.find(({ data }) => valueAt(data, path) !== undefined);
    sources.set(dotted(path), { ...(layer?.sourceOf(path) ?? { kind: "default" }), value });
  }
}
