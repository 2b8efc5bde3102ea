import type { Clock } from "../../../base/ports/clock.ts";
import type { ProcessMark } from "../../../base/ports/end_processes.ts";
import type { ProcessGroup, ProcessGroupSpec } from "../../../base/ports/process_group.ts";
import type { OnForcedExit } from "../../../base/ports/watchdog.ts";
import type { AcpEnd } from "./errors.ts";
import type {
  AcpElicitation,
  AcpElicitationReply,
  AcpInitialized,
  AcpPermissionOutcome,
  AcpPermissionRequest,
  AcpPromptReply,
  SessionConfigOption,
} from "./protocol.ts";
import type { AcpSessionNotification, AcpSessionState } from "./shapes.ts";
import type { AcpTrouble, AcpTroubleKind } from "./troubles.ts";
import type { AcpUnread } from "./unread.ts";

/** What an agent over ACP is started with. */
export interface AcpConnectionOptions {
  readonly plan: AcpPlan;
  /** Set for the agent and thereby for all its descendants. */
  readonly mark: ProcessMark;
  readonly handlers: AcpHandlers;
  readonly clock: Clock;
  /** Ends the connection and the agent. */
  readonly signal: AbortSignal;
  /** The agent's name in messages. @default {plan.argv[0]} */
  readonly label?: string;
  /** What to do where the program is not there, in full sentences. */
  readonly installHint?: string;
  /** How long it may take until it has answered `initialize`. @default {120000} four times the slowest that was seen */
  readonly startLimitMs?: number;
  /** Told what ends the agent when this process is left at once; it is taken back at the agent's end. */
  readonly onForcedExit?: OnForcedExit;
  /** @default {startProcessGroup} */
  readonly startProcess?: (spec: ProcessGroupSpec) => ProcessGroup;
  /** What comes of a longer line is dropped. @default {16777216} */
  readonly maxLineBytes?: number;
}

/** How an agent is started. */
export interface AcpPlan {
  /** Program and arguments; the program is looked up on PATH unless it is a path. */
  readonly argv: readonly [string, ...string[]];
  /** Variables besides our own environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * What is called with what an agent sends, in the order in which it sends it. None is called again before the last one
 * has returned; the promises of requests are not waited for. What a handler throws ends the connection (`broken`).
 */
export interface AcpHandlers {
  /** An update, of any session: an agent may speak of one that was not asked for. */
  update(notification: AcpSessionNotification): void;
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
  /** An update that cannot be read, and was dropped, though it may tell of what the agent does. */
  unread?(update: AcpUnread): void;
  /** A notification of the agent's own, which the protocol does not have; unchecked. */
  extension?(method: string, params: unknown): void;
  /** Something is wrong with what the agent sends: called once for each kind. */
  trouble?(trouble: AcpTrouble): void;
  /** Each line that is sent or received, without its line end; of one that is too long only the beginning. */
  wire?(direction: "sent" | "received", line: string): void;
}

/** Ends the waiting for an answer, and nothing else: the agent is not told. */
export interface AcpWaiting {
  readonly signal?: AbortSignal | undefined;
}

/** A prompt that was sent. */
export interface AcpTurn {
  /**
   * Resolves once the agent's input has taken it, and says nothing of what the agent does with it.
   *
   * @throws {AcpEndedError} when the connection ends before
   */
  readonly written: Promise<void>;
  /**
   * The reply, which in version 1 is the end of the turn, and in version 2 only says that the agent has the prompt. It
   * need not ever come. All updates that the agent sent before
   * it were handed over, and none that it sent after it.
   *
   * @throws {AcpReplyError} when the agent answers with an error
   * @throws {AcpEndedError} when the connection ends before
   */
  readonly reply: Promise<AcpPromptReply>;
}

/**
 * An agent's process, talked to over its standard input and output. Every request throws {@linkcode AcpReplyError} when
 * the agent answers with an error, or with something that is not an answer; {@linkcode AcpEndedError} when the
 * connection ends before; or the reason of its signal.
 *
 * Disposal cancels the turns under way, closes the agent's input, and ends what is left of its process tree: SIGTERM
 * after 1 s, SIGKILL after 3 s.
 */
export interface AcpConnection extends AsyncDisposable {
  readonly pid: number;
  readonly initialized: AcpInitialized;
  /** Resolves when the agent's whole process tree has ended, and all that it has sent was handed over. */
  readonly ended: Promise<AcpEnd>;
  /** The last lines of standard error, made safe for a terminal; at most 20. */
  stderrTail(): readonly string[];
  /** How often each kind of trouble was seen. */
  troubles(): Readonly<Partial<Record<AcpTroubleKind, number>>>;
  /** The ids of the agent's process and its descendants. */
  listPids(): Promise<readonly number[]>;
  /** Kills them without waiting: the last act before this process exits. */
  killNow(): void;

  authenticate(options: AcpWaiting & { readonly methodId: string }): Promise<void>;
  newSession(options: AcpWaiting & { readonly cwd: string }): Promise<AcpSessionState & { readonly sessionId: string }>;
  /** Opens an earlier session; the agent sends all its updates again before it answers. */
  loadSession(options: AcpWaiting & { readonly sessionId: string; readonly cwd: string }): Promise<AcpSessionState>;
  /** Opens an earlier session, without its updates. */
  resumeSession(options: AcpWaiting & { readonly sessionId: string; readonly cwd: string }): Promise<AcpSessionState>;
  setMode(options: AcpWaiting & { readonly sessionId: string; readonly modeId: string }): Promise<void>;
  /** @returns all options as they are then; undefined where the agent does not tell */
  setConfigOption(
    options: AcpWaiting & { readonly sessionId: string; readonly configId: string; readonly value: string | boolean },
  ): Promise<readonly SessionConfigOption[] | undefined>;
  /** `session/set_model`, which version 1 does not have any more, and several agents do. */
  setModel(options: AcpWaiting & { readonly sessionId: string; readonly modelId: string }): Promise<void>;
  prompt(options: AcpWaiting & { readonly sessionId: string; readonly text: string }): AcpTurn;
  /**
   * Asks the agent to end the session's turn, which it does with its reply; the requests of that session that wait, and
   * those of none, are answered with `cancelled`. Resolves once it is written, and never throws.
   */
  cancel(options: { readonly sessionId: string }): Promise<void>;
}
