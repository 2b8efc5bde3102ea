import { FAILURE_CLASSES, type MessageKind } from "../../base/terms.ts";
import { ROLES } from "../../base/roles.ts";
import { toldCost, usage } from "../usage.ts";
import { flag, listOf, number, object, oneOf, optional, text, wordOf } from "../../base/schema.ts";
import { TERMINAL_STATUSES } from "../../base/status.ts";

const role = oneOf(...ROLES);

const messageKind = wordOf<MessageKind>({ prompt: true, reminder: true, refusal: true, continuation: true });

/** The facts of the turns of a review loop, from the prompt to the response. */
export const TURN_FACTS = {
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
    what: messageKind,
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
    what: messageKind,
    obstacle: oneOf("at_work", "draft"),
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
    /** Whether that was seen only when the run was resumed: what others have changed meanwhile is in it. */
    late: optional(flag),
    passable: flag,
  },
  /** What a turn that was to change some files has changed is not known. */
  changes_unknown: {
    turnId: text,
    role,
    /** Without a full stop. */
    reason: text,
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
  /** The agent has taken the message. */
  message_sent: {
    turnId: text,
    role,
    what: messageKind,
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
} as const;
