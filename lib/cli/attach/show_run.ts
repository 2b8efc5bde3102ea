import { basename, dirname } from "@std/path/posix";
import { JOBS } from "../../jobs/mod.ts";
import { runInForeground } from "../../base/ports/process.ts";
import { ROLES } from "../../base/roles.ts";
import { readRun } from "../../run/overview.ts";
import type { SessionState } from "../../journal/workers.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { watchFolder } from "../../base/follow/folder_watch.ts";
import { createTmuxClient, tmuxArguments, tmuxProgram } from "../../tmux/plain_client.ts";
import { openSessionView } from "../../tmux/session_view.ts";
import type { CliIo } from "../console/command.ts";
import { createViewKeeper } from "./keep_view.ts";

interface ShowRunOptions {
  readonly session: SessionState;
  /** The window that is shown; where it is undefined, the role at work is followed. */
  readonly first: number | undefined;
  readonly readOnly: boolean;
  readonly io: CliIo;
}

const TICK_MS = 1000;
const TILES_TICK_MS = 500;

export async function showRun(
  folder: RunFolder,
  { session, first, readOnly, io }: ShowRunOptions,
): Promise<number> {
  const client = createTmuxClient({ socket: session.socket });
  await using view = await openSessionView(client, {
    source: session.name,
    columns: io.columns(),
    rows: io.rows(),
    tiles: ROLES.length,
    tilesName: "overview",
  });
  const changes = watchFolder(dirname(folder.journalPath), { files: [basename(folder.journalPath)] });
  const look = () => readRun(folder, JOBS);
  const keeper = createViewKeeper({ view, client, readRun: look, first, wallClock: () => new Date() });
  if (!await keeper.update()) return 0;
  const left = new AbortController();
  const signal = AbortSignal.any([io.signal, left.signal]);
  const keepUp = async () => {
    try {
      do await changes.wait(keeper.showsTiles ? TILES_TICK_MS : TICK_MS, signal); while (await keeper.update());
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await view.detach();
    }
  };
  const attach = async () => {
    const { argv, env } = tmuxProgram(tmuxArguments([view.attachCommand({ readOnly })]), session);
    try {
      const code = await runInForeground({ argv, env, clearEnv: true, signal: io.signal });
      return code !== 0 && await view.look() !== undefined ? code : 0;
    } finally {
      left.abort();
    }
  };
  const [kept, attached] = await Promise.allSettled([keepUp(), attach()]);
  for (const end of [kept, attached]) if (end.status === "rejected") throw end.reason;
  return attached.status === "fulfilled" ? attached.value : 0;
}
