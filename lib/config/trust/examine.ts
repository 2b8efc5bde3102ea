import { basename, dirname, relative, resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { PROVIDERS } from "../../agents/mod.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { type InputFile, type InputFiles, inputFiles } from "../input_files.ts";
import { readNamedScripts } from "../contract.ts";
import { readPacks } from "../agents.ts";
import { agentFiles, readConfigFile } from "../config_file.ts";
import { inputProblem } from "../layers.ts";
import { problemsError } from "../load.ts";
import { isKeyed, valueAt } from "../source.ts";
import { packItems, type TrustItem, trustItems } from "./items.ts";
import { readEntry, type TrustedConfig, trustStorePath, usedStorePath } from "./store.ts";

export interface TrustSubject {
  /** Absolute path of the config file; links among its folders are resolved. */
  readonly file: string;
  readonly items: readonly TrustItem[];
  /**
   * The SHA-256 of the config file and of each file that it names, by their paths relative to it; empty for one that is
   * missing.
   */
  readonly files: Readonly<Record<string, string>>;
}

/** Reads a config file and the files that it names, to show what they would do. */
export async function examineConfig(path: string): Promise<TrustSubject> {
  const files = inputFiles();
  const { fileLayer } = await readConfigFile(path, { shownAs: path, providers: PROVIDERS, files });
  const problems = [...fileLayer.problems];
  const packs = await readPacks({ providers: PROVIDERS, fileLayer, baseFolder: dirname(path), problems, files });
  if (problems.length > 0) throw problemsError(problems, path);
  const digests: Record<string, string> = {};
  const scripts = await readNamedScripts(fileLayer.data, { baseFolder: dirname(path), files });
  const named = filesNamedBy(fileLayer.data).map((name) => resolve(path, "..", name));
  for (const file of [path, ...named, ...scripts]) {
    digests[relativeTo(path, file)] = await digestOf(file, files);
  }
  const items = [...trustItems(fileLayer.data), ...packs.flatMap(([id, pack]) => packItems(id, pack))];
  return { file: await trustedAs(path), items, files: digests };
}

export async function trustedAs(path: string): Promise<string> {
  return `${await Deno.realPath(dirname(path))}/${basename(path)}`;
}

/** @param read.jobFile what the config names as the job's text: it is not trusted */
export function relativeFiles(
  path: string,
  { files, jobFile }: {
    readonly files: ReadonlyMap<string, Pick<InputFile, "sha256">>;
    readonly jobFile?: string | undefined;
  },
): Readonly<Record<string, string>> {
  const job = jobFile === undefined ? undefined : resolve(path, "..", jobFile);
  const others = [...files].filter(([file]) => file !== job);
  return Object.fromEntries(others.map(([file, { sha256 }]) => [relativeTo(path, file), sha256]));
}

export async function filesNow(path: string, { files }: TrustedConfig): Promise<Readonly<Record<string, string>>> {
  const reader = inputFiles();
  const entries = Object.keys(files).map(async (name) => [name, await digestOf(resolve(path, "..", name), reader)]);
  return Object.fromEntries(await Promise.all(entries));
}

export async function trustedConfig({ items, files }: Omit<TrustSubject, "file">, now: Date): Promise<TrustedConfig> {
  return { trustedAt: now.toISOString(), files: { ...files }, items: Object.fromEntries(await digestsOf(items)) };
}

/** Whether the config of a run is as a person has trusted it, or as it was used by `--trust`. */
export async function isTrustedForRun(path: string, env: (name: string) => string | undefined): Promise<boolean> {
  const key = await trustedAs(path);
  const entries = [trustStorePath(env), usedStorePath(env)].map((store) => readEntry(store, key));
  const known = entries.filter((entry) => entry !== undefined);
  const changed = await Promise.all(known.map(async (one) => changedFiles(one, await filesNow(path, one)).length > 0));
  return changed.includes(false);
}

export interface TrustChanges {
  readonly items: readonly (TrustItem & { readonly isNew: boolean })[];
  readonly gone: readonly string[];
  readonly files: readonly string[];
}

/** What is different in a config since a person trusted it; everything where nobody did. */
export async function changesSince(
  trusted: TrustedConfig | undefined,
  { items, files }: Pick<TrustSubject, "items" | "files">,
): Promise<TrustChanges> {
  const before = trusted?.items ?? {};
  const digests = new Map(await digestsOf(items));
  return {
    items: items.filter(({ key }) => before[key] !== digests.get(key))
      .map((item) => ({ ...item, isNew: before[item.key] === undefined })),
    gone: Object.keys(before).filter((key) => !digests.has(key)),
    files: changedFiles(trusted, files),
  };
}

/** The files that are not as they were trusted. */
export function changedFiles(
  trusted: TrustedConfig | undefined,
  files: Readonly<Record<string, string>>,
): readonly string[] {
  const before = new Map(Object.entries(trusted?.files ?? {}));
  return Object.entries(files).filter(([name, digest]) => before.get(name) !== null && before.get(name) !== digest)
    .map(([name]) => name);
}

async function digestsOf(items: readonly TrustItem[]): Promise<readonly [string, string][]> {
  return await Promise.all(
    items.map(async ({ key, value }): Promise<[string, string]> => [key, await sha256Hex(JSON.stringify(value))]),
  );
}

/** What must be trusted as it is; what the job of a review loop says is data, and changes with each job. */
function filesNamedBy(data: Readonly<Record<string, unknown>>): readonly string[] {
  const steps = isKeyed(data["pipelines"]) ? Object.values(data["pipelines"]).flat() : [];
  const prompts = steps.map((step) => valueAt(step, ["prompt"])).filter((prompt) => prompt !== "self");
  const roles = isKeyed(data["roles"]) ? Object.values(data["roles"]).map((role) => valueAt(role, ["prompt"])) : [];
  const named = [data["rules_file"], ...prompts, ...roles, ...Object.values(agentFiles(data))];
  return [...new Set(named)].filter((name) => typeof name === "string");
}

async function digestOf(path: string, files: InputFiles): Promise<string> {
  try {
    await files.read(path);
    return files.known.get(path)?.sha256 ?? "";
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return "";
    throw new UsageError(`Cannot read ${path}, which the configuration names: ${inputProblem(cause)}`, { cause });
  }
}

function relativeTo(path: string, file: string): string {
  return relative(dirname(path), file);
}
