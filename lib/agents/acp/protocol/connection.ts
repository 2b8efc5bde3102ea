import type { AcpConnection, AcpConnectionOptions } from "./contract.ts";

export type * from "./contract.ts";
export { type AcpEnd, describeAcpEnd } from "./end.ts";
export { AcpEndedError, AcpReplyError, AcpStartError, type AcpStartProblem } from "./errors.ts";
export type { AcpModelState, AcpSessionNotification, AcpSessionState } from "./shapes.ts";
export type { AcpTrouble, AcpTroubleKind } from "./troubles.ts";
export type { AcpUnread, AcpUnreadCall } from "./unread.ts";

/**
 * Starts an agent and says hello to it.
 *
 * @throws {AcpStartError} when it cannot be started, ends or stays silent instead, or answers with something else
 * @throws the signal's reason
 */
export async function openAcpConnection(options: AcpConnectionOptions): Promise<AcpConnection> {
  // The protocol's library takes tens of milliseconds, which only those pay who have such an agent.
  const { openConnection } = await import("./open_connection.ts");
  return await openConnection(options);
}
