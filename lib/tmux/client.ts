import type { CommandResult } from "../base/ports/process.ts";
import type { PaneEvents } from "./pane_events.ts";

/** One tmux command and its arguments, such as `["kill-session", "-t", "=work"]`. Every argument is taken literally. */
export type TmuxCommand = readonly [string, ...string[]];

/** One tmux server, addressed by its own socket; every call is an argv array. */
export interface TmuxClient {
  /** The socket's name (`tmux -L name`), or its path (`tmux -S path`) where it holds a `/`. */
  readonly socket: string;
  /** What happens in panes; missing where the client does not hear of it. */
  readonly paneEvents?: PaneEvents;
  /** Runs one tmux command and returns how it ended; a command that fails does not throw. */
  run(command: TmuxCommand, options?: TmuxRunOptions): Promise<CommandResult>;
  /** Runs several tmux commands in one call. tmux stops at the first that fails; standard output is that of all. */
  runAll(commands: readonly TmuxCommand[], options?: TmuxRunOptions): Promise<CommandResult>;
  /** Like `runAll`, but blocks this process: only for a last act before it exits. */
  runAllSync(commands: readonly TmuxCommand[]): void;
}

/** What a call of a {@linkcode TmuxClient} may carry besides its commands. */
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
