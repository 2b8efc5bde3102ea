import { DIALOG_FACTS } from "../../dialogs/facts.ts";
import { ROLES } from "../../roles.ts";
import type { Held, MessageKind } from "../../handoff/settings.ts";
import { cost } from "../../run/prices.ts";
import { MESSAGE_WAYS } from "../../run/inbox.ts";
import { RAW_KEYS_WAYS } from "../../run/raw_keys.ts";
import type { MapPath } from "../../run/journal_paths.ts";
import { runEnd, STARTED_BY } from "../../run/progress.ts";
import { toldCost, usage } from "../../run/usage.ts";
import {
  type Check,
  either,
  type FactOf,
  flag,
  isObject,
  listOf,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  text,
  type ValueOf,
  wordOf,
} from "../../schema.ts";
import { MODEL_ANSWERS } from "../../dialogs/settings.ts";
import { FAILURE_CLASSES } from "../../providers/failure.ts";
import { TERMINAL_STATUSES } from "../../screen/status.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS, type ReviewLoopSettings } from "./settings.ts";

const role = oneOf(...ROLES);

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

/** Settings as some version had them: those that are there must be of their type. */
const settings: Check<ReviewLoopSettings> = (value): value is ReviewLoopSettings =>
  isObject(value) &&
  Object.entries(DEFAULT_REVIEW_LOOP_SETTINGS).every(([name, standard]) =>
    value[name] === undefined || standard === undefined || typeof value[name] === typeof standard
  );

/**
 * The facts of a review loop: each record type with its fields. The same facts are the NDJSON of `--json`, the progress
 * lines for a person and the records of the run's journal, from which a run that was broken off resumes (fold.ts).
 */
