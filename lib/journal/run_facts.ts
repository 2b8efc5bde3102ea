import { ANSWER_WAYS, ANSWERS_FROM, GIVER_KINDS, HOST_ANSWERS, MODEL_ANSWERS, ON_ANSWER } from "../base/terms.ts";
import { recovered } from "./recovery.ts";
import { cost } from "./usage.ts";
import {
  flag,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  type ValueOf,
  type ValuesOf,
} from "../base/schema.ts";

export type { Recovered } from "./recovery.ts";

/** The jobs, by the command that starts a run of one; a run's first record names its job so. */
export const JOB_IDS = ["run", "exec"] as const;

export type JobId = typeof JOB_IDS[number];

/**
 * From where a run without a terminal is started or resumed: by `--detach`, over HTTP, by a model over MCP, by the button
 * of a notification, or by a worker of a fleet.
 */
export const STARTED_BY = ["command", "http", "mcp", "notification", "fleet"] as const;

export type StartedBy = typeof STARTED_BY[number];

/** Checks a {@linkcode RunEnd}. */
export const runEnd = oneOf("pass", "fail", "waiting", "needs_human", "error", "interrupted");

/** How a run ended, or where it stands still; `needs_human`: at something that only a person may decide. */
export type RunEnd = ValueOf<typeof runEnd>;

/** Where an audit log ends. */
export const auditEnd = object({ records: number, hash: text });

/** What gave an answer, as far as the system told. */
export const giver = object({
  /** Whose it counts as: `program` is one of which nothing showed that a person had called it. */
  kind: oneOf(...GIVER_KINDS),
  /** Missing where nothing was recorded of its process. */
  pid: optional(number),
  /** The names of the processes above it, the nearest first. */
  below: listOf(text),
  terminal: optional(text),
});

/** What agents were in is gone: their tmux server, the sandbox around them. */
export const GROUND_LOST = {
  /** What of it. */
  reason: text,
  /** Which time this is since somebody last started or resumed the run, from 1, and how many there may be. */
  restart: number,
  maxRestarts: number,
} as const;

/** One of them as it is recorded. */
export type RunFactOf<Type extends keyof typeof RUN_FACTS> =
  & { readonly type: Type }
  & ValuesOf<(typeof RUN_FACTS)[Type]>;

