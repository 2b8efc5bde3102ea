import { UsageError } from "../base/errors.ts";
import { asSettings, git, withStore } from "./git.ts";
import { bringObjects, ownIndex } from "./snapshot.ts";
import { openWorkspace } from "./open_workspace.ts";
import { commitWork } from "./result.ts";
import { treeOf } from "./trees.ts";
import { findWorkspace, noteWorkspace, placesOf, type Workspace } from "./workspace.ts";

// What is in a workspace after each turn is a commit of our store, which no agent can write: a turn can be looked at, undone,
// and begun from anew.

type Turn = NonNullable<Workspace["turns"]>[number];

/** Of more turns the oldest are not listed any more. */
const MOST_TURNS = 200;

interface Asking {
  readonly signal: AbortSignal;
}

/**
 * Keeps what is in a workspace after a turn, unless it is what was there before.
 *
 * @param of whose turn it was: `work, attempt 1`
 */
export async function keepTurn(
  { name }: Pick<Workspace, "name">,
  { of, now, signal }: Asking & { readonly of: string; readonly now: Date },
): Promise<void> {
  const workspace = findWorkspace(name);
  if (workspace === undefined || workspace.isTarget === true) return;
  const { base, store, turns = [] } = workspace;
  const commit = await commitWork(workspace, { signal });
  const [before, after] = await Promise.all(
    [turns.at(-1)?.commit ?? base, commit].map((one) => treeOf(one, { store, signal })),
  );
  if (before === after) return;
  await bringObjects(commit, { store, signal });
  const turn: Turn = { number: (turns.at(-1)?.number ?? 0) + 1, commit, of, at: now.toISOString() };
  await noteWorkspace({ ...workspace, turns: [...turns, turn].slice(-MOST_TURNS) });
}

/**
 * The commit after a turn; of turn 0 that with which the workspace began.
 *
 * @throws {UsageError} for a turn that is not known
 */
export function commitOfTurn({ base, name, turns = [] }: Workspace, number: number): string {
  if (number === 0) return base;
  const found = turns.find((turn) => turn.number === number);
  if (found !== undefined) return found.commit;
  const known = turns.length === 0
    ? "no turn has changed a file"
    : `turns that have changed a file are ${listed(turns)}`;
  throw new UsageError(`Cannot find turn ${number} of ${name}: ${known}`, { hint: `panewright diff ${name} --turns` });
}

function listed(turns: readonly Turn[]): string {
  return turns.map(({ number }) => number).join(", ");
}

/** The commits before and after a turn. */
export function commitsAround(workspace: Workspace, number: number): readonly [string, string] {
  const after = commitOfTurn(workspace, number);
  const before = (workspace.turns ?? []).findLast((turn) => turn.number < number);
  return [before?.commit ?? workspace.base, after];
}

/**
 * Puts the files of a workspace back to what they were after a turn. What they are now is kept as a turn first; what git
 * ignores stays.
 *
 * @throws {UsageError} for a turn that is not known
 */
export async function undoTo(
  workspace: Workspace,
  { now, number, signal }: Asking & { readonly number: number; readonly now: Date },
): Promise<void> {
  const { name, store, tree, settings } = workspace;
  const commit = commitOfTurn(workspace, number);
  await keepTurn(workspace, { of: "as it was before undo", now, signal });
  const kept = `${placesOf().known}/${name}.kept`;
  await using index = await ownIndex(kept);
  const { cwd, env } = withStore({ store, tree, index: index.path });
  await git([...asSettings(settings), "read-tree", "--reset", "-u", commit], { cwd, env, signal });
  await Deno.rename(index.path, kept).catch(() => {});
  await keepTurn(workspace, { of: `undone to turn ${number}`, now, signal });
}

/**
 * A workspace that begins with what was in another one after a turn; what it comes to is compared with what that one began
 * with.
 *
 * @throws {UsageError} for a turn that is not known
 */
export async function openFork(
  of: Workspace,
  { now, number, signal }: Asking & { readonly number: number; readonly now: Date },
): Promise<Workspace> {
  if (of.isTarget === true) {
    throw new UsageError(`Cannot fork ${of.name}: several tasks come together in it`, { hint: "Fork one of them." });
  }
  const at = commitOfTurn(of, number);
  const opened = await openWorkspace(of.origin, { at, task: of.name, now, signal, share: of.brought ?? [] });
  const forked = { ...opened, base: of.base };
  await noteWorkspace(forked);
  return forked;
}
