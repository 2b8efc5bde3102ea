import { dirname, relative, resolve } from "@std/path/posix";
import { parse as parseJsonc, type ParseError } from "jsonc-parser";
import { UsageError } from "../base/errors.ts";
import { isAbsence, lstatOrUndefined } from "../base/ports/files.ts";
import { readRegularFile } from "../base/ports/regular_file.ts";
import { isObject } from "../base/schema.ts";
import { sha256Hex } from "../base/text/digest.ts";
import { errorText } from "../base/text/error_text.ts";
import { PROVIDERS } from "./mod.ts";
import type { ObeyedFiles } from "./obeys.ts";
import type { Provider } from "./provider.ts";

/** One thing that an agent obeys, as it stands there. */
export interface Obeyed {
  readonly agent: string;
  /** Relative to the working directory. */
  readonly path: string;
  /** The SHA-256 of each file of it, and of each that it names, by their paths relative to the working directory. */
  readonly files: Readonly<Record<string, string>>;
  /** What settings set, by their keys; missing for what are no settings. */
  readonly settings?: Readonly<Record<string, { readonly value: unknown; readonly acts: boolean }>>;
}

interface Place {
  readonly workdir: string;
  /** The person's own home folder: what is in it is not the repository's. */
  readonly home: string | undefined;
}

const MAX_FILES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_WORDS = 10_000;

/** How far what is named is followed: instructions name others, which name others. */
const MAX_DEPTH = 5;

/**
 * Everything in a working directory that these agents obey, and in the folders above it up to the repository's: what is
 * not there, or empty, is left out. Nothing is run for it. Links are followed, as the agents do.
 *
 * @throws {UsageError} where it cannot be told
 */
export async function surveyObeyed(agents: readonly Provider[], place: Place): Promise<readonly Obeyed[]> {
  const folders = foldersOf(place);
  const reader = new Reader(place.workdir, folders.at(-1) ?? place.workdir);
  const found: Obeyed[] = [];
  const asked = new Set<string>();
  for (const { label, obeys } of agents) {
    if (asked.has(label)) continue;
    asked.add(label);
    for (const { files, settings, acts } of obeyedBy(obeys)) {
      for (const folder of folders) {
        for (const name of files) {
          const digests = await reader.digests(`${folder}/${name}`);
          if (digests === undefined) continue;
          found.push({ agent: label, path: reader.nameOf(`${folder}/${name}`), files: digests });
        }
        for (const name of settings) {
          const read = await reader.settings(`${folder}/${name}`);
          if (read === undefined) continue;
          const set = Object.entries(read.set).map(([key, value]) => [key, { value, acts: acts.includes(key) }]);
          const path = reader.nameOf(`${folder}/${name}`);
          found.push({ agent: label, path, files: read.digests, settings: Object.fromEntries(set) });
        }
      }
    }
  }
  return found;
}

/** All that is found, as one table of files. */
export function digestsOf(found: readonly Obeyed[]): Readonly<Record<string, string>> {
  return Object.assign(Object.create(null), ...found.map(({ files }) => files));
}

/** The files that are not as they were: changed, new or gone. */
export function changedObeyed(
  before: Readonly<Record<string, string>>,
  now: Readonly<Record<string, string>>,
): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name] !== now[name]).toSorted();
}

/** Of an agent of which nothing is known, all that any obeys. */
function obeyedBy(obeys: Provider["obeys"]): readonly ObeyedFiles[] {
  if (typeof obeys === "object") return [obeys];
  const same = PROVIDERS.find(({ id }) => id === obeys)?.obeys;
  if (typeof same === "object") return [same];
  return PROVIDERS.flatMap((provider) => typeof provider.obeys === "object" ? [provider.obeys] : []);
}

/** The working directory and the folders above it, up to that of the outermost repository. */
function foldersOf({ workdir, home }: Place): readonly string[] {
  const above = [workdir];
  for (let folder = dirname(workdir); folder !== dirname(folder); folder = dirname(folder)) above.push(folder);
  const own = home === undefined ? -1 : above.indexOf(resolve(home));
  const theirs = own < 0 ? above : above.slice(0, own);
  const top = theirs.findLastIndex((folder) => hasGit(folder));
  return theirs.slice(0, Math.max(1, top + 1));
}

/** Sandboxes leave empty ones behind. */
function hasGit(folder: string): boolean {
  try {
    const git = lstatOrUndefined(`${folder}/.git`);
    return git !== undefined && (!git.isDirectory || lstatOrUndefined(`${folder}/.git/HEAD`) !== undefined);
  } catch {
    return false;
  }
}

class Reader {
  readonly #workdir: string;
  readonly #root: string;
  readonly #known = new Map<string, { readonly sha256: string; readonly text: string }>();
  readonly #words = new Set<string>();
  #bytes = 0;

  constructor(workdir: string, root: string) {
    this.#workdir = workdir;
    this.#root = root;
  }

