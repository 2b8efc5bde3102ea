import type { CommandResult } from "../ports/process.ts";

/** One tmux server, addressed by its own socket; every call is an argv array. */
export interface TmuxClient {
  /** The socket's name (`tmux -L name`), for messages to people. */
  readonly socket: string;
  /** Runs one tmux command, such as `["kill-session", "-t", "=work"]`, and returns how it ended. */
  run(args: readonly [string, ...string[]], options?: TmuxRunOptions): Promise<CommandResult>;
}

export interface TmuxRunOptions {
  /** Text for the command's standard input (`load-buffer -`). */
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** A pane that we opened: its id never changes, whatever people rename or move. */
export interface PaneRef {
  /** tmux's own id, `%3`. */
  readonly paneId: string;
  /** Process id of the program that the pane was opened with. */
  readonly pid: number;
}
