import { basename, dirname } from "@std/path/posix";
import type { RunFolder } from "../../run/run_folder.ts";
import { JOBS } from "../../jobs/mod.ts";
import { type LiveProcesses, lookAtProcesses } from "../../run/live_agents.ts";
import { readRun } from "../../run/overview.ts";
import { RuntimeError } from "../../base/errors.ts";
import { canMoveCursor } from "../console/color.ts";
import { type CliIo, defineCommand, exitCodeOfLeaving, type GlobalFlags, switchFlag } from "../console/command.ts";
import { findMeantRun, RUN_ARGUMENT, WORKDIR_FLAG } from "../find_named_run.ts";
import { renderView, type RenderViewOptions } from "../show/render_view.ts";
import { type RunView, statusLine, viewRun } from "../../api/show/run_view.ts";

export const command = defineCommand({
  arguments: [RUN_ARGUMENT],
  flags: {
    watch: switchFlag("keep showing it until the run ends", "w"),
    wd: WORKDIR_FLAG,
  },
  async run({ flags, positionals, global }, io) {
    const folder = await findMeantRun(io, positionals[0], flags.wd);
    const options = { io, global, wd: flags.wd };
    if (flags.watch === true) return await watch(folder, options);
    show(await createLook(folder, flags.wd)(), options);
    return 0;
  },
});

interface StatusOptions {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly wd: string | undefined;
}

function show(view: RunView, { io, global }: StatusOptions): void {
  io.stdout(
    global.json ? statusLine(view) : `${renderView(view, renderOptions({ io, global })).join("\n")}\n`,
  );
}

function renderOptions({ io, global }: Pick<StatusOptions, "io" | "global">): RenderViewOptions {
  const columns = io.isTerminal.stdout ? io.columns() : Infinity;
  return { now: new Date(), columns, color: global.color.stdout };
}

/** How often the picture is drawn again: it has durations in it. */
const TICK_MS = 1000;

async function watch(folder: RunFolder, options: StatusOptions): Promise<number> {
  const { io, global, wd } = options;
  const look = createLook(folder, wd);
  const { watchFolder } = await import("../../base/follow/folder_watch.ts");
  const changes = watchFolder(dirname(folder.journalPath), { files: [basename(folder.journalPath)] });
  let view = await look();
  const hasBegun = view.progress !== null;
  {
    const isLive = io.isTerminal.stdout && canMoveCursor(io) && !global.json;
    using screen = isLive ? new (await import("../console/live_screen.ts")).LiveScreen(io) : undefined;
    let shown = "";
    for (; view.executed; view = await look()) {
      const content = JSON.stringify(view);
      if (screen !== undefined) screen.draw(renderView(view, renderOptions(options)));
      else if (content !== shown) show(view, options);
      shown = content;
      try {
        await changes.wait(TICK_MS, io.signal);
      } catch (error) {
        if (!io.signal.aborted) throw error;
        return exitCodeOfLeaving(io);
      }
    }
  }
  if (hasBegun && view.progress === null && view.problem === undefined) {
    throw new RuntimeError(`Cannot show run ${folder.id} any longer: its folder was removed`);
  }
  show(view, options);
  return 0;
}

const SAME_PROCESSES_MS = 5000;

function createLook(folder: RunFolder, wd: string | undefined): () => Promise<RunView> {
  let before: undefined | {
    readonly processes: LiveProcesses;
    readonly atMs: number;
    readonly lastAt: string | undefined;
  };
  return async () => {
    const overview = await readRun(folder, JOBS);
    const lastAt = overview.progress?.lastAt;
    const nowMs = performance.now();
    if (before === undefined || before.lastAt !== lastAt || nowMs - before.atMs > SAME_PROCESSES_MS) {
      before = { processes: await lookAtProcesses(), atMs: nowMs, lastAt };
    }
    return viewRun(overview, { processes: before.processes, wd });
  };
}
