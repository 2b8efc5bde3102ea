import type { AcpConnection, AcpConnectionOptions } from "./protocol/contract.ts";
import type { AgentStart } from "../driven_agent.ts";
import type { AcpAgentProvider } from "../provider.ts";

export interface AcpAgentOptions extends AgentStart<AcpAgentProvider> {
  /**
   * How long a turn may be silent, without a call that runs or a request that waits, before it is cancelled.
   *
   * @default {900_000}
   */
  readonly silenceLimitMs?: number;
  readonly connect?: (options: AcpConnectionOptions) => Promise<AcpConnection>;
}
