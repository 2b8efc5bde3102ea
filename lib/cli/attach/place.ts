import { UsageError } from "../../base/errors.ts";
import type { Role } from "../../base/roles.ts";
import type { RunOverview } from "../../run/overview.ts";
import type { Progress } from "../../journal/progress.ts";
import { type SessionState, workerOf } from "../../journal/workers.ts";
import { readShows, SHOWS_OPTION } from "../../tmux/shown_work.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { runCommandLine } from "../../run/command_line.ts";

interface Place {
  readonly session: SessionState;
  readonly paneId: string | undefined;
}

export async function findPlace(
  { folder, progress, problem, condition }: RunOverview,
  { role, wd }: { readonly role: Role | undefined; readonly wd: string | undefined },
): Promise<Place> {
  const { id } = folder;
  const logs = runCommandLine(["logs", id], wd);
  if (progress === undefined) {
    throw problem ?? new UsageError(`Cannot attach to run ${id}: it was interrupted before it began`);
  }
  if (progress.job === "exec") {
    throw new UsageError(`Cannot attach to run ${id}: the agents of "panewright exec" have no terminals`, {
      hint: `To see what they do: ${logs} --follow`,
    });
  }
  const isOver = condition === "passed" || condition === "failed";
  const why = isOver ? `it is over (${condition})` : "its tmux session no longer exists";
  const gone = new UsageError(`Cannot attach to run ${id}: ${why}`, {
    hint: `To see what happened: ${logs}`,
  });
  const { session } = progress;
  if (session === undefined) throw gone;
  const panes = await listPanes(session);
  if (panes === undefined) throw gone;
  return { session, paneId: role === undefined ? undefined : requirePane(role, { id, progress, panes }) };
}

function requirePane(
  role: Role,
  { id, progress, panes }: { readonly id: string; readonly progress: Progress; readonly panes: readonly SeenPane[] },
): string {
  const paneId = paneOf(role, { progress, panes });
  if (paneId !== undefined) return paneId;
  const worker = workerOf(progress, role);
  const what = worker?.pane === undefined ? "has no pane yet" : "is gone from its pane";
  throw new UsageError(`Cannot attach to the ${role} of run ${id}: it ${what}`, {
    hint: "Without a role, the panes that exist are shown.",
  });
}

/** The pane of a role's agent, or the one that shows what its agent does; undefined where it is not there. */
export function paneOf(
  role: Role,
  { progress, panes }: { readonly progress: Progress; readonly panes: readonly SeenPane[] },
): string | undefined {
  const own = workerOf(progress, role)?.pane?.terminalId;
  return panes.find(({ paneId, shows }) => paneId === own || own === undefined && shows === role)?.paneId;
}

interface SeenPane {
  readonly paneId: string;
  /** Whose work it shows, where the run has opened it for that; otherwise empty. */
  readonly shows: string;
}

/** The panes of a session; undefined where it is not there. */
export async function listPanes({ socket, name, mark }: SessionState): Promise<readonly SeenPane[] | undefined> {
  const format = `#{pane_id} #{${SHOWS_OPTION}}`;
  const listed = await createTmuxClient({ socket }).run(["list-panes", "-s", "-t", `=${name}:`, "-F", format]);
  if (listed.code !== 0) return undefined;
  return listed.stdout.trim().split("\n").map((line) => {
    const [paneId = "", option = ""] = line.split(" ");
    const opened = readShows(option);
    return { paneId, shows: opened.mark === mark ? opened.shows : "" };
  });
}
