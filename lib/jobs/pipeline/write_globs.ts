export function mayWrite(path: string, globs: readonly string[]): boolean {
  return globsFor(path, globs).some((glob) => matchParts(glob, path.split("/")));
}

export function mayWriteBelow(path: string, globs: readonly string[]): boolean {
  const parts = path.split("/").filter((part) => part !== "");
  return globsFor(path, globs).some((glob) => glob.some((_, index) => matchParts(glob.slice(0, index), parts)));
}

/**
 * Folders that have in them all that these globs allow, each once; `undefined` where that is the working directory
 * itself.
 */
export function foldersOf(globs: readonly string[]): readonly string[] | undefined {
  const folders = globs.map(globParts).map((parts) => {
    const end = parts.findIndex((part) => /[*?]/.test(part));
    return parts.slice(0, end === -1 ? -1 : end).join("/");
  });
  return folders.includes("") ? undefined : [...new Set(folders)];
}

/** The globs that could mean a path, in parts: none for one that leads out of the working directory. */
function globsFor(path: string, globs: readonly string[]): readonly (readonly string[])[] {
  const parts = path.split("/");
  if (parts.includes("..")) return [];
  return globs.map(globParts).filter((glob) => parts[0] !== ".git" || glob[0] === ".git");
}

/** What is wrong with a glob, as the rest of a sentence; `undefined` for a valid one. */
export function globProblem(glob: string): string | undefined {
  if (glob.trim() === "") return "is empty";
  if (glob.startsWith("/") || glob.startsWith("~")) return "is not a path relative to the working directory";
  if (glob.startsWith("!")) return "begins with !: there are no exceptions, only what is allowed";
  return glob.split("/").includes("..") ? "leads out of the working directory" : undefined;
}

function globParts(glob: string): string[] {
  const bare = glob.replace(/^(?:\.\/)+/, "");
  const parts = (bare.endsWith("/") ? `${bare}**` : bare).split("/").filter((part) => part !== "" && part !== ".");
  // Everything below a folder is not the folder's own name.
  return parts.at(-1) === "**" ? [...parts, "*"] : parts;
}

/** Row by row over the glob's parts, so that the time is the product of both lengths at most. */
function matchParts(glob: readonly string[], path: readonly string[]): boolean {
  let reached = [true, ...path.map(() => false)];
  for (const part of glob) {
    const next = reached.map(() => false);
    for (let index = 0; index <= path.length; index++) {
      if (part === "**") next[index] = reached[index] === true || (index > 0 && next[index - 1] === true);
      else if (index > 0) next[index] = reached[index - 1] === true && matchWord(part, path[index - 1] ?? "");
    }
    reached = next;
  }
  return reached.at(-1) === true;
}

function matchWord(glob: string, word: string): boolean {
  let [at, place] = [0, 0];
  let star: { readonly at: number; taken: number } | undefined;
  while (place < word.length) {
    if (glob[at] === "*") star = { at: at++, taken: place };
    else if (at < glob.length && (glob[at] === "?" || glob[at] === word[place])) [at, place] = [at + 1, place + 1];
    else if (star !== undefined) [at, place] = [star.at + 1, ++star.taken];
    else return false;
  }
  return [...glob.slice(at)].every((character) => character === "*");
}
