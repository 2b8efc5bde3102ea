import { UsageError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { asSettings, git, withStore } from "./git.ts";
import { ownIndex } from "./own_index.ts";
import { bringObjects } from "./snapshot.ts";
import { openWorkspace } from "./open_workspace.ts";
import { changedPaths, commitWork } from "./result.ts";
import { findWorkspace, listWorkspaces, noteWorkspace, placesOf, type Workspace } from "./workspace.ts";

// What is in a workspace after each turn is a commit of our store, which no agent can write: a turn can be looked at, undone,
// and begun from anew.

type Turn = NonNullable<Workspace["turns"]>[number];

/** Of more turns the oldest are not listed any more. */
const MOST_TURNS = 200;

const MOST_TIMES = 3;

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
  // The same files are the same commit.
  if (commit === (turns.at(-1)?.commit ?? base)) return;
  await bringObjects(commit, { store, signal });
  const turn: Turn = { number: (turns.at(-1)?.number ?? 0) + 1, commit, of, at: now.toISOString() };
  await noteWorkspace({ ...workspace, turns: [...turns, turn].slice(-MOST_TURNS) });
}

/**
 * Notes that nothing is to stay of a turn that begins. What an earlier process has noted of the same one holds.
 *
 * @param of whose turn it is
 */
export async function beginApart(
  { name }: Pick<Workspace, "name">,
  { of, now, signal }: Asking & { readonly of: string; readonly now: Date },
): Promise<void> {
  const { apart } = findWorkspace(name) ?? {};
  if (apart?.of === of) return;
  if (apart !== undefined) await endApart({ name }, { now, signal });
  await keepTurn({ name }, { of: `before ${of}`, now, signal });
  const workspace = findWorkspace(name);
  if (workspace === undefined) throw new UsageError(`Cannot note what is in ${name}: there is no such workspace`);
  await noteWorkspace({ ...workspace, apart: { of, after: workspace.turns?.at(-1)?.number ?? 0 } });
}

/**
 * Puts back what was changed in the turn of which nothing is to stay, and keeps it as a turn. What git ignores stays.
 *
 * @returns the number of that turn, and the files that it has changed; `undefined` where it has changed none
 * @throws {UsageError} where what git ignores is in the way, or new files come up again and again
 */
export async function endApart(
  { name }: Pick<Workspace, "name">,
  { now, signal }: Asking & { readonly now: Date },
): Promise<{ readonly number: number; readonly files: readonly string[] } | undefined> {
  const { apart } = findWorkspace(name) ?? {};
  if (apart === undefined) return undefined;
  const { after, of } = apart;
  await keepTurn({ name }, { of, now, signal });
  const kept = findWorkspace(name)!;
  const number = kept.turns?.at(-1)?.number ?? 0;
  const files = await changedPaths([commitOfTurn(kept, after), commitOfTurn(kept, number)], { ...kept, signal });
  const isAsBefore = (workspace: Workspace) =>
    (workspace.turns?.at(-1)?.commit ?? workspace.base) === commitOfTurn(workspace, after);
  // What it had git ignore is there for git once that is put back.
  for (let times = 0; !isAsBefore(findWorkspace(name)!); times++) {
    if (times === MOST_TIMES) throw new UsageError(`Cannot put back what ${of} has changed in ${name}: it comes again`);
    await undoTo({ name }, { number: after, now, signal });
  }
  const { apart: _, ...workspace } = findWorkspace(name)!;
  await noteWorkspace(workspace);
  return files.length === 0 ? undefined : { number, files };
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
  const numbers = turns.map((turn) => turn.number).join(", ");
  const known = numbers === "" ? "no turn has changed a file" : `turns that have changed a file are ${numbers}`;
  throw new UsageError(`Cannot find turn ${number} of ${name}: ${known}`, { hint: `panewright diff ${name} --turns` });
}

/** @throws {UsageError} for a workspace in which tasks come together: the turns are those of the tasks */
export function requireOneTask({ isTarget, name }: Workspace, act: string): void {
  if (isTarget !== true) return;
  const tasks = listWorkspaces().flatMap(({ name: task, partOf }) =>
    partOf?.target === name && partOf.as === "lane" ? task : []
  );
  throw new UsageError(`Cannot ${act} ${name}: several tasks come together in it`, {
    hint: `Take it, and start from there: panewright apply ${name}. Or ${act} one of them: ${tasks.join(", ")}`,
  });
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
 * @param number of the turn. @default that before the last one
 * @returns the number
 * @throws {UsageError} for a turn that is not known, or where what git ignores is in the way: nothing is changed then
 */
export async function undoTo(
  { name }: Pick<Workspace, "name">,
  { now, number: asked, signal }: Asking & { readonly number?: number | undefined; readonly now: Date },
): Promise<number> {
  await keepTurn({ name }, { of: "as it was before undo", now, signal });
  const workspace = findWorkspace(name);
  if (workspace === undefined) throw new UsageError(`Cannot undo a turn of ${name}: there is no such workspace`);
  requireOneTask(workspace, "undo a turn of");
  const { base, settings, store, tree, turns = [] } = workspace;
  const number = asked ?? turns.at(-2)?.number ?? 0;
  const commit = commitOfTurn(workspace, number);
  const kept = `${placesOf().known}/${name}.kept`;
  await using index = await ownIndex(kept);
  const place = { ...withStore({ store, tree, index: index.path }), signal };
  const between = [turns.at(-1)?.commit ?? base, commit];
  const comes = await git(["diff-tree", "-r", "-z", "--name-only", "--diff-filter=A", ...between], place);
  const inTheWay = comes.split("\0").find((path) => path !== "" && !makeWay(tree, path));
  if (inTheWay !== undefined) {
    throw new UsageError(`Cannot undo a turn of ${name}: ${inTheWay}, which git ignores, is in the way`);
  }
  await git([...asSettings(settings), "read-tree", "-m", "-u", ...between], place);
  await Deno.rename(index.path, kept).catch(() => {});
  await keepTurn({ name }, { of: `undone to turn ${number}`, now, signal });
  return number;
}

/** Git takes what it ignores for nothing of worth, and no commit has it; there is nothing in what is neither file nor link. */
function makeWay(tree: string, path: string): boolean {
  const place = `${tree}/${path}`;
  const info = lstatOrUndefined(place);
  if (info === undefined) return true;
  if (info.isFile || info.isDirectory || info.isSymlink) return false;
  // Nothing is removed behind a link.
  if (Deno.realPathSync(place) !== `${Deno.realPathSync(tree)}/${path}`) return false;
  Deno.removeSync(place);
  return true;
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
  requireOneTask(of, "fork");
  const at = commitOfTurn(of, number);
  const opened = await openWorkspace(of.origin, { at, task: of.name, now, signal, share: of.brought ?? [] });
  const forked = { ...opened, base: of.base };
  await noteWorkspace(forked);
  return forked;
}
