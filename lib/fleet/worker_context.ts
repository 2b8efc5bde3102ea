import type { Clock } from "../base/ports/clock.ts";
import type { RunFolder } from "../run/run_folder.ts";
import type { Fleet } from "./connect.ts";
import type { LeaseClock } from "./lease.ts";
import type { WorkerRules } from "./worker_rules.ts";

/** What a worker does with its machine. */
export interface WorkerPorts {
  /** How panewright is called. */
  readonly panewright: readonly [string, ...string[]];
  /** The variables of agents, with those of the worker's own that are named. */
  readonly environment: (secrets: readonly string[]) => Readonly<Record<string, string>>;
  /** Leaves an answer for a run. */
  readonly giveAnswer: (
    folder: RunFolder,
    answer: {
      readonly answer: string;
      readonly who: string;
      readonly question?: string;
      /** Whether a model gives it for them. */
      readonly isModels: boolean;
    },
  ) => Promise<void>;
  /** Why a job with this config is not worked on; undefined where it is. */
  readonly refuses: (asked: {
    readonly config: string;
    readonly rule: WorkerRules["accept"][number];
  }) => Promise<string | undefined>;
  /** Why no further job fits on this machine now; undefined where one does. */
  readonly isFull: () => Promise<string | undefined>;
  readonly log: (line: string) => void;
  readonly clock: Clock;
  readonly leaseClock: LeaseClock;
}

export interface WorkerOptions extends WorkerPorts {
  readonly fleet: Fleet;
  /** The worker's name among those of the same credentials. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly slots: number;
  readonly rules: WorkerRules;
  /** Where its jobs are worked on: a folder of its own, absolute. */
  readonly folder: string;
  /** No further job is taken; those under way are handed over at the end of their agents' turns. */
  readonly draining: AbortSignal;
}

/** What the work on a job goes by. */
export interface WorkerContext extends WorkerOptions {
  readonly leaseMs: number;
}
