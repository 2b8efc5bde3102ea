/** Settings by which git runs nothing, by section; `*` stands for all of it. */
const HARMLESS: Readonly<Record<string, readonly string[]>> = {
  core: [
    ...["repositoryformatversion", "filemode", "bare", "logallrefupdates", "ignorecase", "precomposeunicode"],
    ...["symlinks", "autocrlf", "eol", "sharedrepository", "quotepath", "longpaths"],
  ],
  remote: ["url", "pushurl", "fetch", "push", "tagopt", "prune", "mirror", "promisor", "partialclonefilter"],
  branch: ["remote", "merge", "rebase", "pushremote", "description"],
  submodule: ["url", "active", "branch", "ignore", "shallow", "path", "recurse"],
  extensions: ["objectformat", "worktreeconfig", "refstorage", "partialclone"],
  user: ["name", "email"],
  ...{ init: ["defaultbranch"], pull: ["rebase", "ff"], push: ["default", "autosetupremote"], fetch: ["prune"] },
  ...{ commit: ["gpgsign"], tag: ["gpgsign"], merge: ["ff", "conflictstyle"], gc: ["auto"], rerere: ["enabled"] },
  ...{ advice: ["*"], color: ["*"], lfs: ["repositoryformatversion"] },
};

const SECTION = /^[ \t]*\[([a-z]+)(?: "[^"\\]*")?\][ \t\r]*$/i;
/** Without quotes, escapes and comments: what git reads is what stands there. */
const ENTRY = /^[ \t]*([a-z][a-z0-9-]*)[ \t]*(?:=([^"\\#;]*))?$/i;
const NOTHING = /^[ \t\r]*(?:[#;][^\\]*)?$/;

/**
 * The lines of a file of git's settings by which git runs nothing, whoever has written them: only those are kept whose
 * form and key are known.
 *
 * @param isTree whether files may lie at a path that `core.worktree` names, as that of a submodule does. @default {() => false}
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(harmlessSettings("[core]\n\tbare = false\n\tfsmonitor = ./x\n"), "[core]\n\tbare = false\n");
 * ```
 */
export function harmlessSettings(text: string, isTree: (path: string) => boolean = () => false): string {
  let allowed: readonly string[] | undefined;
  const isHarmless = (line: string): boolean => {
    if (NOTHING.test(line)) return true;
    const section = SECTION.exec(line)?.[1];
    if (section !== undefined) {
      allowed = HARMLESS[section.toLowerCase()];
      return allowed !== undefined;
    }
    const [, name, value = ""] = ENTRY.exec(line) ?? [];
    const key = name?.toLowerCase();
    if (key === "worktree") return allowed === HARMLESS["core"] && isTree(value.trim());
    // What follows a line of another form could belong to it.
    if (key === undefined) allowed = undefined;
    return key !== undefined && (allowed?.includes(key) === true || allowed?.includes("*") === true);
  };
  return text.split("\n").filter(isHarmless).join("\n");
}

/** The lines by which git runs nothing of what an unfinished rebase, cherry-pick or revert goes on with, by file. */
export const UNFINISHED: Readonly<Record<string, RegExp>> = {
  "rebase-merge/git-rebase-todo":
    /^[ \t]*(?:#.*|(?:noop|[bd]|break|drop|[perfslmtu]|pick|edit|reword|revert|fixup|squash|label|merge|reset|update-ref)(?:[ \t][^\0]*)?)?\r?$/,
  "rebase-merge/strategy": /^(?:ort|recursive|resolve|octopus|ours|subtree)?$/,
  "sequencer/opts": /^(?:\[options\]|\t(?:edit|signoff|mainline|no-commit|record-origin|allow-[a-z-]+) = \w+)?$/,
};
