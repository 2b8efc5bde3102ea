import { DIALOG_FACTS } from "./dialog_facts.ts";
import { ROLES } from "../../base/roles.ts";
import type { MapPath } from "../paths.ts";
import { RUN_FACTS } from "../run_facts.ts";
import { usage } from "../usage.ts";
import {
  type Check,
  either,
  type FactOf,
  flag,
  isObject,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  type ValueOf,
} from "../../base/schema.ts";
import { AGENT_FACTS } from "./agent_facts.ts";
import { OUTSIDE_FACTS } from "./outside_facts.ts";
import { TURN_FACTS } from "./turn_facts.ts";

const role = oneOf(...ROLES);

/** What the agents are to do. */
const task = object({
  /** What stands before the first section; may be empty. */
  introduction: text,
  exploreSummary: text,
  scenarioTest: text,
});

/** What the agents are to do. Plain data. */
export type Job = ValueOf<typeof task>;

/** What a run was started from, so that it can be configured again. Plain data. */
const origin = object({
  /** Absolute path of the config file; null where there was none. */
  configFile: either(text, oneOf(null)),
  /** The folder from which relative paths of flags start. */
  cwd: text,
  /** The flags that were given, by name. */
  flags: mapOf((_value): _value is unknown => true),
});

/**
 * Which rules tell what the screens of each provider mean, by its id: their version, and for those of a pack its
 * SHA-256 and the id of the key that signed it.
 */
const rulesUsed = mapOf(object({ version: text, sha256: optional(text), key: optional(text) }));

/** The settings of the loop, of which the job knows more: its own table of facts checks them. */
export interface LoopSettings {
  readonly maxRounds: number;
}

const settings: Check<LoopSettings> = (value): value is LoopSettings => isObject(value);

/**
 * The facts of a review loop: each record type with its fields; those of agents, turns and what comes from outside are
 * in agent_facts.ts, turn_facts.ts and outside_facts.ts. The same facts are the NDJSON of `--json`, the progress lines
 * for a person and the records of the run's journal, from which a run that was broken off resumes (fold.ts).
 */
export const REVIEW_FACTS = {
  run_started: {
    job: oneOf("run"),
    ...RUN_FACTS.run_started,
    startAgent: role,
    /** What the agents are to do; a job's file may change during the run. */
    task,
    settings,
    origin,
    rules: optional(rulesUsed),
  },
  /** Another process resumes the run, with settings that may have been changed meanwhile. */
  run_resumed: {
    ...RUN_FACTS.run_resumed,
    settings,
    rules: optional(rulesUsed),
    /** Those before, where they were others. */
    rulesBefore: optional(rulesUsed),
  },
  ...AGENT_FACTS,
  /** A round begins: work, its review, and the test. */
  round_started: { round: number, maxRounds: number },
  ...TURN_FACTS,
  ...DIALOG_FACTS,
  dialog_waiting: {
    ...DIALOG_FACTS.dialog_waiting,
    runId: text,
    /** Shows the pane to a person; missing where the agent has none. */
    attachCommand: optional(text),
  },
  ...OUTSIDE_FACTS,
  /** A reviewer has given its verdict. */
  review_decided: {
    role,
    round: number,
    cycle: number,
    verdict: oneOf("APPROVED", "REVISE"),
    /** Why an approval was not accepted, or a verdict had to be assumed. */
    note: optional(text),
  },
  /** The reviewer has not approved in as many exchanges as are allowed. */
  review_limit_reached: { role, round: number, then: oneOf("proceed", "fail") },
  /** The project's test command runs. */
  test_command_started: { round: number, command: text },
  /** The project's test command has ended. */
  test_command_finished: {
    round: number,
    passed: flag,
    exitCode: number,
    seconds: number,
    timedOut: flag,
    /** The end of what the command wrote, without control characters; may be many lines. */
    output: text,
    /** Whether older output was dropped. */
    truncated: flag,
  },
  /** The round is over, with its verdict. */
  round_finished: { round: number, verdict: oneOf("PASS", "FAIL"), note: optional(text) },
  /** A command of the post-processing has ended; `problem` says what went wrong. */
  post_processed: { command: text, problem: optional(text) },
  /** The run is over, and its panes were left for a person. */
  panes_left: { attachCommand: text },
  /** What was done for a role, and is as it should be: a request that was accepted, or refused. */
  note: { role, message: text, passable: flag },
  warning: { ...RUN_FACTS.warning, role: optional(role) },
  run_finished: {
    ...RUN_FACTS.run_finished,
    rounds: number,
    /** Of the whole run, earlier processes included; missing in older journals. */
    usage: optional(usage),
    usageByRole: optional(mapOf(usage)),
  },
} as const;

/** What happens in a review loop. */
export type ReviewFact = FactOf<typeof REVIEW_FACTS>;

/** A fact with each of its paths changed. */
export function mapReviewPaths(fact: ReviewFact, map: MapPath): ReviewFact {
  switch (fact.type) {
    case "run_started": {
      const { workdir, origin } = fact;
      const configFile = origin.configFile === null ? null : map(origin.configFile);
      return { ...fact, workdir: map(workdir), origin: { ...origin, cwd: map(origin.cwd), configFile } };
    }
    case "run_resumed":
      return fact.configFile === undefined ? fact : { ...fact, configFile: map(fact.configFile) };
    case "response_received":
      return { ...fact, archivedAs: map(fact.archivedAs) };
    case "message_answered":
      return fact.archivedAs === undefined ? fact : { ...fact, archivedAs: map(fact.archivedAs) };
    default:
      return fact;
  }
}

/** Which rules tell what the screens of each provider mean. */
export type RulesUsed = ValueOf<typeof rulesUsed>;

/** What a run was started from. */
export type RunOrigin = ValueOf<typeof origin>;
