import type { PaneRef, TmuxClient } from "./client.ts";

/**
 * How the program of a pane has ended: "exit code 3", "killed by signal 9". `undefined` while it runs, and where tmux does not
 * say (before 3.3 it tells no signal).
 */
export async function findPaneEnd(client: TmuxClient, { paneId }: PaneRef): Promise<string | undefined> {
  const format = "#{pane_dead} #{pane_dead_status} #{pane_dead_signal}";
  const { stdout } = await client.run(["display-message", "-p", "-t", paneId, format]);
  const [, code, signal] = /^1 (\d*) (\d*)$/.exec(stdout.trimEnd()) ?? [];
  if (signal) return `killed by signal ${signal}`;
  return code ? `exit code ${code}` : undefined;
}

/** Whether a pane that was opened still shows the same, living program. */
export async function isPaneAlive(client: TmuxClient, pane: PaneRef): Promise<boolean> {
  const result = await client.run(["display-message", "-p", "-t", pane.paneId, "#{pane_id} #{pane_pid} #{pane_dead}"]);
  return result.code === 0 && result.stdout.trim() === `${pane.paneId} ${pane.pid} 0`;
}
