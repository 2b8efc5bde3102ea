import { dirname, resolve } from "@std/path/posix";

/** More links than these in a row count as a loop. */
const MAX_LINKS = 40;

/** How many paths are remembered at most. */
const MAX_KNOWN = 50_000;

/**
 * Resolves absolute paths with every link on them, as far as they exist: what does not exist yet is created where its
 * nearest folder really is. A link to what does not exist counts as what it leads to.
 *
 * What was looked at once is not looked at again: it shows the file system as it was then, so it is to live no longer
 * than what is decided with it, one decision of a run or one command that only tells.
 *
 * @returns a function that gives `undefined` where that cannot be known: links in a circle, or a folder that may not
 * be looked at
 */
export function realPathSnapshot(): (path: string) => string | undefined {
  const known = new Map<string, string>();
  const lookUp = (path: string, links: number): string | undefined => {
    if (links > MAX_LINKS) return undefined;
    const found = known.get(path) ?? look(path, links);
    if (found === undefined) return undefined;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(path, found);
    return found;
  };
  const look = (path: string, links: number): string | undefined => {
    try {
      return Deno.realPathSync(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound) && !(error instanceof Deno.errors.NotADirectory)) return undefined;
    }
    const above = dirname(path);
    if (above === path) return path;
    const folder = lookUp(above, links);
    if (folder === undefined) return undefined;
    const here = resolve(folder, path.slice(path.lastIndexOf("/") + 1));
    try {
      return lookUp(resolve(folder, Deno.readLinkSync(here)), links + 1);
    } catch {
      return here;
    }
  };
  return (path) => lookUp(path, 0);
}
