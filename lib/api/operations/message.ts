import * as z from "zod";
import { JOBS } from "../../jobs/mod.ts";
import { readRun } from "../../run/overview.ts";
import { leaveMessage } from "../control/send_message.ts";
import { count } from "../output/shapes.ts";
import { key, MAX_WAIT_SECONDS, message, messageState, next, role, run, waitSeconds, workdir } from "./fields.ts";
import { isMessageOver, type MessageState, stateOfMessage } from "./message_state.ts";
import { actorOf, deadlineOf, tool, type ToolCall } from "./operation.ts";
import { needsAttention, nextOfMessage } from "./run_state.ts";
import { findServed } from "./served.ts";
import { watchRun } from "./watch_run.ts";

const RECEIPT_SECONDS = 10;

const sent = messageState.extend({ run: z.string(), sequence: count("For the tool wait."), next });
const assigned = z.strictObject({ run, role, text: message, key, workdir });

async function send(
  { role, text, key = crypto.randomUUID(), ...named }: z.output<typeof assigned>,
  { wantsResponse, deadlineMs, call, isEnough }: {
    readonly wantsResponse: boolean;
    readonly deadlineMs: number;
    readonly call: ToolCall;
    readonly isEnough: (message: MessageState) => boolean;
  },
): Promise<z.input<typeof sent>> {
  const folder = await findServed(named, call);
  const { message: messageId } = await leaveMessage(folder, { role, text, wantsResponse, key, ...actorOf(call) });
  const { sequence = 0 } = await readRun(folder, JOBS);
  const seen = await watchRun(folder, {
    ...{ after: sequence, deadlineMs, call },
    isEnough: (overview, seen) =>
      isEnough(stateOfMessage(folder, overview, messageId) ?? { message: messageId, role, state: "left" }) ||
      needsAttention(overview, seen),
  });
  const message = stateOfMessage(folder, seen.overview, messageId) ?? { message: messageId, role, state: "left" };
  return { run: folder.id, ...message, sequence: seen.sequence, next: nextOfMessage(message, seen.overview) };
}

export const handoffTool = tool({
  title: "Hand work to a role, and wait",
  description: "Sends a message to the agent of a role of a review loop under way, and waits for its response, at " +
    `most ${MAX_WAIT_SECONDS} seconds. It is delivered when the agent is at rest, and does not change rounds or ` +
    "verdicts. Where the response takes longer, call wait with the message's id.",
  input: z.strictObject({ run, role, text: message, key, timeoutSeconds: waitSeconds(MAX_WAIT_SECONDS), workdir }),
  output: sent,
  act: async ({ timeoutSeconds, ...input }, call) =>
    await send(input, {
      ...{ wantsResponse: true, deadlineMs: deadlineOf(timeoutSeconds, { usual: MAX_WAIT_SECONDS, ...call }), call },
      isEnough: ({ state }) => isMessageOver(state),
    }),
});

export const assignTool = tool({
  title: "Hand work to a role",
  description: "Like handoff, without waiting: returns the message's id. Its response is told by wait with that id.",
  input: assigned,
  output: sent,
  act: async (input, call) =>
    await send(input, { wantsResponse: true, deadlineMs: call.clock.now(), call, isEnough: () => true }),
});

export const sendTool = tool({
  title: "Send a message to a role",
  description: "Sends a message to the agent of a role that needs no response. It is delivered when the agent is at " +
    "rest; returns when the journal says that it was received.",
  input: z.strictObject({ run, role, text: message, key, timeoutSeconds: waitSeconds(10), workdir }),
  output: sent,
  act: async ({ timeoutSeconds, ...input }, call) =>
    await send(input, {
      ...{ wantsResponse: false, deadlineMs: deadlineOf(timeoutSeconds, { usual: RECEIPT_SECONDS, ...call }), call },
      isEnough: ({ state }) => state !== "left",
    }),
});
