import { resolve } from "@std/path/posix";
import { readRegularFile } from "../../base/ports/regular_file.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { askGit, type GitQuestion, lstatOf, UntoldError, walkFiles } from "./list.ts";

const MAX_FILES = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** How deep submodules may lie in one another. */
const MAX_DEPTH = 5;

/**
 * By what git would run something when everything is added and committed: its settings, its hooks, and the scripts in
 * the working tree that these name; the same of submodules, whose settings git obeys as well. Nothing of it is run.
 *
 * @returns a hash and a name for each; the same list means that git would run the same
 * @throws {UntoldError} where it cannot be told
 */
export async function gitActs(question: GitQuestion, depth = 0): Promise<readonly string[]> {
  if (depth > MAX_DEPTH) throw new UntoldError("submodules lie too deep in one another");
  const [settings, places, staged] = await Promise.all([
    askGit(question, ["config", "--list", "-z", "--show-scope", "--show-origin"]),
    askGit(question, ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"]),
    askGit(question, ["ls-files", "-z", "--stage", "--full-name", ":/"]),
  ]);
  const [top, ...gitFolders] = places?.stdout.split("\n").filter((line) => line !== "") ?? [];
  if (
    settings?.code !== 0 || places?.code !== 0 || staged?.code !== 0 || top === undefined || gitFolders.length !== 2
  ) {
    throw new UntoldError("git does not say how it is set up");
  }
  const values = valuesIn(settings.stdout);
  const look = new Look(top);
  look.add("folders", [top, ...gitFolders]);
  for (const [key, value] of values) {
    if (!HARMLESS_KEY.test(key)) look.add(`setting ${key}`, value);
    look.addNamed(value.join(" "));
  }
  const common = gitFolders[1] ?? "";
  await look.addFolder(hooksFolder(values, { top, common }));
  for (const name of [`${common}/info/attributes`, ...CONFIGS_OF_HOOKS.map((name) => `${top}/${name}`)]) {
    look.addFile(name);
  }
  const own = await look.entries();
  const inner: string[] = [];
  for (const entry of staged.stdout.split("\0").filter((entry) => entry.startsWith(SUBMODULE))) {
    const folder = `${top}/${entry.slice(entry.indexOf("\t") + 1)}`;
    if (lstatOf(`${folder}/.git`) === undefined) continue;
    const acts = await gitActs({ ...question, folder }, depth + 1);
    inner.push(...acts.map((act) => `${act} in ${folder.slice(top.length + 1)}`));
  }
  return [...own, ...inner];
}

/** The names of what is in one list only. */
export function changedActs(before: readonly string[], now: readonly string[]): readonly string[] {
  const different = new Set(before).symmetricDifference(new Set(now));
  return [...new Set([...different].map((act) => act.slice(act.indexOf(" ") + 1)))].toSorted();
}

const SUBMODULE = "160000 ";

/** What git runs nothing by, and what it writes itself when branches are made. */
const HARMLESS_KEY = /^(?:branch|color|advice)\.|^user\.(?:name|email)$|^lfs\..*\.(?:access|locksverify)$/;

/** What the usual programs in hooks obey. */
const CONFIGS_OF_HOOKS = [
  ...[".pre-commit-config.yaml", ".pre-commit-config.yml", ".overcommit.yml", "captainhook.json"],
  ...["lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", "lefthook.toml", "lefthook.json"],
  ...["lefthook-local.yml", ".lefthook-local.yml", ".simple-git-hooks.json", ".simple-git-hooks.js"],
  ...[".lintstagedrc", ".lintstagedrc.json", ".lintstagedrc.js", "lint-staged.config.js", "lint-staged.config.mjs"],
];

/** All values by their keys, in their order; without those that are given to each of our questions. */
function valuesIn(listed: string): ReadonlyMap<string, readonly string[]> {
  const fields = listed.split("\0");
  const values = new Map<string, string[]>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, , entry = ""] = fields.slice(at, at + 3);
    if (scope === "command") continue;
    const end = entry.indexOf("\n");
    const [key, value] = end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
    values.set(key, [...values.get(key) ?? [], value]);
  }
  return values;
}

function hooksFolder(
  values: ReadonlyMap<string, readonly string[]>,
  { top, common }: { readonly top: string; readonly common: string },
): string {
  const named = values.get("core.hookspath")?.at(-1);
  if (named === undefined) return `${common}/hooks`;
  const folder = resolve(top, named.replace(/^~(?=\/|$)/, () => Deno.env.get("HOME") ?? "~"));
  if (folder === top || !folder.startsWith(`${top}/`) || folder.startsWith(`${common}/`)) return folder;
  // What stands beside such a folder is its hooks' own, as with husky.
  return `${top}/${folder.slice(top.length + 1).split("/", 1)[0]}`;
}

class Look {
  readonly #top: string;
  readonly #entries = new Map<string, unknown>();
  #bytes = 0;

  constructor(top: string) {
    this.#top = top;
  }

  add(name: string, what: unknown): void {
    this.#entries.set(name, what);
  }

  async addFolder(folder: string): Promise<void> {
    const skips = (path: string) => path.endsWith(".sample") || path === `${this.#top}/.git`;
    for await (const { path } of walkFiles(folder, { maxFiles: MAX_FILES, skips })) {
      this.addNamed(new TextDecoder().decode(this.addFile(path)));
    }
  }

  /** What a link leads to counts, too. */
  addFile(path: string): Uint8Array {
    const info = lstatOf(path);
    if (info === undefined) return new Uint8Array();
    const real = info.isSymlink ? realPathOf(path) : path;
    const bytes = real === undefined ? new Uint8Array() : this.#read(real);
    this.#entries.set(path, [info.isSymlink && real, ((info.mode ?? 0) & 0o111) !== 0, bytes]);
    return bytes;
  }

  /** Scripts of the working tree that a text names: files that may be executed. */
  addNamed(text: string): void {
    for (const word of new Set(text.split(/[\s"'`()=,;|&<>]+/))) {
      const path = resolve(this.#top, word.replace(/^\$\{?\w+\}?\//, ""));
      if (!path.startsWith(`${this.#top}/`) || path.startsWith(`${this.#top}/.git/`)) continue;
      const info = statOf(path);
      if (info?.isFile && ((info.mode ?? 0) & 0o111) !== 0 && !this.#entries.has(path)) this.addFile(path);
    }
  }

  async entries(): Promise<readonly string[]> {
    const shown = (name: string) => name.startsWith(`${this.#top}/`) ? name.slice(this.#top.length + 1) : name;
    const all = [...this.#entries].map(async ([name, what]) => {
      const text = JSON.stringify(what, (_key, value) => value instanceof Uint8Array ? value.toBase64() : value);
      return `${(await sha256Hex(text)).slice(0, 32)} ${shown(name)}`;
    });
    return (await Promise.all(all)).toSorted();
  }

  #read(path: string): Uint8Array {
    try {
      const bytes = readRegularFile(path, { maxBytes: MAX_BYTES - this.#bytes });
      this.#bytes += bytes.length;
      return bytes;
    } catch (cause) {
      throw new UntoldError(`${path} cannot be read`, { cause });
    }
  }
}

function realPathOf(path: string): string | undefined {
  try {
    return Deno.realPathSync(path);
  } catch {
    return undefined;
  }
}

function statOf(path: string): Deno.FileInfo | undefined {
  try {
    return Deno.statSync(path);
  } catch {
    return undefined;
  }
}
