import { UsageError } from "../base/errors.ts";
import type { TmuxClient, TmuxCommand } from "./client.ts";
import { TERMINAL } from "./new_pane.ts";
import { expectTmuxSuccess } from "./plain_client.ts";
import { findSocketPath, isServerRunning, killServer, tmuxCommand } from "./server.ts";
import { PLACEHOLDER, PLACEHOLDER_ARGV, type SessionOptions, TmuxSession } from "./session.ts";

/** Opens a session: one of our own on a server of its own, or one that runs already. */
export async function openSession(client: TmuxClient, options: SessionOptions): Promise<TmuxSession> {
  const { name, existing = false } = options;
  if (!/^[^:.\p{Cc}]+$/u.test(name)) {
    throw new UsageError(
      `Cannot open tmux session ${JSON.stringify(name)}: a name must not be empty or hold ":" or "."`,
    );
  }
  if (existing) {
    if ((await client.run(["has-session", "-t", `=${name}`])).code === 0) return new TmuxSession(client, options);
    throw new UsageError(`Cannot use tmux session ${name}: it does not exist on socket ${client.socket}`, {
      hint: `See what is running with: ${tmuxCommand(client.socket)} list-sessions`,
    });
  }
  if (await isServerRunning(client)) {
    throw new UsageError(`Cannot open tmux session ${name}: a server is already running on socket ${client.socket}`, {
      hint: `See what is running with: ${tmuxCommand(client.socket)} list-sessions`,
    });
  }
  await startServer(client, options);
  return new TmuxSession(client, options, await findSocketPath(client));
}

/** How often a server is started that ends as it starts: another client that looks in meanwhile can end it (3.3a). */
const MAX_STARTS = 5;

async function startServer(client: TmuxClient, options: SessionOptions): Promise<void> {
  const { name, cols = 220, rows = 50, scrollbackRows = 20_000 } = options;
  const size = ["-x", String(cols), "-y", String(rows)] as const;
  const commands: readonly TmuxCommand[] = [
    ["new-session", "-d", "-s", name, "-n", PLACEHOLDER, ...size, "--", ...PLACEHOLDER_ARGV],
    ["set-option", "-g", "history-limit", String(scrollbackRows)],
    ["set-option", "-g", "default-terminal", TERMINAL],
    ["set-option", "-g", "mouse", "on"],
    // As it comes, tmux cuts it at 10 columns.
    ["set-option", "-g", "status-left-length", "60"],
    ["set-option", "-g", "status-left", "[#{session_name}] #{window_name} "],
  ];
  for (let tries = 1;; tries++) {
    const result = await client.runAll(commands);
    if (result.code === 0) return;
    await killServer(client);
    if (tries === MAX_STARTS || !/^(?:server exited|lost server)/.test(result.stderr)) {
      expectTmuxSuccess(result, `open tmux session ${name}`);
    }
  }
}
