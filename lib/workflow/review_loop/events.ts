import type { Role } from "../../handoff/roles.ts";
import type { AnswerOutcome } from "../../providers/answer_dialog.ts";
import type { DialogAnswer } from "../../providers/dialog_keys.ts";
import type { DialogKind } from "../../screen/dialog.ts";
import type { TerminalStatus } from "../../screen/status.ts";

/**
 * What happens in a review loop, one fact an event. The same events are the NDJSON of `--json`, the progress lines for
 * a person and the records of the run's journal.
 */
export type ReviewLoopEvent =
  | {
    readonly type: "run_started";
    readonly runId: string;
    readonly workdir: string;
    /** The run's folder, absolute: journal, archived responses, screens of failures. */
    readonly folder: string;
    readonly startAgent: Role;
  }
  /** The panes are open; `attachCommand` shows them to a person. */
  | { readonly type: "session_opened"; readonly attachCommand: string }
  | { readonly type: "agent_starting"; readonly role: Role; readonly provider: string }
  | { readonly type: "agent_ready"; readonly role: Role; readonly terminalId: string; readonly seconds: number }
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
  | { readonly type: "status_changed"; readonly turnId: string; readonly role: Role; readonly status: TerminalStatus }
  /** An agent stands at a dialog that only a person may answer; once a dialog. */
  | {
    readonly type: "dialog_waiting";
    readonly turnId: string;
    readonly role: Role;
    readonly terminalId: string;
    readonly kind: DialogKind;
    /** The command, the files: what the dialog is about, as far as its screen tells. */
    readonly subject: string | undefined;
    /** Why it is not answered automatically, as a full sentence. */
    readonly reason: string;
    /** The id under which `panewright answer` takes a yes or no; missing where only the pane does. */
    readonly question?: string;
    readonly runId: string;
    readonly attachCommand: string;
    readonly timeoutSeconds: number;
  }
  /** A dialog that waited for a person is not open any more, or not waited for any longer. */
  | {
    readonly type: "dialog_closed";
    readonly turnId: string;
    readonly role: Role;
    readonly question?: string;
    /** How long it waited. */
    readonly seconds: number;
  }
  | {
    readonly type: "dialog_answered";
    readonly turnId: string;
    readonly role: Role;
    readonly terminalId: string;
    readonly kind: DialogKind;
    readonly subject: string | undefined;
    readonly answer: DialogAnswer;
    /** Which rule decided, or `person`. */
    readonly rule: string;
    readonly result: AnswerOutcome["result"];
  }
  | { readonly type: "reminder_sent"; readonly turnId: string; readonly role: Role; readonly reminder: number }
  | {
    readonly type: "response_received";
    readonly turnId: string;
    readonly role: Role;
    readonly bytes: number;
    readonly archivedAs: string | undefined;
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
  /** The run is over, and its panes were left for a person. */
  | { readonly type: "panes_left"; readonly attachCommand: string }
  | { readonly type: "warning"; readonly message: string; readonly role?: Role }
  | {
    readonly type: "run_finished";
    readonly outcome: RunOutcome;
    readonly rounds: number;
    readonly seconds: number;
    readonly reason: string;
  };

/** How a run ended; `needs_human`: at something that only a person may decide. */
export type RunOutcome = "pass" | "fail" | "needs_human" | "error" | "interrupted";
