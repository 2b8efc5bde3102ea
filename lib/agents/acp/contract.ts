import type { AcpConnection, AcpConnectionOptions } from "./protocol/contract.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { ProcessMark } from "../../base/ports/end_processes.ts";
import type { OnForcedExit } from "../../base/ports/watchdog.ts";
import type { AcpLaunchRequest } from "./acp_provider.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { SessionUsage } from "../pane/status_source.ts";
import type { AcpActivity } from "./activity.ts";

export interface AcpAgentOptions {
  readonly provider: AcpAgentProvider;
  readonly name: string;
  readonly launch: AcpLaunchRequest;
  readonly variables?: Readonly<Record<string, string>>;
  /** The id of the session that it is to continue; it gets a new one where that cannot be had. */
  readonly resume?: string;
  /** Its processes carry it in their environment, so that they can be found and ended later. */
  readonly mark: ProcessMark;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /**
   * How long a turn may be silent, without a call that runs or a request that waits, before it is cancelled.
   *
   * @default {900_000}
   */
  readonly silenceLimitMs?: number;
  readonly onActivity?: (activity: AcpActivity) => void;
  readonly onLine?: (line: string, from: "agent" | "us") => void;
  /** By it the agent's processes are killed. */
  readonly onForcedExit?: OnForcedExit;
  readonly connect?: (options: AcpConnectionOptions) => Promise<AcpConnection>;
}

export interface AcpUsage extends SessionUsage {
  readonly cost?: { readonly amount: number; readonly currency: string };
}
