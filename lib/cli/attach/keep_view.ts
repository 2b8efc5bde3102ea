import type { Role } from "../../base/roles.ts";
import { rolesOf } from "../../api/show/roles_of_run.ts";
import type { RunOverview } from "../../run/overview.ts";
import type { Progress } from "../../journal/progress.ts";
import { workerOf } from "../../journal/workers.ts";
import type { TmuxClient } from "../../tmux/client.ts";
import { displayWidth } from "../../base/text/display_width.ts";
import type { Label, SessionView, Tile, ViewLook, ViewTerminal } from "../../tmux/session_view.ts";
import { roleAtWork, roleText, runText } from "./scene.ts";
import { tileRows } from "./tile_rows.ts";

/** The window with a tile for each role; each role's own window follows, in the order of the roles. */
export const OVERVIEW = 0;

const BAR_BLANKS = 4;

export interface KeepViewOptions {
  readonly view: Omit<SessionView, "name" | "attachCommand" | "detach" | typeof Symbol.asyncDispose>;
  readonly client: Pick<TmuxClient, "run">;
  readonly readRun: () => Promise<RunOverview>;
  /** The window that is shown first, where it is there; otherwise the one of the role at work. */
  readonly first: number | undefined;
  readonly wallClock: () => Date;
}

interface ViewKeeper {
  update(): Promise<boolean>;
  readonly showsTiles: boolean;
}

export function createViewKeeper({ view, client, readRun, first, wallClock }: KeepViewOptions): ViewKeeper {
  const follows = first === undefined;
  let isFollowing = follows;
  let shown: number | undefined;
  let bound: number | undefined;
  let drawn: readonly Tile[] = [];
  let dialogShown = "";

  const follow = async (now: number, atWork: number | undefined) => {
    if (!follows) return now;
    isFollowing = now === atWork || (isFollowing && (shown === undefined || now === shown));
    if (!isFollowing || atWork === undefined || now === atWork) return now;
    await view.select(atWork);
    return atWork;
  };

  /** A dialog is at the end of its pane, and there is no cursor in it. */
  const showDialog = async (progress: Progress, terminal: ViewTerminal | undefined) => {
    if (terminal === undefined) return;
    const { waiting } = progress;
    const isShown = waiting?.dialog !== undefined && shown === rolesOf(progress).indexOf(waiting.by) + 1;
    const dialog = isShown ? `${shown} ${terminal.size} ${waiting.askedAt}` : "";
    if (dialog !== dialogShown) await view.moveTo(isShown ? "end" : "cursor", terminal);
    dialogShown = dialog;
  };

  return {
    async update() {
      const [overview, look] = [await readRun(), await view.look()];
      const { progress, executed } = overview;
      if (look === undefined) return false;
      const windows = progress === undefined ? [] : roleWindows(progress, look);
      if (!executed && windows.every((id) => id === undefined)) return false;
      for (const [index, id] of windows.entries()) {
        if (id !== undefined && look.windows.get(index + 1) !== id) await view.link(id, index + 1);
      }
      if (progress === undefined) return true;
      const role = roleAtWork(progress);
      const turn = role === undefined ? undefined : rolesOf(progress).indexOf(role) + 1;
      const atWork = turn !== undefined && windows[turn - 1] !== undefined ? turn : undefined;
      if (shown === undefined && first !== undefined) await view.select(shown = first);
      else shown = await follow(look.shown, atWork);
      await showDialog(progress, look.terminal);
      if (atWork !== undefined && atWork !== bound) await view.bind("f", bound = atWork);
      const isAway = atWork !== undefined && shown !== atWork;
      await view.label(labelsOf(overview, { progress, look, windows, shown, isAway, now: wallClock() }));
      if (shown === OVERVIEW) {
        if (sizesOf(drawn) !== sizesOf(look.tiles)) await view.layOut();
        drawn = look.tiles;
        await drawTiles(progress, { view, client, look, windows });
      }
      return true;
    },
    get showsTiles() {
      return shown === OVERVIEW;
    },
  };
}

function roleWindows(progress: Progress, look: ViewLook): readonly (string | undefined)[] {
  return rolesOf(progress).map((role) => look.panes.get(paneIdOf(role, progress, look) ?? ""));
}

function paneIdOf(role: Role, progress: Progress, { viewers }: Pick<ViewLook, "viewers">): string | undefined {
  const worker = workerOf(progress, role);
  return worker?.pane?.terminalId ?? viewers.get(role);
}

interface Shown {
  readonly progress: Progress;
  readonly look: ViewLook;
  readonly windows: readonly (string | undefined)[];
}

function labelsOf(
  overview: RunOverview,
  { progress, look, windows, shown, isAway, now }: Shown & {
    readonly shown: number;
    readonly isAway: boolean;
    readonly now: Date;
  },
): readonly Label[] {
  const texts = rolesOf(progress).map((role) => roleText(progress, role, now));
  const role = roleAtWork(progress);
  const atWork = role === undefined ? "" : roleText(progress, role, now);
  // tmux would write the one over the other.
  const room = Number.parseInt(look.terminal?.size ?? "") - displayWidth(texts[shown - 1] ?? atWork) - BAR_BLANKS;
  const run = runText(overview, now);
  return [
    { on: { session: true }, name: "view", text: displayWidth(run) > room ? "" : run },
    {
      on: { session: true },
      name: "turn",
      text: role === undefined ? "" : String(rolesOf(progress).indexOf(role) + 1),
    },
    { on: { session: true }, name: "away", text: isAway ? "1" : "" },
    { on: { window: OVERVIEW }, name: "window", text: atWork },
    ...texts.flatMap((text, index): readonly Label[] => [
      ...(windows[index] === undefined ? [] : [{ on: { window: index + 1 }, name: "window", text } as const]),
      ...(look.tiles[index] === undefined
        ? []
        : [{ on: { tile: look.tiles[index].paneId }, name: "tile", text } as const]),
    ]),
  ];
}

async function drawTiles(
  progress: Progress,
  { view, client, look, windows }: Omit<Shown, "progress"> & Pick<KeepViewOptions, "view" | "client">,
): Promise<void> {
  for (const [index, role] of rolesOf(progress).entries()) {
    const tile = look.tiles[index];
    const paneId = paneIdOf(role, progress, look);
    if (tile === undefined) continue;
    const capture = windows[index] === undefined || paneId === undefined
      ? ""
      : (await client.run(["capture-pane", "-p", "-e", "-t", paneId])).stdout;
    await view.draw(tile, tileRows(capture, tile));
  }
}

function sizesOf(tiles: readonly Tile[]): string {
  return tiles.map(({ columns, rows }) => `${columns}x${rows}`).join(" ");
}