  nameOf(path: string): string {
    return relative(this.#workdir, path);
  }

  /** The digests of a file, or of those in a folder; `undefined` where there is none. */
  async digests(path: string): Promise<Readonly<Record<string, string>> | undefined> {
    const digests: Record<string, string> = {};
    await this.#add(path, { digests, within: [], depth: 0 });
    return Object.keys(digests).length === 0 ? undefined : digests;
  }

  async settings(path: string) {
    const digests: Record<string, string> = {};
    await this.#add(path, { digests, within: [], depth: MAX_DEPTH });
    const text = this.#known.get(path)?.text;
    if (text === undefined) return undefined;
    const set = await parseSettings(path, text);
    for (const word of wordsIn(set)) await this.#addNamed(word, path, { digests, within: [], depth: MAX_DEPTH });
    return { digests, set };
  }

  async #add(path: string, found: Found): Promise<void> {
    const real = this.#look(path);
    if (real === undefined) return;
    const { within, digests, depth } = found;
    if (real.isDirectory) {
      // A link can lead back to where it stands.
      if (within.includes(real.path)) return;
      for (const { name } of this.#ask(path, () => [...Deno.readDirSync(real.path)]) ?? []) {
        await this.#add(`${path}/${name}`, { ...found, within: [...within, real.path] });
      }
      return;
    }
    if (real.size === 0) return;
    const file = await this.#read(path, real.path);
    digests[this.nameOf(path)] = file.sha256;
    if (depth >= MAX_DEPTH || !/\.md$/i.test(path)) return;
    const imports = file.text.matchAll(/(?:^|\s)@([^\s`"')]+)/g);
    for (const [, name = ""] of imports) {
      await this.#addNamed(name.replace(/[.,;:]+$/, ""), path, { ...found, depth: depth + 1 });
    }
  }

  /** A file below the repository's folder that is named: from there, from the working directory, or from its own. */
  async #addNamed(word: string, by: string, found: Found): Promise<void> {
    for (const folder of new Set([this.#workdir, this.#root, dirname(by)])) {
      const path = resolve(folder, word);
      if (!path.startsWith(`${this.#root}/`) || found.digests[this.nameOf(path)] !== undefined) continue;
      if (this.#words.size > MAX_WORDS) throw this.#untold(by, `it names more than ${MAX_WORDS} others`);
      this.#words.add(path);
      if (this.#look(path)?.isDirectory === false) await this.#add(path, found);
    }
  }

  #look(path: string) {
    return this.#ask(path, () => {
      const real = Deno.realPathSync(path);
      const { isFile, isDirectory, size } = Deno.lstatSync(real);
      if (!isFile && !isDirectory) throw new Error("it is neither a file nor a folder");
      return { path: real, isDirectory, size };
    });
  }

  async #read(path: string, real: string) {
    const known = this.#known.get(path);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_FILES) throw this.#untold(path, `there are more than ${MAX_FILES} such files`);
    const bytes = this.#ask(path, () => readRegularFile(real, { maxBytes: MAX_BYTES - this.#bytes })) ??
      new Uint8Array();
    this.#bytes += bytes.length;
    const text = bytes.length > MAX_TEXT_BYTES ? "" : new TextDecoder().decode(bytes);
    const file = { sha256: await sha256Hex(bytes), text };
    this.#known.set(path, file);
    return file;
  }

  #ask<Answer>(path: string, ask: () => Answer): Answer | undefined {
    try {
      return ask();
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw this.#untold(path, errorText(error), error);
    }
  }

  #untold(path: string, why: string, cause?: unknown): UsageError {
    return new UsageError(`Cannot tell what agents obey in ${this.#workdir}: ${this.nameOf(path)}: ${why}`, {
      cause,
      hint: "Put it right or remove it: what cannot be shown cannot be trusted.",
    });
  }
}

interface Found {
  readonly digests: Record<string, string>;
  readonly within: readonly string[];
  readonly depth: number;
}

const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** What settings set, by their keys; under no key that they cannot be read as such, or not in whole. */
async function parseSettings(path: string, text: string): Promise<Readonly<Record<string, unknown>>> {
  const errors: ParseError[] = [];
  try {
    const set = /\.toml$/.test(path)
      ? (await import("@std/toml")).parse(text)
      : parseJsonc(text, errors, { allowTrailingComma: true });
    if (isObject(set) && errors.length === 0) return set;
    return { ...(isObject(set) ? set : {}), "": UNREADABLE };
  } catch {
    return { "": UNREADABLE };
  }
}

const UNREADABLE = "cannot be read as settings";

/** The words of all texts in a value, as a shell would part them, by and large. */
function wordsIn(value: unknown): readonly string[] {
  if (typeof value === "string") {
    return value.replaceAll(/\$\{?\w+\}?\//g, "").split(/[\s"'`()=,;:|&<>]+/).filter((word) => /[./]/.test(word));
  }
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(wordsIn) : [];
}
