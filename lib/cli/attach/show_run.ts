import { basename, dirname } from "@std/path/posix";
import { JOBS } from "../../jobs/mod.ts";
import { runInForeground } from "../../base/ports/process.ts";
import type { Role } from "../../base/roles.ts";
import { rolesOf } from "../../api/show/roles_of_run.ts";
import { readRun } from "../../run/overview.ts";
import type { SessionState } from "../../journal/workers.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { watchFolder } from "../../base/follow/folder_watch.ts";
import { createTmuxClient, tmuxArguments, tmuxProgram } from "../../tmux/plain_client.ts";
import { openSessionView } from "../../tmux/session_view.ts";
import type { CliIo } from "../console/command.ts";
import { createViewKeeper, OVERVIEW } from "./keep_view.ts";

interface ShowRunOptions {
  readonly session: SessionState;
  /** Whose window is shown; where none is named, that of the role at work. */
  readonly role: Role | undefined;
  readonly isOverview: boolean;
  readonly readOnly: boolean;
  readonly io: CliIo;
}

const TICK_MS = 1000;
const TILES_TICK_MS = 500;

export async function showRun(
  folder: RunFolder,
  { session, role, isOverview, readOnly, io }: ShowRunOptions,
): Promise<number> {
  const client = createTmuxClient({ socket: session.socket });
  const look = () => readRun(folder, JOBS);
  const roles = rolesOf((await look()).progress);
  const first = isOverview ? OVERVIEW : role === undefined ? undefined : roles.indexOf(role) + 1;
  await using view = await openSessionView(client, {
    source: session.name,
    columns: io.columns(),
    rows: io.rows(),
    tiles: roles.length,
    tilesName: "overview",
  });
  const changes = watchFolder(dirname(folder.journalPath), { files: [basename(folder.journalPath)] });
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
