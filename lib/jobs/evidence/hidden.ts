import { UsageError } from "../../base/errors.ts";
import { isPlainFile } from "../../base/ports/files.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { copyInto, ignoredIn } from "../../workspace/bring.ts";
import { type Workspace, workspaceAround } from "../../workspace/workspace.ts";
import type { TrialRun } from "./trial.ts";

type Place = Pick<Workspace, "top" | "brought">;

/**
 * Looks whether no agent sees the hidden tests of a run, before it begins.
 *
 * @throws {UsageError} where one does, or there are none
 */
export async function requireHidden({ evidence, workdir }: TrialRun["plan"], signal: AbortSignal): Promise<void> {
  const { hidden = [] } = evidence ?? {};
  const workspace = workspaceAround(workdir);
  if (hidden.length === 0 || workspace?.partOf !== undefined) return;
  if (workspace === undefined) {
    throw new UsageError("Cannot hide evidence.hidden: agents work in the folder that has these files", {
      hint: "Have them work in a workspace: --workspace, or isolation: workspace.",
    });
  }
  await hiddenIn(workspace, { patterns: hidden, signal });
}

/**
 * The hidden files in a person's checkout, below its top.
 *
 * @throws {UsageError} where git has one of them, or agents get it in another way; where there are none
 */
export async function hiddenIn(
  { brought = [], top }: Place,
  { patterns, signal }: { readonly patterns: readonly string[]; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  const { paths, known } = await ignoredIn(top, { patterns, signal });
  const [seen = paths.find((path) => brought.some((one) => path.startsWith(one) || one.startsWith(path)))] = known;
  if (seen !== undefined) {
    throw new UsageError(`Cannot hide ${seen}: agents get it with the files of the repository`, {
      hint:
        "What evidence.hidden names must be ignored by git, never committed, and not in workspace.share or .worktreeinclude.",
    });
  }
  if (paths.length > 0) return paths;
  throw new UsageError(
    `Cannot find hidden tests: nothing in ${top} is named by evidence.hidden (${patterns.join(", ")})`,
  );
}

/**
 * Puts the hidden tests into a workspace in which no agent works.
 *
 * @returns a hash of them, which tells nothing of what they are
 */
export async function bringHidden(
  patterns: readonly string[],
  { from, into, signal }: { readonly from: Place; readonly into: string; readonly signal: AbortSignal },
): Promise<string> {
  const hashes: string[] = [];
  for (const path of await hiddenIn(from, { patterns, signal })) {
    if (!await copyInto(path, { from: from.top, into, replaces: true, signal })) {
      throw new UsageError(`Cannot try the hidden tests: the place of ${path} is behind a link`);
    }
    const copy = `${into}/${path}`;
    if (isPlainFile(copy)) hashes.push(`${await sha256Hex(await Deno.readFile(copy))} ${path}`);
  }
  return (await sha256Hex(hashes.toSorted().join("\n"))).slice(0, HASH_LENGTH);
}

const HASH_LENGTH = 16;
