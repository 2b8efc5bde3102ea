import { PANE_MARK_VARIABLE } from "../base/ports/marks.ts";
import { findMarkedPids } from "../base/ports/end_processes.ts";
import { findProcess } from "../base/ports/process_table.ts";
import type { PaneRef, TmuxClient } from "./client.ts";
import type { KnownPane } from "./pane_processes.ts";
import { findSocketPath } from "./server.ts";
import { PLACEHOLDER, type SessionOptions, TmuxSession } from "./session.ts";
import { readShows, SHOWS_OPTION } from "./shown_work.ts";

/**
 * Adopts a session that an earlier process opened: keeps the known panes whose program is alive, and closes all others
 * that came from that process, with everything that was started in them.
 */
export async function adoptSession(
  client: TmuxClient,
  options: SessionOptions & {
    readonly mark: string;
    /** The panes that are known, whether or not they still exist. */
    readonly panes: readonly KnownPane[];
  },
): Promise<
  {
    readonly session: TmuxSession;
    readonly alive: ReadonlySet<string>;
  } | undefined
> {
  const { name, existing = false, panes } = options;
  const format = `#{pane_id} #{pane_pid} #{pane_dead} #{${SHOWS_OPTION}}|#{window_name}`;
  const listed = await client.run(["list-panes", "-s", "-t", `=${name}:`, "-F", format]);
  if (listed.code !== 0) return undefined;
  const session = new TmuxSession(client, options, existing ? undefined : await findSocketPath(client));
  const marked = new Set(await findMarkedPids({ name: PANE_MARK_VARIABLE, value: session.mark }));
  const alive = new Set<string>();
  const left: PaneRef[] = [];
  for (const line of listed.stdout.trim().split("\n")) {
    const [front = "", ...window] = line.split("|");
    const [paneId = "", pidText = "", dead, option = ""] = front.split(" ");
    const pid = Number(pidText);
    const known = panes.find((one) => one.paneId === paneId && one.pid === pid);
    const isNamed = !existing && window.join("|") !== PLACEHOLDER;
    // A program that only showed something has ended with the run, and its process bears no mark any more.
    const isOurs = known !== undefined || marked.has(pid) || readShows(option).mark === session.mark || isNamed;
    if (!isOurs) continue;
    const startTime = known === undefined ? (await findProcess(pid))?.startTime : known.startTime;
    session.keep({ paneId, pid, startTime });
    const lives = dead === "0" && known !== undefined && (await findProcess(pid))?.startTime === known.startTime;
    if (lives) alive.add(paneId);
    else left.push({ paneId, pid });
  }
  // Only once all are known: a session gets a placeholder with the end of its last pane.
  for (const pane of left) await session.closePane(pane);
  return { session, alive };
}
