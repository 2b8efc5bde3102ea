import type { TerminalStatus } from "../base/status.ts";

/** The agents of a run, and where they are. */
export interface Workers {
  /** The agents, in the order in which they were started: one a role, or the one of the step under way. */
  readonly workers: readonly Worker[];
  /** The tmux session with the agents' panes. */
  readonly session: SessionState | undefined;
}

/** An agent. */
export interface Worker {
  /** The role, or the name of the step. */
  readonly name: string;
  readonly provider: string;
  readonly status: WorkerStatus;
  readonly since: string;
  /** The id of its CLI's own session. */
  readonly sessionId: string | undefined;
  /** How it is driven; missing where it is in a pane, or works on a step. */
  readonly protocol?: "acp";
  /** The pane that it was ready in; undefined while it starts, and where it has none. */
  readonly pane: AgentPane | undefined;
  /** Its process, where it has no pane and is driven by a protocol. */
  readonly process?: AgentProcess;
  /** The folder of its attempt with what it says and runs, relative to the run's; undefined where it has a pane. */
  readonly folder: string | undefined;
}

/**
 * What an agent does, as far as it is recorded.
 *
 * - `starting`: it is being started, or about to be
 * - `prompting`: its turn has begun, and its prompt is not sent yet
 * - `prompted`: it was sent a prompt, and has shown no sign of work since
 * - `limited`: its account's usage limit is reached; `lost`: its program has ended by itself
 */
export type WorkerStatus = TerminalStatus | "starting" | "prompting" | "prompted" | "limited" | "lost";

/** A tmux session that the run's panes are in. */
export interface SessionState {
  readonly socket: string;
  readonly name: string;
  /** Whether the session is a person's own. */
  readonly existing: boolean;
  /** What everything that is started in it carries in its environment. */
  readonly mark: string;
  /** Whether it is known to have been opened. */
  readonly opened: boolean;
}

/** What an agent's program is known by. */
interface AgentProcess {
  readonly pid: number;
  /** In the notation of the process table; undefined where it was not known. */
  readonly processStart: string | undefined;
}

/** What an agent's pane is known by. */
export interface AgentPane extends AgentProcess {
  readonly terminalId: string;
  readonly wrapperShell: string | undefined;
  readonly launchedAtMs: number;
  /** The folders besides the working directory in which its sandbox lets commands write; missing without a sandbox. */
  readonly sandbox?: readonly string[];
}

/** What changes where the run's panes are not its own any more. */
export function withoutPanes({ workers }: Pick<Workers, "workers">): Workers {
  return { session: undefined, workers: workers.map((worker) => ({ ...worker, pane: undefined })) };
}

/** The workers with one of them changed; those of other names stay as they are. */
export function changeWorker(
  { workers }: Pick<Workers, "workers">,
  name: string,
  change: Partial<Worker>,
): Pick<Workers, "workers"> {
  return { workers: workers.map((worker) => worker.name === name ? { ...worker, ...change } : worker) };
}

/** Whether the agents of a run are known to have no panes: all of them are driven by a protocol. */
export function isWithoutPanes(progress: Workers | undefined): boolean {
  return progress?.session === undefined && progress?.workers.some(({ protocol }) => protocol !== undefined) === true;
}

/** The worker of that name. */
export function workerOf({ workers }: Pick<Workers, "workers">, name: string | undefined): Worker | undefined {
  return workers.find((worker) => worker.name === name);
}
