import { MESSAGES_API } from "./anthropic_server.ts";
import { CHAT_API } from "./chat_api.ts";
import { GEMINI_API } from "./gemini_api.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "./model_server.ts";
import { RESPONSES_API } from "./openai_server.ts";

/** The wire formats that agents use, each as the lab speaks it. */
export const WIRES = { responses: RESPONSES_API, chat: CHAT_API, messages: MESSAGES_API, gemini: GEMINI_API };

/** A wire format. */
export type Wire = keyof typeof WIRES;

/**
 * Starts one model server that speaks all wire formats, so that a scenario is written once and played with any agent.
 *
 * @example
 * ```ts ignore
 * await using server = startLabServer({ respond: () => [{ do: "say", text: "Hello." }] });
 * const baseUrl = server.baseUrl(undefined, WIRES.chat);
 * ```
 */
export function startLabServer(options: ModelServerOptions): ModelServer {
  return startModelServer([WIRES.responses, WIRES.chat, WIRES.messages, WIRES.gemini], options);
}
