import type { Job } from "../journal/loop/fields.ts";
import { resolve } from "@std/path/posix";
import { type Mistake, type PanewrightErrorOptions, UsageError } from "../base/errors.ts";
import { parseJob } from "../jobs/review_loop/job.ts";
import { PROVIDERS } from "../agents/mod.ts";
import type { Provider } from "../agents/provider.ts";
import { checkAgents } from "./agent_checks.ts";
import { withAgents } from "./agents.ts";
import { checkAcrossKeys, type CheckContext, type JobInput } from "./checks.ts";
import { readConfigFile } from "./config_file.ts";
import { readNamedScripts } from "./contract.ts";
import { defaultConfigFile } from "./default_file.ts";
import { type InputFile, inputFiles } from "./input_files.ts";
import { checkVariableNames, environmentLayer, flagLayer, type Layer, mergeData, type Problem } from "./layers.ts";
import { checkLimits } from "./limit_checks.ts";
import { checkLoop, checkRoles } from "./role_checks.ts";
import { tellOnce } from "./problems.ts";
import { readProviders } from "./rules.ts";
import { formOf, parseConfig } from "./schema.ts";
import type { Config } from "./settings_table.ts";
import { dotted, isKeyed, type Source, valueAt } from "./source.ts";

/** Where the configuration is read from. */
export interface LoadConfigOptions {
  /** The config file; `panewright.jsonc` of `cwd`, if it is there, where none is named. */
  readonly path?: string;
  /** The folder from which relative paths of flags and variables start. Absolute. */
  readonly cwd: string;
  env(name: string): string | undefined;
  /** The names of all variables that are set, among which misspelt ones are looked for. @default {[]} */
  readonly envNames?: readonly string[];
  /** Told what is not a mistake, but worth knowing. */
  readonly onWarning?: (warning: Problem) => void;
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
  /** Its absolute path. */
  readonly filePath: string | undefined;
  /** Where it was looked for; absolute. */
  readonly cwd: string;
  /** Absolute path of the folder in which the agents work, every link resolved. */
  readonly workdir: string;
  /** Every provider, with the person's changes to its rules, and the agents that the config file adds. */
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

type MoreChecks = (context: CheckContext) => Promise<void>;

/**
 * Reads the configuration: flags before environment before file before defaults.
 *
 * @throws {ConfigError} that lists every mistake with its place
 */
export async function loadConfig(options: LoadConfigOptions): Promise<LoadedConfig> {
  const { job, ...settings } = await load(options, { jobNeeded: true });
  return { ...settings, job: parseJob(job?.text ?? "", { file: job?.source ?? "" }) };
}

/** Reads the configuration like {@linkcode loadConfig}, for what needs no job. */
export async function loadSettings(options: LoadConfigOptions, moreChecks?: MoreChecks): Promise<LoadedSettings> {
  const { job: _, ...settings } = await load(options, { jobNeeded: false, moreChecks });
  return settings;
}

/** Reads the configuration like {@linkcode loadConfig}. Where it has pipelines, it may do without a job. */
export async function loadAnyConfig(
  options: LoadConfigOptions,
  moreChecks?: MoreChecks,
): Promise<LoadedSettings & { readonly job?: Job }> {
  const { job, ...settings } = await load(options, { jobNeeded: "unless_pipelines", moreChecks });
  return job === undefined ? settings : { ...settings, job: parseJob(job.text, { file: job.source }) };
}

/**
 * The providers with what a config file says of their screens, and the agents that it adds. What else the file says must
 * be right by its form, but is not looked at.
 *
 * @throws {UsageError} that lists everything that is wrong with the file, each with its place
 */
export async function loadProviders(
  { path, cwd, providers = PROVIDERS }: Pick<LoadConfigOptions, "cwd" | "providers"> & { readonly path: string },
): Promise<readonly Provider[]> {
  const absolute = resolve(cwd, path);
  const files = inputFiles();
  const { fileLayer, form } = await readConfigFile(absolute, { shownAs: path, providers, files });
  const problems = [...fileLayer.problems];
  const baseFolder = resolve(absolute, "..");
  const known = await withAgents({ providers, fileLayer, baseFolder, problems, files });
  const changed = await readProviders({ providers: known, form, fileLayer, baseFolder, problems, files });
  if (problems.length > 0) throw problemsError(problems, path);
  return changed;
}

async function load(
  options: LoadConfigOptions,
  { jobNeeded, moreChecks }: {
    readonly jobNeeded: CheckContext["jobNeeded"];
    readonly moreChecks?: MoreChecks | undefined;
  },
): Promise<LoadedSettings & { readonly job: JobInput | undefined }> {
  const { path, cwd, env, flags = {}, providers: builtIn = PROVIDERS } = options;
  const file = path ?? await defaultConfigFile(cwd);
  const files = inputFiles();
  const { fileLayer, form } = file === undefined
    ? { fileLayer: undefined, form: formOf(builtIn) }
    : await readConfigFile(resolve(cwd, file), { shownAs: file, providers: builtIn, files });
  const layers = [flagLayer(flags, form), environmentLayer(env, form), ...(fileLayer === undefined ? [] : [fileLayer])];
  const { mistakes, warnings } = checkVariableNames(options.envNames ?? [], { env, form });
  for (const warning of warnings) options.onWarning?.(warning);
  const problems = [...layers.flatMap((layer) => layer.problems), ...mistakes];
  const merged = mergeData(onePromptOnly(layers));
  const baseFolder = resolve(cwd, file ?? "", "..");
  const baseOf = (layer: Layer) => layer === fileLayer ? baseFolder : cwd;
  const known = await withAgents({ providers: builtIn, fileLayer, baseFolder, problems, files });
  const context = { providers: known, merged, layers, fileLayer, baseOf, cwd, problems, jobNeeded, files };
  let inputs;
  if (fileLayer?.broken !== true) {
    inputs = await checkAcrossKeys(context);
    checkAgents(context);
    checkLimits(context);
    // Steps alone have no loop.
    checkLoop(context, (warning) => jobNeeded === false ? undefined : options.onWarning?.(warning));
    await checkRoles(context);
    await moreChecks?.(context);
  }
  const providers = await readProviders({ providers: known, form, fileLayer, baseFolder, problems, files });
  if (problems.length > 0 || inputs === undefined) throw problemsError(problems, file);

  const config = parseConfig(merged, form);
  const filePath = file === undefined ? undefined : resolve(cwd, file);
  if (fileLayer !== undefined) await readNamedScripts(fileLayer.data, { baseFolder, workdir: inputs.workdir, files });
  const sources = sourcesOf(config, layers);
  return { config, sources, file, filePath, cwd, providers, files: files.known, ...inputs };
}

function hasJob({ prompt, prompt_file }: Readonly<Record<string, unknown>>): boolean {
  return prompt !== undefined || prompt_file !== undefined;
}

/** A source that names the job replaces what those below it say of the job, whichever of the two keys they use. */
function onePromptOnly(layers: readonly Layer[]): Record<string, unknown>[] {
  const owner = layers.find(({ data }) => hasJob(data));
  return layers.map((layer) => {
    const { prompt, prompt_file, ...rest } = layer.data;
    return layer === owner ? { ...rest, prompt, prompt_file } : rest;
  });
}

/** The error for mistakes of a configuration: one for each, in the order of the file. */
export function problemsError(problems: readonly Problem[], file: string | undefined): ConfigError {
  const told = tellOnce(problems);
  const what = file === undefined ? "the configuration" : `the configuration of ${file}`;
  const count = told.length === 1 ? "1 problem" : `${told.length} problems`;
  const mistakes = told.map(({ where, message, position, row }): Mistake => ({
    text: where === "" ? `  ${message}` : `  ${where}: ${message}`,
    ...(position === undefined || row === undefined ? {} : { excerpt: { ...position, row } }),
  }));
  return new ConfigError([`Cannot use ${what}: ${count}`, ...mistakes.map(({ text }) => text)].join("\n"), told, {
    mistakes,
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
