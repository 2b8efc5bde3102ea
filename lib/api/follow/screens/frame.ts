import type { WorkerStatus } from "../../../journal/workers.ts";
import type { Role } from "../../../base/roles.ts";

/** What a role's agent does, and since when: from the journal, never from its screen. */
export interface RoleStanding {
  readonly role: Role;
  /** Missing while the role has no agent yet. */
  readonly provider?: string;
  readonly status: WorkerStatus | "none";
  /** ISO 8601; missing while the role has no agent yet. */
  readonly since?: string;
}

/** A terminal at one moment, without secrets. */
export interface PaneFrame {
  readonly columns: number;
  readonly rows: number;
  /** From 0; missing where none is shown. */
  readonly cursor?: { readonly column: number; readonly row: number };
  readonly title: string;
  /** Whether the pane's program has ended. */
  readonly isDead: boolean;
  /** The rows with line feeds between them, and SGR sequences as the only control sequences. */
  readonly text: string;
  /** Whether the styles were left out, because the frame had been too large with them. */
  readonly isPlain: boolean;
}

/** A row of what an agent without a terminal does, without secrets. */
export interface ActivityRowFrame {
  /** ISO 8601. */
  readonly at: string;
  /** What stands before the text, and tells what it is: `• `, `$ `. */
  readonly mark: string;
  readonly text: string;
  /** `strong`, `faint`, `good`, `caution`, `bad`. */
  readonly style?: string;
  /** Whether something new begins with it, not what belongs to the rows before it. */
  readonly begins: boolean;
}

/** What a follower of a role is told; each one but `activity` replaces the one before. */
export type ScreenEvent =
  /** What the terminal shows now; `pane` is null, with the reason in `why`, where there is none to be seen. */
  | (
    & { readonly type: "screen"; readonly at: string; readonly pane: PaneFrame | null; readonly why?: string }
    & RoleStanding
  )
  /**
   * What an agent without a terminal has done since the last such event. With `isReset` the rows replace all that were
   * told before: the first event, and after a pause in which more happened than is kept.
   */
  | ({
    readonly type: "activity";
    readonly at: string;
    readonly rows: readonly ActivityRowFrame[];
    readonly isReset: boolean;
    /** What it is at, in a line; empty where nothing is known of it. */
    readonly doing: string;
  } & RoleStanding)
  /** Nothing will follow: the run is not executed any more, and its terminals are closed. */
  | { readonly type: "end"; readonly at: string; readonly role: Role; readonly why: string };
