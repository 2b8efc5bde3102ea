import { dirname, resolve } from "@std/path/posix";
import { RuntimeError } from "../../base/errors.ts";

export async function writeProjectFile(
  workdir: string,
  path: string,
  options: { readonly text: string; readonly append?: boolean },
): Promise<void> {
  const target = await openableTarget(workdir, path);
  await Deno.writeTextFile(target, options.text, { append: options.append ?? false });
}

export async function renameProjectFile(
  workdir: string,
  paths: { readonly from: string; readonly to: string },
): Promise<void> {
  await Deno.rename(await openableTarget(workdir, paths.from), await openableTarget(workdir, paths.to));
}

async function openableTarget(workdir: string, path: string): Promise<string> {
  const target = resolve(workdir, path);
  if (!isBelow(resolve(workdir), target)) throw leaves(path);
  const root = await Deno.realPath(workdir);
  if (!isInOrAt(root, await realAncestor(dirname(target)))) throw leaves(path);
  await Deno.mkdir(dirname(target), { recursive: true });
  if (await isSymlink(target)) throw leaves(path);
  return target;
}

function leaves(path: string): RuntimeError {
  return new RuntimeError(`Cannot write ${JSON.stringify(path)}: it leaves the working directory`);
}

function isBelow(folder: string, path: string): boolean {
  return path.startsWith(folder === "/" ? "/" : `${folder}/`) && path !== folder;
}

function isInOrAt(folder: string, path: string): boolean {
  return path === folder || isBelow(folder, path);
}

async function realAncestor(folder: string): Promise<string> {
  try {
    return await Deno.realPath(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return await realAncestor(dirname(folder));
  }
}

async function isSymlink(path: string): Promise<boolean> {
  try {
    return (await Deno.lstat(path)).isSymlink;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return false;
  }
}
