import { SANDBOX_MODES } from "../../base/terms.ts";
import type { AgentFact } from "../../base/activity.ts";
import type { MapPath } from "../paths.ts";
import { RUN_FACTS } from "../run_facts.ts";
import { usage } from "../usage.ts";
import {
  either,
  type FactOf,
  flag,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  type ValueOf,
} from "../../base/schema.ts";
import { ATTEMPT_FACTS } from "./attempt_facts.ts";

/** How much an agent asks. */
const autonomyLevel = oneOf(0, 1, 2, 3, 4, 5);

/**
 * The facts of `panewright exec`: each record type with its fields; those of attempts are in attempt_facts.ts. The same
 * facts are the NDJSON of `--json`, the progress lines for a person and the records of the run's journal, from which
 * its state is folded.
 */
export const EXEC_FACTS = {
  run_started: {
    job: oneOf("exec"),
    ...RUN_FACTS.run_started,
    target: object({ kind: oneOf("task", "folder"), path: text, text: optional(text) }),
    /** Absolute path of the config file; null where there is none. */
    configFile: either(text, oneOf(null)),
    overrides: object({
      pipeline: optional(text),
      autonomyLevel: optional(autonomyLevel),
      resume: optional(oneOf("native", "replay")),
      keepGoing: optional(flag),
      only: optional(listOf(text)),
      force: optional(flag),
      provider: optional(text),
      check: optional(text),
    }),
  },
  run_resumed: {
    ...RUN_FACTS.run_resumed,
    /** Whether it was carried as a copy: the original was still there. */
    isCopy: optional(flag),
    /** What the agent did in an attempt that was broken off. */
    interruptedLog: optional(text),
  },
  /** A task begins. */
  task_started: {
    /** Counts from 1. */
    task: number,
    /** Absolute path; only a name where the task is in no file. */
    file: text,
    /** Whether the task is in no file: it was given as a text. */
    isText: optional(flag),
    pipeline: text,
    /** The names of the pipeline's steps. */
    steps: listOf(text),
    /** The task's text, without its front matter. */
    text,
    /** What the task's front matter says. */
    autonomyLevel: optional(autonomyLevel),
    /** How many tasks there are; missing in older journals. */
    of: optional(number),
    /** What the task and its pipeline come down to: see `fingerprintTask`. Missing in older journals. */
    fingerprint: optional(text),
  },
  /** A task of a folder is left out: an earlier run passed it, and neither it nor its pipeline has changed. */
  task_skipped: {
    /** Counts from 1, with the tasks that were begun. */
    task: number,
    /** Absolute path. */
    file: text,
    /** The id of that run. */
    run: text,
    of: number,
  },
  /** A step of the task begins. */
  step_started: {
    task: number,
    /** Counts from 1. */
    step: number,
    /** Counts from 2; missing the first time that the task comes to the step. */
    round: optional(number),
    name: text,
    provider: text,
    model: optional(text),
    autonomyLevel,
    /**
     * The SHA-256 of the note of what the files were before the step; missing where that cannot be told. A git tree in
     * journals of earlier versions.
     */
    baseline: optional(text),
    /** ISO 8601. */
    startedAt: text,
    /** Whether the sandbox of its agent's CLI is switched on; missing in older journals. */
    sandbox: optional(oneOf(...SANDBOX_MODES)),
    /** Who decides about what needs a permission; missing in older journals. */
    permissions: optional(oneOf("policy", "person", "dry_run")),
  },
  ...ATTEMPT_FACTS,
  /** All files of the working directory are looked at, which can take a while. */
  files_look_started: { task: number, step: number, moment: oneOf("before", "after"), passable: flag },
  /** It was looked for files that the step may not write. */
  writes_checked: {
    task: number,
    step: number,
    /** Files changed outside of allow_write, relative to the working directory. */
    outside: listOf(text),
    /** How many more there are. */
    more: optional(number),
    /** Why it cannot be told which files were changed. */
    untold: optional(text),
    /** Whether such files, or that it cannot be told, make the step fail. */
    enforced: flag,
    note: optional(text),
  },
  /** What a step that is over has changed; with what its checks have. */
  files_changed: {
    task: number,
    step: number,
    /** Relative to the working directory. */
    files: listOf(text),
    /** How many more there are. */
    more: optional(number),
    /** Where `files.txt` with all of them is, relative to the run's folder. */
    folder: text,
    /** Whether `diff.patch` is there, too. */
    hasPatch: flag,
    passable: flag,
  },
  /** A check of the step begins. */
  check_started: {
    task: number,
    step: number,
    /** Counts from 1. */
    check: number,
    description: text,
  },
  /** A check of the step has ended. */
  check_finished: {
    task: number,
    step: number,
    check: number,
    /** What was checked, as when it started; missing in older journals. */
    description: optional(text),
    passed: flag,
    /** Whether it could not be made: it says nothing of the work then. */
    notMade: optional(flag),
    /** Why it failed, or what it found. */
    detail: text,
    /** The end of what a command wrote, without control characters; may be many lines. */
    output: text,
    seconds: number,
    /** What the review says that was checked; `none` where it states no unambiguous verdict. */
    verdict: optional(oneOf("APPROVED", "REVISE", "none")),
    /** A fingerprint of the working directory's files, where the check failed and may be tried again. */
    files: optional(text),
  },
  /** A step is over. */
  step_finished: {
    task: number,
    step: number,
    name: text,
    outcome: oneOf("pass", "fail"),
    attempts: number,
    /** Why it failed. */
    reason: optional(text),
    /** Where the pipeline's `next` leads from here; a step without a name is the end of the task. */
    next: optional(object({ step: number, name: optional(text), round: number })),
  },
  /** A task is over. */
  task_finished: {
    task: number,
    file: text,
    outcome: oneOf("pass", "fail"),
    reason: optional(text),
    /** Where it has passed, and task and pipeline were the same from its beginning to its end. */
    fingerprint: optional(text),
  },
  warning: RUN_FACTS.warning,
  run_finished: {
    ...RUN_FACTS.run_finished,
    /** How many tasks have passed. */
    tasks: number,
    /** Of the whole run, earlier processes included. */
    usage,
    /** By the names that the steps' caps have: `main/build`. */
    usageByStep: optional(mapOf(usage)),
    /** The command that resumes it; missing where it has passed, or a question waits first. */
    resumeCommand: optional(text),
  },
} as const;

