import type { Clock } from "../../../base/ports/clock.ts";
import type { ProcessMark } from "../../../base/ports/end_processes.ts";
import type { ProcessInfo } from "../../../base/ports/process_table.ts";
import type { ProcessGroup, ProcessGroupSpec } from "../../../base/ports/process_group.ts";
import type { OnForcedExit } from "../../../base/ports/watchdog.ts";
import type { LaunchPlan } from "../../launch_plan.ts";
import type { AcpEnd } from "./errors.ts";
import type {
  AcpElicitation,
  AcpElicitationReply,
  AcpInitialized,
  AcpPermissionOutcome,
  AcpPermissionRequest,
} from "./protocol.ts";
import type { AcpTrouble, AcpTroubleKind } from "./troubles.ts";
import type { AcpNotification } from "./update.ts";

export interface AcpConnectionOptions {
  readonly plan: LaunchPlan;
  readonly mark: ProcessMark;
  readonly handlers: AcpHandlers;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly label?: string;
  readonly installHint?: string;
  /** How long it may take until it has answered `initialize`. @default {120000} four times the slowest that was seen */
  readonly startLimitMs?: number;
  readonly onForcedExit?: OnForcedExit;
  readonly startProcess?: (spec: ProcessGroupSpec) => ProcessGroup;
  readonly maxLineBytes?: number;
}

/**
 * What is called with what an agent sends, in the order in which it sends it. None is called again before the last one
 * has returned; the promises of requests are not waited for. What a handler throws ends the connection (`broken`).
 */
export interface AcpHandlers {
  /** An update, of any session: an agent may speak of one that was not asked for. */
  update(notification: AcpNotification): void;
  /**
   * A request for a permission. It may come at any time, also after the end of its turn.
   *
   * @param signal aborted when nobody waits for the answer any more: the agent took the request back, the session's
   * turn was cancelled, or the connection has ended
   * @returns the answer; what it is once the signal was aborted does not matter, and it may throw then
   */
  permission(request: AcpPermissionRequest, signal: AbortSignal): Promise<AcpPermissionOutcome>;
  /** A question to a person, like `permission`. Without this handler, agents are told that they cannot ask. */
  elicitation?(question: AcpElicitation, signal: AbortSignal): Promise<AcpElicitationReply>;
  extension?(method: string, params: unknown): void;
  trouble?(trouble: AcpTrouble): void;
  /** Each line that is sent or received, without its line end; of one that is too long only the beginning. */
  wire?(direction: "sent" | "received", line: string): void;
}

/** A request to an agent, and how its reply is read. */
export interface AcpQuestion<Result> {
  /** What is done with the agent, in words that can follow "Cannot". */
  readonly what: string;
  readonly method: string;
  readonly params: object;
  /** `undefined`: the reply is not as the protocol has it. */
  readonly read: (reply: unknown) => Result | undefined;
}

/** A request that was made. Nobody needs to handle a rejection of either. */
export interface AcpAsked<Result> {
  readonly written: Promise<void>;
  /**
   * It need not ever come. All updates that the agent sent before its reply were handed over, and none that it sent
   * after it.
   *
   * @throws {AcpReplyError} when the agent answers with an error
   * @throws {AcpEndedError} when the connection ends before
   */
  readonly result: Promise<Result>;
}

export interface AcpConnection extends AsyncDisposable {
  readonly pid: number;
  readonly initialized: AcpInitialized;
  readonly ended: Promise<AcpEnd>;
  stderrTail(): readonly string[];
  troubles(): Readonly<Partial<Record<AcpTroubleKind, number>>>;
  listPids(): Promise<readonly number[]>;
  freeze(pids: readonly number[]): Promise<void>;
  listProcesses(): Promise<readonly ProcessInfo[]>;
  keep(processes: readonly ProcessInfo[]): void;
  killNow(): void;
  /** Makes a request; the signal ends the waiting only. */
  call<Result>(
    question: AcpQuestion<Result>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): AcpAsked<Result>;
  /**
   * Asks the agent to end the session's turn, which it does with its reply; the requests of that session that wait, and
   * those of none, are answered with `cancelled`. Resolves once it is written, and never throws.
   */
  cancel(sessionId: string): Promise<void>;
}
