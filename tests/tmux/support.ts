import { createTmuxClient } from "../../lib/tmux/plain_client.ts";
import { killServer } from "../../lib/tmux/server.ts";
import type { PaneRef, TmuxClient } from "../../lib/tmux/client.ts";
import { openSession } from "../../lib/tmux/open_session.ts";
import type { SessionOptions, TmuxSession } from "../../lib/tmux/session.ts";
import { until as untilSeen } from "../support/until.ts";
import type { Screen } from "../../lib/screen/screen.ts";

/** A clean environment for programs under test. */
export function cleanEnv(home: string): Record<string, string> {
  return { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", TERM: "xterm-256color", LANG: "C.UTF-8" };
}

/** A tmux server of the test's own; disposal ends it and removes its home. */
export interface TmuxSandbox extends AsyncDisposable {
  readonly client: TmuxClient;
  readonly home: string;
  open(options?: Partial<SessionOptions>): Promise<TmuxSession>;
}

/** Prepares a tmux client with a random socket and a temporary home. */
export async function tmuxSandbox(): Promise<TmuxSandbox> {
  const home = await Deno.makeTempDir({ prefix: "panewright-tmux-" });
  const socket = `panewright-test-${crypto.randomUUID().slice(0, 8)}`;
  const client = createTmuxClient({ socket, env: cleanEnv(home) });
  return {
    client,
    home,
    open: (options) => openSession(client, { name: "test", ...options }),
    async [Symbol.asyncDispose]() {
      await killServer(client);
      await Deno.remove(home, { recursive: true });
    },
  };
}

/**
 * Looks again and again until what was looked at is as it should be; after very many looks, an error with the last one.
 */
export function until<T>(look: () => T | Promise<T>, accept: (value: T) => boolean): Promise<T> {
  return untilSeen(look, accept, describe);
}

function describe(value: unknown): string {
  if (typeof value === "object" && value !== null && "rows" in value) return screenText(value as Screen);
  return JSON.stringify(value);
}

/** The rows of a screen as one text. */
export function screenText(screen: Screen): string {
  return screen.rows.map((row) => row.text).join("\n").trimEnd();
}

/** Whether a pane that was opened still shows the same, living program. */
export async function isPaneAlive(client: TmuxClient, pane: PaneRef): Promise<boolean> {
  const result = await client.run(["display-message", "-p", "-t", pane.paneId, "#{pane_id} #{pane_pid} #{pane_dead}"]);
  return result.code === 0 && result.stdout.trim() === `${pane.paneId} ${pane.pid} 0`;
}