export const REVIEW_FACTS = {
  /** A run begins: the first record after the one that opens the journal. */
  run_started: {
    job: oneOf("run"),
    runId: text,
    workdir: text,
    /** The run's folder where it was then: journal, archived responses, screens of failures. */
    folder: text,
    startAgent: role,
    /** What the agents are to do; a job's file may change during the run. */
    task: object({ introduction: text, exploreSummary: text, scenarioTest: text }),
    settings,
    origin,
    rules: optional(rulesUsed),
    /** Whether keys may be pressed from outside; missing where they may not. */
    rawInput: optional(flag),
    /** What a model may answer in place of a person; missing in older journals. */
    modelAnswers: optional(oneOf(...MODEL_ANSWERS)),
    /** The version that started it. */
    panewright: optional(text),
    /** From where it was started, where it has no terminal. */
    startedBy: optional(oneOf(...STARTED_BY)),
    /** SHA-256 of the key of the request that it carries out. */
    key: optional(text),
  },
  /** Another process resumes the run, with settings that may have been changed meanwhile. */
  run_resumed: {
    runId: text,
    folder: text,
    /** The working directory as it was before, where the run was carried elsewhere since. */
    carriedFrom: optional(text),
    /** The config file, where it is another one from now on. */
    configFile: optional(text),
    settings,
    /** The caps that were raised, by name. */
    raised: optional(mapOf(number)),
    rules: optional(rulesUsed),
    /** Those before, where they were others. */
    rulesBefore: optional(rulesUsed),
    rawInput: optional(flag),
    modelAnswers: optional(oneOf(...MODEL_ANSWERS)),
    panewright: optional(text),
    startedBy: optional(oneOf(...STARTED_BY)),
  },
  /** About to open a tmux session, or to add windows to one that exists. */
  session_opening: {
    /** Name or path of the server's socket. */
    socket: text,
    session: text,
    /** Whether the session is a person's own. */
    existing: flag,
    /** What everything that is started in it carries in its environment. */
    mark: text,
  },
  /** The panes are open; `attachCommand` shows them to a person. */
  session_opened: { attachCommand: text },
  /** The session that an earlier process of the run opened is still there. */
  session_adopted: { attachCommand: text },
  /** About to start a role's agent. */
  agent_starting: {
    role,
    provider: text,
    /** How it is driven; missing where it is in a pane. */
    protocol: optional(oneOf("acp")),
    /** The id of the CLI's own session that it resumes. */
    resumes: optional(text),
  },
  /** The agent waits for its first prompt. */
  agent_ready: {
    role,
    terminalId: text,
    seconds: number,
    /** The agent's program: its process id, and its start in the notation of the process table. */
    pid: number,
    processStart: optional(text),
    /** The shell that the program was started by, where it is a script. */
    wrapperShell: optional(text),
    /** When the program was started, in milliseconds since the epoch. */
    launchedAtMs: number,
    /**
     * The folders besides the working directory in which its sandbox lets commands write; missing without a sandbox.
     */
    sandbox: optional(listOf(text)),
    /** The mode of its session, where it is driven by a protocol that tells it. */
    mode: optional(text),
  },
  /** The agent of an earlier process of the run is alive, and stays. */
  agent_adopted: { role, terminalId: text },
  /** An agent's program has ended by itself, and is started again. */
  agent_lost: {
    role,
    terminalId: text,
    /** How it ended. */
    reason: text,
    /** Which restart of the role this is, from 1, and how many there may be. */
    restart: number,
    maxRestarts: number,
  },
  /** The agent's CLI keeps its session under this id. */
  agent_session: { role, sessionId: text },
  /** These rules were seen on the agent's screens, and lift a doubt from then on. */
  agent_rules_seen: {
    role,
    /** Their ids. */
    rules: listOf(text),
  },
  /** A round begins: work, its review, and the test. */
  round_started: { round: number, maxRounds: number },
  /** A prompt is about to be sent to a role. */
  turn_started: {
    turnId: text,
    role,
    round: number,
    /** 1 for the first exchange between an author and its reviewer; 0 for the tester. */
    cycle: number,
    promptBytes: number,
  },
  /** The turn that an earlier process has begun continues. */
  turn_resumed: { turnId: text, role, round: number, cycle: number },
  /** About to press keys: first to paste a message, then to submit it. */
  message_sending: {
    turnId: text,
    role,
    terminalId: text,
    what: wordOf<MessageKind>({ prompt: true, reminder: true, refusal: true, continuation: true }),
    /** Whether it is about to be pasted, or submitted. */
    step: oneOf("paste", "enter"),
    /** The file with the message's text, below the run's folder. */
    file: text,
    bytes: number,
    /** SHA-256 of the text, hexadecimal. */
    sha256: text,
    /** When it was dispatched, by the clock of the response folder's file system. */
    dispatchedAtMs: optional(number),
  },
  /** A message cannot be sent yet: its agent is at work on something else, or a person's draft is in its composer. */
  message_held: {
    turnId: text,
    role,
    terminalId: text,
    what: wordOf<MessageKind>({ prompt: true, reminder: true, refusal: true, continuation: true }),
    obstacle: wordOf<Held["obstacle"]>({ at_work: true, draft: true }),
    /** How long that is waited for at most. */
    timeoutSeconds: number,
    /** Shows the pane to a person; missing where the agent has none. */
    attachCommand: optional(text),
    passable: flag,
  },
  /** It does not wait any longer: the way is free, or it was given up. */
  message_released: { turnId: text, role, passable: flag },
  /** The files of the working directory were looked at, before and after a turn that is to change some. */
  files_seen: {
    turnId: text,
    role,
    moment: oneOf("before", "after"),
    /** Their fingerprint; missing where it cannot be told. */
    files: optional(text),
    passable: flag,
  },
  /**
   * What the files are was noted before a turn that is to change some, to tell afterwards what it has changed.
   */
  files_noted: {
    turnId: text,
    role,
    /** SHA-256 of the note, hexadecimal. */
    baseline: text,
    passable: flag,
  },
  /** What a turn that is over has changed. */
  files_changed: {
    turnId: text,
    role,
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
  /** What an agent showed was kept: at a dialog that a person is asked about, or when its turn failed. */
  screen_kept: {
    turnId: text,
    role,
    moment: oneOf("dialog", "failure"),
    /** Below the run's folder: `….ansi`, or `….txt` of an agent without a pane. */
    file: text,
    passable: flag,
  },
  /** The agent has run one command that often, with the same output and nothing else in between. */
  command_repeated: { turnId: text, role, command: text, times: number, passable: flag },
  /** About to press keys in a role's terminal that somebody has sent from outside; the settings allow it. */
  raw_keys_pressing: {
    /** Of the request. */
    id: text,
    role,
    terminalId: text,
    /** How they came. */
    by: oneOf(...RAW_KEYS_WAYS),
    /** Who sends them, as the sender says. */
    who: optional(text),
    /** The keys, with control characters as visible escapes. */
    subject: text,
    passable: flag,
  },
  /** They were pressed, or `problem` says why not. */
  raw_keys_ended: { id: text, role, problem: optional(text), passable: flag },
  /** The agent has taken the message. */
  message_sent: {
    turnId: text,
    role,
    what: wordOf<MessageKind>({ prompt: true, reminder: true, refusal: true, continuation: true }),
    /** Of the turn, and of the message; missing in older journals. */
    round: optional(number),
    cycle: optional(number),
    bytes: optional(number),
  },
  /** The agent that has the turn does something else than before. */
  status_changed: {
    turnId: text,
    role,
    status: oneOf(...TERMINAL_STATUSES),
    /** What decided: a rule of the screen, or the record of the agent's CLI. */
    rule: optional(text),
    /** What that record, or a hook of the CLI, says. */
    record: optional(text),
  },
  /**
   * How much of the time that it may take the turn has used so far, over all processes of the run: without the time in
   * which none ran, a person was waited for, or the next try after a failure.
   */
  turn_time: { turnId: text, role, usedSeconds: number, passable: flag },
  /** The agent's CLI says that its turn failed. */
  agent_failed: {
    turnId: text,
    role,
    class: oneOf(...FAILURE_CLASSES),
    /** Its own words. */
    message: text,
    /** Where they stand. */
    evidence: text,
    /** When the account can be used again, ISO 8601, where that is said. */
    resetsAt: optional(text),
    /** When the turn is tried again, ISO 8601; missing where it is not. */
    retryAt: optional(text),
    /** Which retry of the turn that is, from 1; 0 for a wait until the limit is reset. */
    retry: optional(number),
  },
  ...DIALOG_FACTS,
  dialog_waiting: {
    ...DIALOG_FACTS.dialog_waiting,
    runId: text,
    /** Shows the pane to a person; missing where the agent has none. */
    attachCommand: optional(text),
  },
  /** What a role's session has used since its beginning, by the record of its CLI. */
  tokens_counted: {
    role,
    /** The id of the CLI's own session. */
    session: text,
    usage,
    /** What it has cost, where the agent tells that. */
    cost: optional(toldCost),
    passable: flag,
  },
  /** The agent was at rest without a response file, and was reminded of it. */
  reminder_sent: { turnId: text, role, reminder: number },
  /** The role's response file was read and archived: its turn is over. */
  response_received: {
    turnId: text,
    role,
    bytes: number,
    /** The file in the archive, absolute. */
    archivedAs: text,
    /** SHA-256 of the file, hexadecimal. */
    sha256: text,
    seconds: number,
    /** What of the words of a review, written like no path, exists in the working directory. */
    names: optional(object({ files: listOf(text), folders: listOf(text) })),
  },
  /**
   * A message from outside for a role's agent has arrived. Its turn has the message's id, and the records of turns:
   * `message_sent` says that the agent has it. No round and no verdict comes of it.
   */
  message_received: {
    messageId: text,
    role,
    /** How it came; who sends over MCP is a model. */
    by: oneOf(...MESSAGE_WAYS),
    /** Who sends it, as the sender says. */
    who: optional(text),
    /** Whether the agent is asked for a response. */
    wantsResponse: flag,
    /** Of its text, which is in the run's inbox. */
    bytes: number,
    sha256: text,
  },
  /** The agent is free for it: its turn begins. */
  message_started: { messageId: text, role },
  /** The turn that an earlier process has begun continues. */
  message_resumed: { messageId: text, role },
  /** The message's turn is over. */
  message_answered: {
    messageId: text,
    role,
    seconds: number,
    /** The response; missing where none was wanted. */
    bytes: optional(number),
    /** The file that it was archived as, absolute. */
    archivedAs: optional(text),
    sha256: optional(text),
  },
  /** The message is not sent any more, or its turn has failed; the run continues. */
  message_failed: {
    messageId: text,
    role,
    /** As a full sentence. */
    reason: text,
    /** How long its turn took; missing where it was not begun. */
    seconds: optional(number),
  },
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
  /** Something that a person should know of, and that does not stop the run. */
  warning: { message: text, role: optional(role) },
  /** The process has ended the run, or leaves it to be resumed. */
  run_finished: {
    outcome: runEnd,
    rounds: number,
    seconds: number,
    reason: text,
    /** Of the whole run, earlier processes included; missing in older journals. */
    usage: optional(usage),
    usageByRole: optional(mapOf(usage)),
    /** Missing where there are no prices. */
    cost: optional(cost),
    /** Where the audit log ends. */
    audit: optional(object({ records: number, hash: text })),
    /** Resumes the run; missing where there is nothing to resume. */
    resumeCommand: optional(text),
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
