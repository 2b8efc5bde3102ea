import { TERMINAL_STATUSES } from "../base/status.ts";
import {
  flag,
  integer,
  listOf,
  number,
  object,
  oneOf,
  optional,
  orMissing,
  text,
  type ValueOf,
} from "../base/schema.ts";

export interface Workers {
  readonly workers: readonly Worker[];
  readonly session: SessionState | undefined;
}

/**
 * What an agent does, as far as it is recorded.
 *
 * - `starting`: it is being started, or about to be
 * - `prompting`: its turn has begun, and its prompt is not sent yet
 * - `prompted`: it was sent a prompt, and has shown no sign of work since
 * - `limited`: its account's usage limit is reached; `lost`: its program has ended by itself
 */
export const WORKER_STATUSES = [...TERMINAL_STATUSES, "starting", "prompting", "prompted", "limited", "lost"] as const;

export const workerStatus = oneOf(...WORKER_STATUSES);

export type WorkerStatus = ValueOf<typeof workerStatus>;

/** The start is in the notation of the process table; undefined where it was not known. */
const agentProcess = { pid: integer, processStart: orMissing(text) };

const agentPane = object({
  terminalId: text,
  ...agentProcess,
  wrapperShell: orMissing(text),
  launchedAtMs: number,
  /** The folders besides the working directory in which its sandbox lets commands write; missing without a sandbox. */
  sandbox: optional(listOf(text)),
});

export type AgentPane = ValueOf<typeof agentPane>;

export const worker = object({
  name: text,
  provider: text,
  status: workerStatus,
  since: text,
  sessionId: orMissing(text),
  /** How it is driven; missing where it is in a pane, or works on a step. */
  protocol: optional(oneOf("acp", "process")),
  process: optional(object(agentProcess)),
  /** The pane that it was ready in; undefined while it starts, and where it has none. */
  pane: orMissing(agentPane),
  /** The folder of its attempt with what it says and runs, relative to the run's; undefined where it has a pane. */
  folder: orMissing(text),
});

export type Worker = ValueOf<typeof worker>;

export const sessionState = object({ socket: text, name: text, existing: flag, mark: text, opened: flag });

export type SessionState = ValueOf<typeof sessionState>;

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
