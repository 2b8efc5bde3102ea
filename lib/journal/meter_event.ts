import type { Usage } from "../base/usage.ts";

/**
 * The caps of a run by the names that `--raise` takes: `max_turns` for the whole run, `tester.max_turns` for a role,
 * `main/build.max_turns` for a step of a pipeline.
 */
export type RunCaps = Readonly<Record<string, number>>;

export type MeterEvent =
  | { readonly kind: "process_begins"; readonly raised?: RunCaps | undefined }
  | { readonly kind: "process_ends"; readonly seconds: number }
  /** What it used before, as in another task, does not count. */
  | { readonly kind: "worker_begins"; readonly worker: string }
  | { readonly kind: "turn_begins"; readonly worker: string }
  /** A turn that an earlier process has begun. */
  | { readonly kind: "turn_continues"; readonly worker: string }
  /** What it has used since that was told last, in a turn or beside one. */
  | { readonly kind: "tokens_counted"; readonly worker: string; readonly usage: Usage }
  /**
   * What was used in it, and not told yet, counts as well. Where several workers may be at work, it names the one.
   */
  | {
    readonly kind: "turn_ends";
    readonly worker?: string;
    readonly seconds: number;
    readonly usage?: Usage;
    readonly failed?: boolean;
  }
  | WorkEvent;

/**
 * What a fact shows of whether the work advances. A fingerprint is undefined where the files could not be looked at.
 */
export type WorkEvent =
  /** The files at the beginning of a turn that is to change some. */
  | { readonly kind: "work_begins"; readonly files: string | undefined }
  /** The files at its end. */
  | { readonly kind: "work_ends"; readonly turn: string; readonly files: string | undefined }
  /** `evidence` names the file with what the test wrote, below the run's folder; `output` is missing without a test. */
  | {
    readonly kind: "round_fails";
    readonly round: number;
    readonly output?: string | undefined;
    readonly evidence?: string | undefined;
  }
  /** A check of a step; `files` is their fingerprint then. */
  | {
    readonly kind: "check_fails";
    readonly check: string;
    readonly output: string;
    readonly files: string | undefined;
  }
  /** What was checked before does not count any more. */
  | { readonly kind: "checks_begin" }
  | { readonly kind: "command_repeats"; readonly worker: string; readonly command: string; readonly times: number };