/** What happens in a run of `panewright exec`, and changes its state. */
export type ExecFact = FactOf<typeof EXEC_FACTS>;

/**
 * {@linkcode ExecFact}, and what the agent says and does at this moment: the attempt's folder has that, not the
 * journal.
 */
export type ExecEvent =
  | ExecFact
  | {
    readonly type: "agent_activity";
    readonly task: number;
    readonly step: number;
    readonly attempt: number;
    readonly fact: AgentFact;
  };

/** A fact with each of its paths changed. */
export function mapExecPaths(fact: ExecFact, map: MapPath): ExecFact {
  switch (fact.type) {
    case "run_started": {
      const { workdir, target, configFile } = fact;
      return {
        ...fact,
        workdir: map(workdir),
        target: { ...target, path: map(target.path) },
        configFile: configFile === null ? null : map(configFile),
      };
    }
    case "run_resumed":
      return fact.configFile === undefined ? fact : { ...fact, configFile: map(fact.configFile) };
    case "task_started":
    case "task_skipped":
    case "task_finished":
      return { ...fact, file: map(fact.file) };
    default:
      return fact;
  }
}

/**
 * What `panewright exec` was told on its command line: it goes before the task's front matter and the configuration.
 */
export interface ExecOverrides {
  readonly autonomyLevel?: AutonomyLevel;
  readonly resume?: "native" | "replay";
  readonly pipeline?: string;
  /** Whether a folder's next task is done although one has failed. @default {false} */
  readonly keepGoing?: boolean;
  /** The only tasks of a folder that are done, by the names of their files, with or without `.md`. @default all */
  readonly only?: readonly string[];
  /** Whether a folder's tasks are done that an earlier run has passed. @default {false} */
  readonly force?: boolean;
  /** The agent CLI of steps that name none. */
  readonly provider?: string;
  /** The command for `sh -c` that must pass after the step of the built-in pipeline. */
  readonly check?: string;
}

/** What is executed: one task, or the tasks of a folder. Paths are absolute. */
export interface ExecTarget {
  readonly kind: "task" | "folder";
  readonly path: string;
  /** The task itself, where it is in no file: the path only names it then. */
  readonly text?: string;
}

/** What `next` names where the task is done. */
export const END = "end";

/** How much an agent asks: higher asks more. */
export type AutonomyLevel = ValueOf<typeof autonomyLevel>;
