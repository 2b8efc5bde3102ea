import { basename } from "@std/path/posix";
import { lstatOrUndefined } from "../base/ports/files.ts";

/** What of a working directory is obeyed later, and cannot be made inside where it is not there. */
export const UNMAKEABLE = [
  ...["panewright.jsonc", "panewright.json", ".claude", ".codex", ".gemini", ".qwen", "opencode.json", ".envrc"],
  ...[".husky"],
];

/** What cannot be made in a working directory inside: while a sandbox is open, an empty file stands in its place. */
const NAMES: ReadonlySet<string> = new Set([
  ...UNMAKEABLE,
  ...[".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".zshrc", ".zprofile", ".profile", ".ripgreprc"],
  ...[".mcp.json", ".vscode", ".idea"],
]);

export function mayBePlaceholder(path: string): boolean {
  return NAMES.has(basename(path));
}

/** Whether a file is one of the empty ones that a sandbox shows while it is open: it is no work of anybody. */
export function isPlaceholder(path: string, { mode, size }: Partial<Pick<Deno.FileInfo, "mode" | "size">>): boolean {
  return mayBePlaceholder(path) && size === 0 && ((mode ?? 0) & 0o777) === 0o444;
}

/** What programs inside are shown in a folder: such a file wherever nothing else is. */
export function shownIn(folder: string): readonly string[] {
  return [...NAMES].filter((name) => {
    const info = lstatOrUndefined(`${folder}/${name}`);
    return info === undefined || isPlaceholder(name, info) || name === FOLDER && isOurFolder(info);
  });
}

/** The paths in a folder that are such files now; and the folder that is there for the same reason. */
export function placeholdersIn(folder: string): readonly string[] {
  const isOne = (name: string) => isPlaceholder(name, lstatOrUndefined(`${folder}/${name}`) ?? {});
  return [...NAMES].filter(isOne);
}

/**
 * A folder of which the library keeps parts from being made: it has to be there before any program is started. Otherwise
 * one that is started while another makes it as its placeholder cannot start (0.0.83).
 */
const FOLDER = ".claude";
const FOLDER_MODE = 0o555;

function isOurFolder(info: Deno.FileInfo | undefined): boolean {
  return info?.isDirectory === true && ((info.mode ?? 0) & 0o777) === FOLDER_MODE;
}

/** Makes what has to be there while a sandbox is open. */
export async function makePlaceholders(workdir: string): Promise<void> {
  const path = `${workdir}/${FOLDER}`;
  if (lstatOrUndefined(path) !== undefined) return;
  try {
    await Deno.mkdir(path);
    await Deno.chmod(path, FOLDER_MODE);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}

/** Removes what has to be there while a sandbox is open, unless something was put there. */
export async function removePlaceholderFolder(workdir: string): Promise<void> {
  const path = `${workdir}/${FOLDER}`;
  // One that is not empty stays.
  if (isOurFolder(lstatOrUndefined(path))) await Deno.remove(path).catch(() => {});
}

/** Removes what a sandbox that was killed has left in its working directory. */
export async function removePlaceholders(workdir: string): Promise<void> {
  for (const path of [...NAMES].map((name) => `${workdir}/${name}`)) {
    if (isPlaceholder(path, lstatOrUndefined(path) ?? {})) await Deno.remove(path).catch(() => {});
  }
}
