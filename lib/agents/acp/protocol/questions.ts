/** The requests of ours that are made in a session. @module */
import type { AcpQuestion } from "./contract.ts";
import type { AcpPromptReply } from "./protocol.ts";
import { type AcpSessionState, readPromptReply, readSessionState } from "./shapes.ts";

interface Where {
  readonly sessionId: string;
  readonly cwd: string;
}

const taken = () => true as const;

function setting(what: string, method: string, params: object): AcpQuestion<AcpSessionState> {
  return { what, method, params, read: readSessionState };
}

export const ACP_QUESTIONS = {
  authenticate: (methodId: string): AcpQuestion<true> => ({
    ...{ what: "log in to", method: "authenticate", params: { methodId }, read: taken },
  }),
  newSession: (cwd: string): AcpQuestion<AcpSessionState & { readonly sessionId: string }> => ({
    ...{ what: "open a session with", method: "session/new", params: { cwd, mcpServers: [] } },
    read(reply) {
      const { sessionId, ...state } = readSessionState(reply);
      return sessionId === undefined ? undefined : { ...state, sessionId };
    },
  }),
  /** Opens an earlier session; the agent sends all its updates again before it answers. */
  load: (where: Where) => setting("load a session of", "session/load", { ...where, mcpServers: [] }),
  resume: (where: Where) => setting("resume a session of", "session/resume", { ...where, mcpServers: [] }),
  setMode: (params: { readonly sessionId: string; readonly modeId: string }) =>
    setting("set the mode of", "session/set_mode", params),
  /** Which version 1 does not have any more, and several agents do. */
  setModel: (params: { readonly sessionId: string; readonly modelId: string }) =>
    setting("set the model of", "session/set_model", params),
  setOption: (
    { value, ...where }: { readonly sessionId: string; readonly configId: string; readonly value: string | boolean },
  ) =>
    setting(`set "${where.configId}" of`, "session/set_config_option", {
      ...{ ...where, value },
      ...(typeof value === "boolean" ? { type: "boolean" } : {}),
    }),
  prompt: (sessionId: string, text: string): AcpQuestion<AcpPromptReply> => ({
    ...{ what: "prompt", method: "session/prompt", params: { sessionId, prompt: [{ type: "text", text }] } },
    read: readPromptReply,
  }),
};
