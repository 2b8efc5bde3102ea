import type { AgentFact } from "../agent.ts";
import type { AcpConnection, AcpConnectionOptions } from "./protocol/connection.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { ProcessMark } from "../../base/ports/end_processes.ts";
import type { OnForcedExit } from "../../base/ports/watchdog.ts";
import type { AcpLaunchRequest } from "./acp_provider.ts";
import type { AgentFailure } from "../failure.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { SessionUsage } from "../pane/status_source.ts";
import type { WakeSource } from "../pane/wake_source.ts";
import type { AcpActivity } from "./activity.ts";
import type { PendingRequest } from "./pending.ts";
import type { AcpView } from "./view.ts";

/** What an agent over ACP is started with. */
export interface AcpAgentOptions {
  readonly provider: AcpAgentProvider;
  /** For messages: the role's or step's name. */
  readonly name: string;
  readonly launch: AcpLaunchRequest;
  /** Variables for the agent besides those of `launch`, such as a PATH with launchers first. @default {{}} */
  readonly variables?: Readonly<Record<string, string>>;
  /** The id of the session that it is to continue; it gets a new one where that cannot be had. */
  readonly resume?: string;
  /** Its processes carry it in their environment, so that they can be found and ended later. */
  readonly mark: ProcessMark;
  readonly clock: Clock;
  /** Ends the start, and later the agent. */
  readonly signal: AbortSignal;
  /**
   * How long a turn may be silent, without a call that runs or a request that waits, before it is cancelled.
   *
   * @default {900_000}
   */
  readonly silenceLimitMs?: number;
  /** Told of each thing that it does. */
  readonly onActivity?: (activity: AcpActivity) => void;
  /** Told of each line of the protocol, as it is on the wire. */
  readonly onLine?: (line: string, from: "agent" | "us") => void;
  /** By it the agent's processes are killed. */
  readonly onForcedExit?: OnForcedExit;
  /** Opens the connection. @default {openAcpConnection} */
  readonly connect?: (options: AcpConnectionOptions) => Promise<AcpConnection>;
}

/** An agent over the Agent Client Protocol, with one session. Disposal ends it with everything that it started. */
export interface AcpAgent extends AsyncDisposable {
  /** For messages, and to tell agents apart. */
  readonly id: string;
  readonly name: string;
  readonly provider: AcpAgentProvider;
  readonly pid: number;
  /** In milliseconds since the epoch. */
  readonly launchedAtMs: number;
  readonly sessionId: string;
  /** Whether it has the session that was asked for; false where it has a new one. */
  readonly resumed: boolean;
  /** Why it has another session than the one that was asked for, as a full sentence. */
  readonly notResumedBecause?: string;
  /** The session's mode as the agent tells it; `undefined` where it tells none. */
  readonly mode: string | undefined;
  /**
   * Begins a turn: resolves once the prompt is written. The turn's end is told by `view()`. A turn before it whose end
   * was lost is cancelled first.
   *
   * @throws {AgentAtWorkError} while a turn is under way
   * @throws {HumanInterventionRequiredError} while it waits for an answer
   * @throws {RuntimeError} when the agent has ended
   */
  prompt(text: string, options?: { readonly signal?: AbortSignal }): Promise<void>;
  view(): AcpView;
  /** What it waits for, in the order in which it asked. */
  pending(): readonly PendingRequest[];
  /** Cancels the turn under way, and takes back what waits; resolves once that is written. */
  cancel(): Promise<void>;
  /** What the session has used, as far as the agent tells; `undefined` where it has told nothing. */
  usage(): AcpUsage | undefined;
  /** How the last turn failed; `undefined` where it did not, or is under way. */
  failure(): AgentFailure | undefined;
  /**
   * Why it must not work on, as a full sentence: it acted without asking, or its mode is another one. Its state is then
   * `ended`.
   */
  violation(): string | undefined;
  /** The calls that were refused, as lines that tell about them. */
  denied(): readonly string[];
  /** How its process ended, or why we have ended it, such as "killed by signal 9"; `undefined` while it runs. */
  describeEnd(): string | undefined;
  /** Resolves when its process has ended. */
  readonly ended: Promise<void>;
  /** Of its process, 128 + n after a signal, 1 where we have ended it; `undefined` while it runs. */
  exitCode(): number | undefined;
  /** The ids of its process and of the descendants of that. */
  listPids(): Promise<readonly number[]>;
  /** The end of what it wrote to standard error. */
  stderrTail(): string;
  /** What it has said, run and seen since the last call: the newest, if that is very much. */
  takeWork(): readonly AgentFact[];
  /** Hints at everything that changes its view. */
  readonly wakeSource: WakeSource;
}

/** What a session over ACP has used. */
export interface AcpUsage extends SessionUsage {
  /** What it has cost, where the agent tells it, by currency: `USD`. */
  readonly cost?: { readonly amount: number; readonly currency: string };
}
