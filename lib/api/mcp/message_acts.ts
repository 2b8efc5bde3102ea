import { leaveMessage } from "../control/send_message.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { readRun } from "../../run/overview.ts";
import { actorOf, type Call, deadlineOf, type ToolActs } from "./call.ts";
import { isMessageOver, type MessageState, messageState } from "./message_state.ts";
import { needsAttention, nextOfMessage } from "./run_state.ts";
import { findServed, type Served } from "./served_folders.ts";
import { MAX_WAIT_SECONDS } from "./tool_fields.ts";
import type { ToolInput, ToolOutput } from "./tools.ts";
import { watchRun } from "./watch_run.ts";

/** How long `send_message` waits until the journal says that the message was received. */
const RECEIPT_SECONDS = 10;

/** The acts of the tools that tell an agent something. */
export function createMessageActs(
  { clock, ...served }: Served & { readonly clock: Clock },
): Pick<ToolActs, "handoff" | "assign" | "send_message"> {
  /** Leaves a message for a role's agent, and waits until it is as far as it is wanted. */
  async function send(
    { role, text, key = crypto.randomUUID(), ...named }: ToolInput<"assign">,
    { wantsResponse, deadlineMs, call, isEnough }: {
      readonly wantsResponse: boolean;
      readonly deadlineMs: number;
      readonly call: Call;
      readonly isEnough: (message: MessageState) => boolean;
    },
  ): Promise<ToolOutput<"handoff">> {
    const folder = await findServed(named, served);
    const { messageId } = await leaveMessage(folder, { role, text, wantsResponse, key, ...actorOf(call) });
    const { sequence = 0 } = await readRun(folder, JOBS);
    const seen = await watchRun(folder, {
      ...{ after: sequence, deadlineMs, clock, call },
      isEnough: (overview, seen) =>
        isEnough(messageState(folder, overview, messageId) ?? { message: messageId, role, state: "left" }) ||
        needsAttention(overview, seen),
    });
    const message = messageState(folder, seen.overview, messageId) ?? { message: messageId, role, state: "left" };
    return { run: folder.id, ...message, sequence: seen.sequence, next: nextOfMessage(message, seen.overview) };
  }

  return {
    handoff: async ({ timeoutSeconds, ...input }, call) =>
      await send(input, {
        ...{ wantsResponse: true, deadlineMs: deadlineOf(timeoutSeconds, { usual: MAX_WAIT_SECONDS, clock }), call },
        isEnough: ({ state }) => isMessageOver(state),
      }),

    assign: async (input, call) =>
      await send(input, { wantsResponse: true, deadlineMs: clock.now(), call, isEnough: () => true }),

    send_message: async ({ timeoutSeconds, ...input }, call) =>
      await send(input, {
        ...{ wantsResponse: false, deadlineMs: deadlineOf(timeoutSeconds, { usual: RECEIPT_SECONDS, clock }), call },
        isEnough: ({ state }) => state !== "left",
      }),
  };
}
