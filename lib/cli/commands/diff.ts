import { outputLine } from "../../api/output/line.ts";
import { UsageError } from "../../base/errors.ts";
import { sanitizeLine, sanitizeText } from "../../base/text/sanitize.ts";
import { changedBetween, diffOf, keepResult } from "../../workspace/result.ts";
import { inStore } from "../../workspace/git.ts";
import { commitsAround } from "../../workspace/turns.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { type CliIo, defineCommand, type GlobalFlags, integerFlag, switchFlag } from "../console/command.ts";
import { type MeantCheckout, meantCheckout } from "../meant_checkout.ts";
import { meantWorkspace, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";
import { filesText, resultText } from "../show/workspace_words.ts";

/** `panewright diff`: what was changed in a workspace, or by a run in the checkout itself. */
export const command = defineCommand({
  arguments: [
    WORKSPACE_ARGUMENT,
    { name: "OTHER", description: "another workspace of the same repository: from what NAME has to what it has" },
  ],
  flags: {
    stat: switchFlag("only the names of the files, with how many lines were changed"),
    turn: integerFlag("N", "what that turn has changed"),
    turns: switchFlag("list the turns that have changed a file"),
  },
  async run({ flags, global, positionals: [name, other] }, io) {
    const checkout = await meantCheckout(name, io);
    if (checkout !== undefined) return await showCheckout(checkout, { flags, global, io, other });
    const workspace = await meantWorkspace(name, io);
    if (other !== undefined) {
      return await showBetween([workspace, await meantWorkspace(other, io)], { flags, global, io });
    }
    if (flags.turns === true) return showTurns(workspace, { io, isJson: global.json });
    if (flags.turn !== undefined) {
      const [base, commit] = commitsAround(workspace, flags.turn);
      const patch = await diffOf({ ...workspace, base }, { commit }, io);
      const turn = workspace.turns?.find(({ number }) => number === flags.turn);
      if (!global.json || turn === undefined) return showPatch(patch, io);
      io.stdout(outputLine("workspace_turn", { name: workspace.name, ...turn, patch }));
      return 0;
    }
    const result = await keepResult(workspace, io);
    if (global.json) {
      io.stdout(outputLine("workspace_result", { name: workspace.name, ...result }));
    } else if (flags.stat === true) io.stdout(resultText(workspace, result));
    else showPatch(await diffOf(workspace, result, io), io);
    return 0;
  },
});

/** Shows what has changed in the checkout from when a run in it began to its end. */
async function showCheckout(
  { run: { id: run }, work }: MeantCheckout,
  { flags, global, io, other }: ShowingOptions & { readonly other: string | undefined },
): Promise<number> {
  const { base, commit, store } = work;
  if (flags.turn !== undefined || flags.turns === true || other !== undefined) {
    throw new UsageError(
      `Cannot show that of run ${run}: it worked in the checkout itself, and its turns are not kept`,
    );
  }
  const files = await changedBetween([base, commit], inStore(store, io.signal));
  if (global.json) io.stdout(outputLine("workspace_result", { name: run, commit, files, inner: [] }));
  else if (flags.stat === true) {
    io.stdout(files.length === 0 ? "No file was changed.\n" : `Changed in the checkout: ${filesText(files)}\n`);
  } else showPatch(await diffOf(work, work, io), io);
  return 0;
}

interface ShowingOptions {
  readonly flags: { readonly turn?: number; readonly turns?: boolean; readonly stat?: boolean };
  readonly global: GlobalFlags;
  readonly io: CliIo;
}

/** @throws {UsageError} where they cannot be compared */
async function showBetween(
  [one, other]: readonly [Workspace, Workspace],
  { flags, global, io }: ShowingOptions,
): Promise<number> {
  if (flags.turn !== undefined || flags.turns === true || flags.stat === true || global.json) {
    throw new UsageError("Cannot show that of two workspaces: --turn, --turns, --stat and --json are of one");
  }
  if (one.store !== other.store) {
    throw new UsageError(`Cannot compare ${one.name} and ${other.name}: they are of different repositories`);
  }
  const [{ commit: base }, result] = [await keepResult(one, io), await keepResult(other, io)];
  return showPatch(await diffOf({ ...one, base }, result, io), io);
}

/** A terminal gets no control characters. */
function showPatch(patch: string, io: CliIo): 0 {
  io.stdout(io.isTerminal.stdout ? sanitizeText(patch) : patch);
  return 0;
}

function showTurns(
  { name, turns = [] }: Workspace,
  { io, isJson }: { readonly io: CliIo; readonly isJson: boolean },
): number {
  if (isJson) { for (const turn of turns) io.stdout(outputLine("workspace_turn", { name, ...turn })); }
  else if (turns.length === 0) io.stdout(`No turn has changed a file in the workspace ${name}.\n`);
  else {
    const width = Math.max(...turns.map(({ of }) => of.length));
    io.stdout(
      turns.map(({ at, number, of }) => `${`${number}`.padStart(4)}  ${sanitizeLine(of).padEnd(width)}  ${at}\n`).join(
        "",
      ),
    );
  }
  return 0;
}
