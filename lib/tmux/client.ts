import type { CommandResult } from "../base/ports/process.ts";
import type { PaneEvents } from "./pane_events.ts";

// The room of tmux: commands come in, what they print goes out, and so does what happens in panes; sessions and panes
// are opened, adopted, and ended with all that was started in them.

export type TmuxCommand = readonly [string, ...string[]];

export interface TmuxClient {
  readonly socket: string;
  readonly paneEvents?: PaneEvents;
  run(command: TmuxCommand, options?: TmuxRunOptions): Promise<CommandResult>;
  runAll(commands: readonly TmuxCommand[], options?: TmuxRunOptions): Promise<CommandResult>;
  /** Like `runAll`, but blocks this process: only for a last act before it exits. */
  runAllSync(commands: readonly TmuxCommand[]): void;
}

/** What a call of a {@linkcode TmuxClient} may carry besides its commands. */
export interface TmuxRunOptions {
  readonly stdin?: string;
  readonly signal?: AbortSignal;
}

/** A pane that we opened: its id never changes, whatever people rename or move. */
export interface PaneRef {
  readonly paneId: string;
  readonly pid: number;
}
