import { removeIfThere } from "../base/ports/files.ts";
import type { TmuxClient } from "./client.ts";

export async function isServerRunning(client: TmuxClient): Promise<boolean> {
  return (await client.run(["list-sessions"])).code === 0;
}

export async function findSocketPath(client: TmuxClient): Promise<string | undefined> {
  const { stdout } = await client.run(["display-message", "-p", "#{socket_path}"]);
  return stdout.trim() || undefined;
}

/** Ends a tmux server with all its panes, and removes its socket, which tmux leaves behind (3.3a). */
export async function killServer(client: TmuxClient, knownSocketPath?: string): Promise<void> {
  const socketPath = await findSocketPath(client) ?? knownSocketPath;
  await client.run(["kill-server"]);
  if (socketPath !== undefined) removeIfThere(socketPath);
}

/** What tmux says where a socket is that nobody listens to. */
const DEAD_SOCKET = /^no server running on (\/.+)$/m;

/** Removes the socket of a server that was killed, which could not do so. A server that runs is left alone. */
export async function removeDeadSocket(client: TmuxClient): Promise<void> {
  const { stderr } = await client.run(["list-sessions"]);
  const [, socketPath] = DEAD_SOCKET.exec(stderr) ?? [];
  if (socketPath !== undefined) removeIfThere(socketPath);
}

export function attachCommand(socket: string, session: string): string {
  return `${tmuxCommand(socket)} attach-session -t =${session}`;
}

export function tmuxCommand(socket: string): string {
  return `tmux ${socket.includes("/") ? "-S" : "-L"} ${socket}`;
}
