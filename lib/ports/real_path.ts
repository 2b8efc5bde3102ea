import { dirname, resolve } from "@std/path/posix";

/** More links than these in a row count as a loop. */
const MAX_LINKS = 40;

/**
 * An absolute path with every link on it resolved, as far as it exists: what does not exist yet is created where its
 * nearest folder really is. A link to what does not exist counts as what it leads to.
 *
 * @returns `undefined` where that cannot be known: links in a circle, or a folder that may not be looked at
 */
export function realPathAsFarAsItExists(path: string, links = 0): string | undefined {
  if (links > MAX_LINKS) return undefined;
  try {
    return Deno.realPathSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) return undefined;
  }
  const above = dirname(path);
  if (above === path) return path;
  const folder = realPathAsFarAsItExists(above, links);
  if (folder === undefined) return undefined;
  const here = resolve(folder, path.slice(path.lastIndexOf("/") + 1));
  try {
    return realPathAsFarAsItExists(resolve(folder, Deno.readLinkSync(here)), links + 1);
  } catch {
    return here;
  }
}
