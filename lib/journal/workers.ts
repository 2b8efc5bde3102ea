import type { TerminalStatus } from "../base/status.ts";

export interface Workers {
  readonly workers: readonly Worker[];
  readonly session: SessionState | undefined;
}

export interface Worker {
  readonly name: string;
  readonly provider: string;
  readonly status: WorkerStatus;
  readonly since: string;
  readonly sessionId: string | undefined;
  /** How it is driven; missing where it is in a pane, or works on a step. */
  readonly protocol?: "acp";
  /** The pane that it was ready in; undefined while it starts, and where it has none. */
  readonly pane: AgentPane | undefined;
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

export interface SessionState {
  readonly socket: string;
  readonly name: string;
  readonly existing: boolean;
  readonly mark: string;
  readonly opened: boolean;
}

interface AgentProcess {
  readonly pid: number;
  /** In the notation of the process table; undefined where it was not known. */
  readonly processStart: string | undefined;
}

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

export function changeWorker(
  { workers }: Pick<Workers, "workers">,
  name: string,
  change: Partial<Worker>,
): Pick<Workers, "workers"> {
  return { workers: workers.map((worker) => worker.name === name ? { ...worker, ...change } : worker) };
}

export function isWithoutPanes(progress: Workers | undefined): boolean {
  return progress?.session === undefined && progress?.workers.some(({ protocol }) => protocol !== undefined) === true;
}

export function workerOf({ workers }: Pick<Workers, "workers">, name: string | undefined): Worker | undefined {
  return workers.find((worker) => worker.name === name);
}