/** The facts that the runs of all jobs have, with the fields that they have in each of them. */
export const RUN_FACTS = {
  /** A run begins: the first record after the one that opens the journal. */
  run_started: {
    runId: text,
    workdir: text,
    /** The run's folder where it was then: its journal, and what its agents wrote. */
    folder: text,
    /** What a model may answer in place of a person; missing in older journals. */
    modelAnswers: optional(oneOf(...MODEL_ANSWERS)),
    /** Whose yes permits something; missing in older journals. */
    answersFrom: optional(oneOf(...ANSWERS_FROM)),
    /** What comes of an answer while nobody executes it; missing: it is kept. */
    onAnswer: optional(oneOf(...ON_ANSWER)),
    /** The version that started it. */
    panewright: optional(text),
    /** From where it was started, where it has no terminal. */
    startedBy: optional(oneOf(...STARTED_BY)),
    /** SHA-256 of the key of the request that it carries out. */
    key: optional(text),
    /** SHA-256 of what it is bound to; missing in older journals. */
    contract: optional(text),
  },
  /** Another process resumes the run. */
  run_resumed: {
    runId: text,
    folder: text,
    /** The working directory as it was before, where the run was carried elsewhere since. */
    carriedFrom: optional(text),
    /** The config file, where it is another one from now on. */
    configFile: optional(text),
    /** The caps that were raised, by name. */
    raised: optional(mapOf(number)),
    /** What a model may answer from now on; missing in older journals. */
    modelAnswers: optional(oneOf(...MODEL_ANSWERS)),
    /** Whose yes permits something; missing in older journals. */
    answersFrom: optional(oneOf(...ANSWERS_FROM)),
    /** What comes of an answer while nobody executes it; missing: it is kept. */
    onAnswer: optional(oneOf(...ON_ANSWER)),
    panewright: optional(text),
    /** From where it was resumed, where it has no terminal. */
    startedBy: optional(oneOf(...STARTED_BY)),
    /** SHA-256 of what it is bound to from now on; missing in older journals. */
    contract: optional(text),
    /** What a person accepted that is not as it was when the run began. */
    accepted: optional(object({ files: listOf(text), diff: text })),
    /** The id of the CLI's session in which a person has worked since. */
    handedBack: optional(text),
    /** What a person says to the agent whose attempt was broken off, or has failed. */
    said: optional(text),
  },
  /** Something that a person should know of, and that does not stop the run. */
  warning: { message: text },
  /** The sandbox around an agent, or around a command of the project, has refused it something. */
  sandbox_refused: {
    /** Whose program it was: a role, a step as `main-1`, `command`; or when it was seen, as `turn 3`. */
    by: text,
    /** `write /home/me/.bashrc`, `connect evil.example:443`, `have git obey /home/me/p/sub/.git/config, now config.refused`. */
    what: text,
    passable: flag,
  },
  /** The workspace that the run works in was set up, before its agents began. */
  workspace_set_up: {
    command: text,
    /** `kept`: with what an earlier setup has made of the same files. */
    outcome: oneOf("made", "kept", "failed"),
    seconds: number,
    /** The end of what the command wrote. */
    output: text,
    passable: flag,
  },
  /** How the checks end on the code as it was, which was tried while the first agent worked. */
  base_tried: {
    commit: text,
    passed: flag,
    detail: text,
    /** The tests that failed, where they are told by name. */
    failed: optional(listOf(text)),
    /** How many tests there are, where the runner tells it. */
    total: optional(number),
    notMade: optional(flag),
    passable: flag,
  },
  /** What is known of the tests by which work has passed. */
  evidence_gathered: {
    /** The commit that it began with, and the one that was judged; missing where that is not known. */
    base: optional(text),
    commit: optional(text),
    /** The files of the commit that was judged. */
    tree: optional(text),
    /** The checks that decided; what made a fresh checkout ready for them. */
    checks: optional(listOf(object({ command: text, timeLimitSeconds: number }))),
    setup: optional(text),
    /**
     * Where the checks were made once more: on a fresh checkout of the result (`clean`), there with the tests as they were
     * (`original`), in another time zone or locale (`again`; `again_before` on the code as it was, where that fails), or with the hidden tests (`hidden`); on the code as it was with
     * the tests of the result (`red`), and with a test in a file (`of`) that must fail (`canary`; `canary_before` on the code
     * as it was), which are to fail. How the tests of the code as it was end (`base`), and what a tool says that changes the
     * code on purpose (`mutation`).
     */
    trials: listOf(
      object({
        kind: oneOf(
          ...[
            "clean",
            "base",
            "original",
            "red",
            "canary",
            "canary_before",
            "again",
            "again_before",
            "mutation",
            "hidden",
          ] as const,
        ),
        of: optional(text),
        passed: flag,
        detail: text,
        /** The tests that failed, where they are told by name. */
        failed: optional(listOf(text)),
        notMade: optional(flag),
      }),
    ),
    /** What a person should know of a PASS. */
    remarks: listOf(text),
    /** Why it is no PASS. */
    problem: optional(text),
    /** The places that were changed and then taken back alone: whether a check missed them. */
    hunks: optional(listOf(object({ path: text, lines: text, noticed: flag, by: optional(listOf(text)) }))),
    /** What the tests of the result have come to: how many there are, and the hash of their results by name. */
    tests: optional(object({ total: number, sha256: text, results: optional(mapOf(text)) })),
    /** How many were not tried, or could not be judged. */
    untried: optional(number),
    passable: flag,
  },
  /** A program in the sandbox waits until a person has said whether it may reach a host that is not named. */
  host_asked: {
    /** Unique in its run: `q1`, `q2`, … */
    question: text,
    /** `files.example.com:443`. */
    host: text,
    passable: flag,
  },
  /** A person has said whether programs in the sandbox may reach a host that is not named. */
  host_decided: {
    /** `files.example.com:443`. */
    host: text,
    answer: oneOf(...HOST_ANSWERS),
    /** Missing in older journals. */
    question: optional(text),
    /** How the answer came; missing where nobody gave one in time, and in older journals. */
    by: optional(oneOf(...ANSWER_WAYS)),
    who: optional(text),
    giver: optional(giver),
    passable: flag,
  },
  /** The process has ended the run, or leaves it to be resumed. */
  run_finished: {
    outcome: runEnd,
    reason: text,
    seconds: number,
    /** What agents left running when their turns ended; missing where there is none. */
    left: optional(listOf(text)),
    /** What the run was helped out of; missing where there is nothing. */
    recovered: optional(listOf(recovered)),
    /** Missing where there are no prices. */
    cost: optional(cost),
    /** Where the audit log ends; missing in older journals. */
    audit: optional(auditEnd),
    /** The command that resumes it; missing where there is nothing to resume. */
    resumeCommand: optional(text),
  },
} as const;

/** What comes of looking whether what has passed holds. */
export type JudgingFact = {
  [Type in "evidence_gathered" | "base_tried" | "workspace_set_up" | "warning" | "sandbox_refused"]: RunFactOf<Type>;
}["evidence_gathered" | "base_tried" | "workspace_set_up" | "warning" | "sandbox_refused"];
