import { isExecuted } from "../base/ports/lock_file.ts";
import { basename, dirname } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { JOBS } from "../jobs/mod.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import type { Role } from "../base/roles.ts";
import { activityPathOf, type ToldActivity } from "../run/activity_file.ts";
import { ActivityTail } from "../run/activity_tail.ts";
import { readRun, type RunOverview } from "../run/overview.ts";
import { workerOf } from "../journal/workers.ts";
import type { RunFolder } from "../run/run_folder.ts";
import { watchFolder } from "../base/follow/folder_watch.ts";
import { roleAtWork, roleText, runText } from "./attach/scene.ts";
import { canMoveCursor, paintAfterRole } from "./console/color.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import { LiveLine } from "./console/live_line.ts";
import { runCommandLine } from "../run/command_line.ts";
import { outputLine } from "../api/output/line.ts";
import { ActivityView } from "../api/show/activity_rows.ts";
import { createRowPrinter } from "./show/print_rows.ts";

export interface ShowActivityOptions {
  /** Whose agents are shown; where they are several, each row tells or shows whose it is. */
  readonly roles: readonly Role[];
  readonly follow: boolean;
  readonly wd: string | undefined;
  readonly global: GlobalFlags;
  readonly io: CliIo;
  /** Whether nothing but this is in the terminal, so that it can be drawn anew. @default {false} */
  readonly ownsTerminal?: boolean;
  readonly wallClock?: () => Date;
}

/** How often the line with what an agent does is drawn again: it has durations in it. */
const TICK_MS = 1000;

interface Source {
  readonly role: Role;
  readonly tail: ActivityTail;
  readonly view: ActivityView;
}

export async function showActivity(folder: RunFolder, options: ShowActivityOptions): Promise<boolean> {
  const { roles, follow, global, io } = options;
  using tails = new DisposableStack();
  // The folder of a run is <workdir>/.panewright/runs/<id>.
  const workdir = dirname(dirname(dirname(folder.path)));
  const sources = roles.map((role): Source => ({
    role,
    tail: tails.use(new ActivityTail(activityPathOf(folder, role))),
    view: new ActivityView({ workdir, verbose: global.verbose }),
  }));
  let journal = stateOf(folder.journalPath);
  let overview = await readRun(folder, JOBS);
  using shown = createShown(folder, { ...options, sources, overview: () => overview });
  const files = roles.map((role) => basename(activityPathOf(folder, role)));
  const changes = watchFolder(folder.agentsDir, { files });
  let hasTold = false;
  for (;;) {
    io.signal.throwIfAborted();
    requireNoPane(overview, options);
    // Asked before the read: what was written before the end is then surely in it.
    const goesOn = follow && await isExecuted(folder);
    for (const { source, told } of await readNew(sources)) {
      hasTold = true;
      shown.show(source, told);
    }
    if (!goesOn) return hasTold;
    shown.drawState();
    await changes.wait(TICK_MS, io.signal);
    const journalNow = stateOf(folder.journalPath);
    if (journalNow !== journal) overview = await readRun(folder, JOBS);
    journal = journalNow;
  }
}

/** What tells one state of a file from another: a journal of a long run is not read each second. */
function stateOf(path: string): string {
  const { size, mtime } = lstatOrUndefined(path) ?? {};
  return `${size} ${mtime?.getTime()}`;
}

async function readNew(sources: readonly Source[]) {
  const all: { readonly source: Source; readonly told: ToldActivity }[] = [];
  for (const source of sources) {
    for (let told = await source.tail.read(); told.length > 0; told = await source.tail.read()) {
      all.push(...told.map((one) => ({ source, told: one })));
    }
  }
  return all.sort((left, right) => left.told.at < right.told.at ? -1 : left.told.at > right.told.at ? 1 : 0);
}

function requireNoPane(
  { folder: { id }, progress }: RunOverview,
  { roles: [role, ...others], wd }: ShowActivityOptions,
) {
  if (role === undefined || others.length > 0 || progress === undefined) return;
  if (workerOf(progress, role)?.pane === undefined) return;
  throw new UsageError(`Cannot show what the ${role} of run ${id} does: it works in a terminal of its own`, {
    hint: `To see that: ${runCommandLine(["attach", id, role], wd)}`,
  });
}

interface Shown extends Disposable {
  show(source: Source, told: ToldActivity): void;
  drawState(): void;
}

function createShown(
  { id }: RunFolder,
  options: ShowActivityOptions & { readonly sources: readonly Source[]; readonly overview: () => RunOverview },
): Shown {
  const { roles, sources, io, global, overview, wallClock = () => new Date() } = options;
  if (global.json) {
    return {
      show: ({ role }, { at, activity }) => io.stdout(outputLine("role_activity", { run: id, role, at, activity })),
      drawState: () => {},
      [Symbol.dispose]: () => {},
    };
  }
  const isLive = io.isTerminal.stdout && io.isTerminal.stderr && !global.quiet && canMoveCursor(io);
  const live = isLive ? new LiveLine(io) : undefined;
  const printer = createRowPrinter(io, {
    color: global.color.stdout,
    namesRoles: roles.length > 1,
    redraws: isLive && options.ownsTerminal === true,
  });
  const stateText = () => {
    const { progress } = overview();
    if (progress === undefined) return "";
    const role = roles.length === 1 ? roles[0] : roleAtWork(progress);
    if (role === undefined) return runText(overview(), wallClock());
    const doing = sources.find((source) => source.role === role)?.view.doing() ?? "";
    return [roleText(progress, role, wallClock()), doing].filter((part) => part !== "").join(" · ");
  };
  return {
    show({ role, view }, told) {
      const rows = view.rowsOf(told);
      if (rows.length === 0) return;
      live?.erase();
      for (const row of rows) printer.print(role, row);
    },
    drawState() {
      if (printer.mustRedraw()) {
        live?.erase();
        printer.redraw();
      }
      live?.show(stateText(), (left) => paintAfterRole(left, undefined, global.color.stderr));
    },
    [Symbol.dispose]: () => live?.[Symbol.dispose](),
  };
}
