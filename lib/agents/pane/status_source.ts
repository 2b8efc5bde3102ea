import type { AgentFact } from "../agent.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { PaneRef } from "../../tmux/client.ts";
import type { PaneEvents } from "../../tmux/pane_events.ts";
import type { Request } from "../../policy/request.ts";
import type { FailureWords } from "../failure.ts";
import type { SandboxReport, SandboxRequest } from "../sandbox.ts";
import type { Usage } from "../../base/usage.ts";

export type ReportedState =
  | { readonly state: "working" }
  | { readonly state: "at_rest"; readonly outcome?: "completed" | "error" | "interrupted" }
  | { readonly state: "waiting" };

export type StatusReport = ReportedState & {
  readonly sinceMs: number;
  /** When anything new was read last: the source's last sign of life. */
  readonly newsMs: number;
  readonly evidence: string;
};

export interface RecordedFailure extends FailureWords {
  readonly evidence: string;
  /** When it was written, in milliseconds since the epoch; `NaN` where it does not say. */
  readonly writtenAt: number;
  /**
   * Whether the record shows that it ended the turn of the prompt that was submitted last: what says that the agent is
   * at rest need then not be newer than that prompt.
   */
  readonly endsTurn?: boolean;
  readonly resetsAt?: Date;
}

export interface SessionUsage {
  readonly sessionId: string;
  readonly usage: Usage;
}

/**
 * A second source of an agent's status beside its screen: a record that its CLI keeps of its own accord. Every poll
 * reads it, so reading must be cheap. What it cannot tell is `undefined`; it never throws for a record that is missing,
 * unreadable or not understood.
 */
export interface StatusSource extends Disposable {
  readonly name: string;
  readonly sessionId: string | undefined;
  read(): Promise<StatusReport | undefined>;
  /** Told right before a prompt is submitted: from now on there may be a record with this text in it. */
  expectPrompt(text: string): void;
  doubt(): void;
  lastAnswer(): Promise<string | undefined>;
  lastFailure?(): Promise<RecordedFailure | undefined>;
  pendingRequests?(): Promise<readonly Request[]>;
  usage?(): Promise<SessionUsage | undefined>;
  questionAnswers?(callId: string): Promise<Readonly<Record<string, string>> | undefined>;
  /** How often its conversation was made shorter. */
  compactions?(): Promise<number>;
  takeWork?(): Promise<readonly AgentFact[]>;
  sandboxReport?(): SandboxReport;
}

export interface StatusSourceContext {
  readonly pane: PaneRef;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  /** When it was started, in milliseconds since the epoch: records carry times of that kind. */
  readonly startedAt: number;
  readonly paneEvents?: PaneEvents;
  readonly sandbox?: SandboxRequest;
  readonly clock: Clock;
}

/** How long ago something was written, in milliseconds; none where that is not known. */
export function ageOf(writtenAt: number): number {
  return Number.isNaN(writtenAt) ? 0 : Math.max(0, Date.now() - writtenAt);
}
