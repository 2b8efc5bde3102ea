import * as z from "zod";

/**
 * The wire format of coder/agentapi 0.12 for one agent, as its `openapi.json` has it. Its clients read these shapes; the
 * descriptions say what they mean here.
 */

const agentStatus = z.enum(["running", "stable"]).describe(
  "stable: the agent is at rest and takes a message; running: anything else",
);

export const statusBody = z.object({
  status: agentStatus,
  agent_type: z.string().describe("agentapi's name of the agent's CLI; custom for one that it does not know"),
  transport: z.enum(["pty", "acp"]),
});

const conversationMessage = z.object({
  id: z.int().min(0).describe("Unique, and in the order of the conversation"),
  content: z.string().describe("What was submitted to the agent, or its response, without secrets"),
  role: z.enum(["agent", "user"]),
  time: z.iso.datetime(),
});

export const messagesBody = z.object({ messages: z.array(conversationMessage) });

export const messageRequest = z.strictObject({
  $schema: z.string().optional(),
  content: z.string().min(1),
  type: z.enum(["user", "raw"]).describe(
    "user: a message, sent when the agent is at rest; raw: keys for its terminal, where the run's settings allow that",
  ),
});

export const messageResponse = z.object({ ok: z.boolean() });

export const messageUpdate = z.object({
  id: z.int().min(0),
  message: z.string(),
  role: z.enum(["agent", "user"]),
  time: z.iso.datetime(),
});

export const statusChange = z.object({ status: agentStatus, agent_type: z.string() });

export const screenUpdate = z.object({ screen: z.string() });

/** agentapi's names of the agents that it knows. */
const AGENT_TYPES: Readonly<Record<string, string>> = {
  claude_code: "claude",
  claude_acp: "claude",
  codex: "codex",
  codex_acp: "codex",
  copilot: "copilot",
  gemini: "gemini",
  opencode: "opencode",
};

/** What agentapi calls the agent of a provider. */
export function agentTypeOf(provider: string | undefined): string {
  return (provider === undefined ? undefined : AGENT_TYPES[provider]) ?? "custom";
}
