import type { AgentFact } from "../agent.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { PaneRef } from "../../tmux/client.ts";
import type { PaneEvents } from "../../tmux/pane_events.ts";
import type { Request } from "../../policy/request.ts";
import type { FailureWords } from "../failure.ts";
import type { SandboxReport, SandboxRequest } from "../sandbox.ts";
import type { Usage } from "../../base/usage.ts";

/** What an agent's own record says that it is doing. */
export type ReportedState =
  | { readonly state: "working" }
  /** The agent has nothing to do; the turn that it had ended so. */
  | { readonly state: "at_rest"; readonly outcome?: "completed" | "error" | "interrupted" }
  /** It waits for an answer. */
  | { readonly state: "waiting" };

/** One report of a {@linkcode StatusSource}. Times are milliseconds of the terminal's clock. */
export type StatusReport = ReportedState & {
  /** When this state was first read. */
  readonly sinceMs: number;
  /** When anything new was read last: the source's last sign of life. */
  readonly newsMs: number;
  /** What it rests on, for a person, such as `task_started of turn 01a1…`. */
  readonly evidence: string;
};

/** What an agent's own record says of its last turn, which failed. */
export interface RecordedFailure extends FailureWords {
  /** What it rests on, for a person, such as `task_complete of turn 01a1…`. */
  readonly evidence: string;
  /** When it was written, in milliseconds since the epoch; `NaN` where it does not say. */
  readonly writtenAt: number;
  /**
   * Whether the record shows that it ended the turn of the prompt that was submitted last: what says that the agent is
   * at rest need then not be newer than that prompt. @default {false}
   */
  readonly endsTurn?: boolean;
  /** When the account can be used again, where the record has that apart from the words. */
  readonly resetsAt?: Date;
}

/** What a session of a CLI has used since its beginning, by its own record. */
export interface SessionUsage {
  /** The id of the session. */
  readonly sessionId: string;
  /** With that of its helpers, as far as they have records. */
  readonly usage: Usage;
}

/**
 * A second source of an agent's status beside its screen: a record that its CLI keeps of its own accord. Every poll
 * reads it, so reading must be cheap. What it cannot tell is `undefined`; it never throws for a record that is missing,
 * unreadable or not understood.
 */
export interface StatusSource extends Disposable {
  /** For messages, such as `session log`. */
  readonly name: string;
  /** The id with which the CLI can resume the session; `undefined` until it is known. */
  readonly sessionId: string | undefined;
  /** Everything that was recorded up to now. */
  read(): Promise<StatusReport | undefined>;
  /** Told right before a prompt is submitted: from now on there may be a record with this text in it. */
  expectPrompt(text: string): void;
  /** Told when the screen contradicts it: the source checks again whether it reads the right record. */
  doubt(): void;
  /** The agent's last answer in full, where its record has it. */
  lastAnswer(): Promise<string | undefined>;
  /** How the last turn failed; `undefined` where it did not, or its record does not say. */
  lastFailure?(): Promise<RecordedFailure | undefined>;
  /** The calls that are recorded without a result, where its record has their exact arguments. */
  pendingRequests?(): Promise<readonly Request[]>;
  /**
   * What the session has used up to now; `undefined` while its record is not found. Missing where the record does not
   * tell.
   */
  usage?(): Promise<SessionUsage | undefined>;
  /**
   * What was answered to the questions of a call, by the question's text; `undefined` while there is no result, or
   * where it has no answers.
   */
  questionAnswers?(callId: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** What the agent has run in its turn since the last call; missing where its record does not tell. */
  takeWork?(): Promise<readonly AgentFact[]>;
  /** What is recorded of the sandbox of this agent's turns; missing where its record tells nothing of it. */
  sandboxReport?(): SandboxReport;
}

/** What a provider opens a {@linkcode StatusSource} with. */
export interface StatusSourceContext {
  /** The pane that the agent was started in. */
  readonly pane: PaneRef;
  /** Absolute path. */
  readonly workdir: string;
  /** The variables that the agent was started with: those that were set for it, over our own. */
  readonly env: Readonly<Record<string, string>>;
  /** When it was started, in milliseconds since the epoch: records carry times of that kind. */
  readonly startedAt: number;
  /** What happens in the pane, where tmux tells. */
  readonly paneEvents?: PaneEvents;
  /** The sandbox that the agent was started with. */
  readonly sandbox?: SandboxRequest;
  readonly clock: Clock;
}
