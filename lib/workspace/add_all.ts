import { RuntimeError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { errorText } from "../base/text/error_text.ts";
import { placeholdersIn } from "../sandbox/placeholders.ts";
import { asSettings, git, type GitAsk, gitLine } from "./git.ts";

export interface Adding {
  readonly ask: GitAsk;
  readonly settings: readonly string[];
  /** Filters that are not run: what goes through them stays as the index has it. */
  readonly filters: readonly string[];
  /** Whether what git does not take, such as a repository without a commit, is refused. @default {false} it is left out */
  readonly isWhole?: boolean;
  /** Told of what is left out. */
  readonly onLeftOut?: (path: string) => void;
}

/** So many are passed by, each of them by one more attempt of git's. */
const MOST_PASSED = 100;

/** What git says of a file that is not in the encoding that `.gitattributes` names. */
const NOT_CONVERTED = /(?:failed to encode|encoding|BOM is (?:required|prohibited) in) '(.+)' (?:from|if encoded as) /;

/** What git does not take: a repository that has no commit, a file that it may not read. */
const NOT_TAKEN = [/error: '(.+?)\/?' does not have a commit checked out/, /error: unable to index file '(.+)';/];

/** Has an index be what the files of a folder are, but for what git ignores or does not take. */
export async function addAll(
  tree: string,
  { ask, filters, isWhole = false, onLeftOut, settings }: Adding,
): Promise<void> {
  const leftOut: string[] = [];
  const asIs: string[] = [];
  let filtered: readonly string[] | undefined;
  const stopping = filters.flatMap((name) =>
    ["clean=false", "process=", "required=true"].map((is) => `filter.${name}.${is}`)
  );
  const add = ["add", "--all", "--pathspec-from-file=-", "--pathspec-file-nul"];
  for (;;) {
    // What a sandbox that is open shows there is no work of anybody.
    const passed = [...placeholdersIn(tree), ...leftOut, ...asIs, ...filtered ?? []];
    const stdin = [".", ...passed.map((path) => `:(exclude,top,literal)${path}`)].join("\0");
    const cause = await git([...asSettings([...settings, ...stopping]), ...add], { ...ask, stdin })
      .then(() => undefined, (error) => error);
    if (cause === undefined) break;
    const said = errorText(cause);
    const [, odd] = NOT_CONVERTED.exec(said) ?? [];
    const [, untaken] = NOT_TAKEN.map((form) => form.exec(said)).find((found) => found !== null) ?? [];
    if (filtered === undefined && /clean filter '.+' failed/.test(said)) filtered = await filteredBy(filters, ask);
    else if (leftOut.length + asIs.length >= MOST_PASSED) throw cause;
    else if (odd !== undefined) {
      await takeAsIs(odd, { ask, tree });
      asIs.push(odd);
    } else if (untaken === undefined) throw cause;
    else if (isWhole || leftOut.includes(untaken)) throw notTaken(untaken, { cause, tree });
    else leftOut.push(untaken);
  }
  for (const path of leftOut) onLeftOut?.(path);
}

function notTaken(path: string, { cause, tree }: { readonly cause: unknown; readonly tree: string }): RuntimeError {
  const isFolder = lstatOrUndefined(`${tree}/${path}`)?.isDirectory === true;
  const [why, hint] = isFolder
    ? ["is a repository of its own without a commit", "commit something in it. Its files are not taken along."]
    : ["cannot be read", "make it readable for the user who runs panewright."];
  return new RuntimeError(`Cannot take what is in ${tree}: ${path} ${why}`, {
    ...{ cause, hint: `Have git ignore it (.gitignore), or ${hint}` },
  });
}

/** Takes the bytes of a file as they are, whatever `.gitattributes` says. */
async function takeAsIs(path: string, { ask, tree }: { readonly ask: GitAsk; readonly tree: string }): Promise<void> {
  const blob = await gitLine(["hash-object", "-w", "--no-filters", "--", path], ask);
  const isExecutable = ((lstatOrUndefined(`${tree}/${path}`)?.mode ?? 0) & 0o100) !== 0;
  const stdin = `${isExecutable ? "100755" : "100644"} ${blob}\t${path}\0`;
  await git(["update-index", "-z", "--index-info"], { ...ask, stdin });
}

/** The files that go through one of these filters. Of those in the index git does not look at what it may have seen too early. */
async function filteredBy(filters: readonly string[], ask: GitAsk): Promise<readonly string[]> {
  const stdin = await git(["ls-files", "-z", "--cached", "--others", "--exclude-standard"], ask);
  const parts = (await git(["check-attr", "-z", "--stdin", "filter"], { ...ask, stdin })).split("\0");
  const filtered = new Set(parts.filter((_, at) => at % 3 === 0 && filters.includes(parts[at + 2] ?? "")));
  const staged = (await git(["ls-files", "-z", "--stage"], ask)).split("\0");
  const entries = staged.filter((entry) => filtered.has(entry.slice(entry.indexOf("\t") + 1)));
  await git(["update-index", "-z", "--index-info"], { ...ask, stdin: entries.map((entry) => `${entry}\0`).join("") });
  return [...filtered];
}
