import type { Role } from "../../roles.ts";
import type { AuditEnd } from "../../dialogs/audit_chain.ts";
import type { DialogAnswered, DialogClosed, DialogWaiting } from "../../dialogs/facts.ts";
import type { MessageKind } from "../../handoff/settings.ts";
import type { TerminalStatus } from "../../screen/status.ts";
import type { Job } from "./job.ts";
import type { ReviewLoopSettings } from "./settings.ts";

/**
 * What happens in a review loop, one fact an event. The same events are the NDJSON of `--json`, the progress lines for
 * a person and the records of the run's journal, from which a run that was broken off goes on (fold.ts).
 */
export type ReviewFact =
  | {
    readonly type: "run_started";
    readonly job: "run";
    readonly runId: string;
    readonly workdir: string;
    /** The run's folder, absolute: journal, archived responses, screens of failures. */
    readonly folder: string;
    readonly startAgent: Role;
    /** What the agents are to do; a job's file may change while the run goes on. */
    readonly task: Job;
    readonly settings: ReviewLoopSettings;
    readonly origin: RunOrigin;
  }
  /** Another process goes on with the run, with settings that may have been changed meanwhile. */
  | {
    readonly type: "run_resumed";
    readonly runId: string;
    readonly folder: string;
    readonly settings: ReviewLoopSettings;
  }
  /** About to open a tmux session, or to add windows to one that exists. */
  | {
    readonly type: "session_opening";
    /** Name or path of the server's socket. */
    readonly socket: string;
    readonly session: string;
    /** Whether the session is a person's own. */
    readonly existing: boolean;
    /** What everything that is started in it carries in its environment. */
    readonly mark: string;
  }
  /** The panes are open; `attachCommand` shows them to a person. */
  | { readonly type: "session_opened"; readonly attachCommand: string }
  /** The session that an earlier process of the run opened is still there. */
  | { readonly type: "session_adopted"; readonly attachCommand: string }
  | {
    readonly type: "agent_starting";
    readonly role: Role;
    readonly provider: string;
    /** The id of the CLI's own session that it goes on with. */
    readonly resumes?: string;
  }
  | {
    readonly type: "agent_ready";
    readonly role: Role;
    readonly terminalId: string;
    readonly seconds: number;
    /** The pane's program: its process id, and its start in the notation of the process table. */
    readonly pid: number;
    readonly processStart?: string;
    /** The shell that the program was started by, where it is a script. */
    readonly wrapperShell?: string;
    /** When the program was started, in milliseconds since the epoch. */
    readonly launchedAtMs: number;
  }
  /** The agent of an earlier process of the run is alive and goes on. */
  | { readonly type: "agent_adopted"; readonly role: Role; readonly terminalId: string }
  /** An agent's program has ended by itself, and is started again. */
  | {
    readonly type: "agent_lost";
    readonly role: Role;
    readonly terminalId: string;
    /** How it ended. */
    readonly reason: string;
    /** The how manieth restart of the role this is, and how many there may be. */
    readonly restart: number;
    readonly maxRestarts: number;
  }
  /** The agent's CLI keeps its session under this id. */
  | { readonly type: "agent_session"; readonly role: Role; readonly sessionId: string }
  /** These rules were seen on the agent's screens, and lift a doubt from then on. */
  | { readonly type: "agent_rules_seen"; readonly role: Role; readonly rules: readonly string[] }
  | { readonly type: "round_started"; readonly round: number; readonly maxRounds: number }
  | {
    readonly type: "turn_started";
    readonly turnId: string;
    readonly role: Role;
    readonly round: number;
    /** 1 for the first exchange between an author and its reviewer; 0 for the tester. */
    readonly cycle: number;
    readonly promptBytes: number;
  }
  /** The turn that an earlier process has begun goes on. */
  | {
    readonly type: "turn_resumed";
    readonly turnId: string;
    readonly role: Role;
    readonly round: number;
    readonly cycle: number;
  }
  /** About to press keys: first to paste a message, then to submit it. */
  | {
    readonly type: "message_sending";
    readonly turnId: string;
    readonly role: Role;
    readonly terminalId: string;
    readonly what: MessageKind;
    readonly step: "paste" | "enter";
    /** The file with the message's text, below the run's folder. */
    readonly file: string;
    readonly bytes: number;
    /** SHA-256 of the text, hexadecimal. */
    readonly sha256: string;
    /** When it was dispatched, by the clock of the response folder's file system. */
    readonly dispatchedAtMs?: number;
  }
  /** The agent has taken the message. */
  | { readonly type: "message_sent"; readonly turnId: string; readonly role: Role; readonly what: MessageKind }
  | { readonly type: "status_changed"; readonly turnId: string; readonly role: Role; readonly status: TerminalStatus }
  | (DialogWaiting & { readonly runId: string; readonly attachCommand: string })
  | DialogClosed
  | DialogAnswered
  | { readonly type: "reminder_sent"; readonly turnId: string; readonly role: Role; readonly reminder: number }
  | {
    readonly type: "response_received";
    readonly turnId: string;
    readonly role: Role;
    readonly bytes: number;
    /** The file in the archive, absolute. */
    readonly archivedAs: string;
    /** SHA-256 of the file, hexadecimal. */
    readonly sha256: string;
    readonly seconds: number;
  }
  | {
    readonly type: "review_decided";
    readonly role: Role;
    readonly round: number;
    readonly cycle: number;
    readonly verdict: "APPROVED" | "REVISE";
    /** Why an approval was not accepted, or a verdict had to be assumed. */
    readonly note?: string;
  }
  | {
    readonly type: "review_limit_reached";
    readonly role: Role;
    readonly round: number;
    readonly then: "proceed" | "fail";
  }
  | { readonly type: "test_command_started"; readonly round: number; readonly command: string }
  | {
    readonly type: "test_command_finished";
    readonly round: number;
    readonly passed: boolean;
    readonly exitCode: number;
    readonly seconds: number;
    readonly timedOut: boolean;
    /** The end of what the command wrote, without control characters; may be many lines. */
    readonly output: string;
    /** Whether older output was dropped. */
    readonly truncated: boolean;
  }
  | {
    readonly type: "round_finished";
    readonly round: number;
    readonly verdict: "PASS" | "FAIL";
    readonly note?: string;
  }
  /** A command of the post-processing has ended; `problem` says what went wrong. */
  | { readonly type: "post_processed"; readonly command: string; readonly problem?: string }
  /** The run is over, and its panes were left for a person. */
  | { readonly type: "panes_left"; readonly attachCommand: string }
  | { readonly type: "warning"; readonly message: string; readonly role?: Role }
  | {
    readonly type: "run_finished";
    readonly outcome: RunOutcome;
    readonly rounds: number;
    readonly seconds: number;
    readonly reason: string;
    /** Where the audit log ends. */
    readonly audit?: AuditEnd;
    /** Goes on with the run; missing where there is nothing to go on with. */
    readonly resumeCommand?: string;
  };

/** What a run was started from, so that it can be configured again. Plain data. */
export interface RunOrigin {
  /** Absolute path of the config file; null where there was none. */
  readonly configFile: string | null;
  /** The folder from which relative paths of flags start. */
  readonly cwd: string;
  /** The flags that were given, by name. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** How a run ended; `needs_human`: at something that only a person may decide. */
export type RunOutcome = "pass" | "fail" | "needs_human" | "error" | "interrupted";
