/**
 * The Agent Client Protocol's own types (version 1), as its library has them. What an agent sends is only checked as
 * far as {@link ./shapes.ts} says: a word of a union may be one that the library does not know.
 *
 * @module
 */
import type {
  PermissionOption,
  PromptResponse,
  RequestPermissionOutcome,
  RequestPermissionRequest,
} from "@agentclientprotocol/sdk";

export type {
  ContentBlock,
  RequestPermissionOutcome,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";

/** The version of the protocol that we speak; an agent may answer with another one. */
export const ACP_VERSION = 1;

/** The error code of an agent that speaks no version of the protocol that it was asked for. */
export const ACP_OTHER_VERSION = -32022;

/** The error code of a request that needs a login first. */
export const ACP_AUTH_REQUIRED = -32000;

/** What an agent tells of itself at the start. */
export interface AcpInitialized {
  /** A whole number; 1 is the version that we speak. */
  readonly protocolVersion: number;
  readonly agentInfo: { readonly name: string; readonly version: string } | undefined;
  readonly agentCapabilities: AcpCapabilities;
  /** The ways to log in that it offers. */
  readonly authMethods: readonly { readonly id: string; readonly name: string }[];
}

/** What an agent can do, as far as that matters here. */
export interface AcpCapabilities {
  readonly loadSession: boolean;
  readonly resumeSession: boolean;
}

/** A request for a permission. An option's `kind` may be a word that the protocol does not have. */
export type AcpPermissionRequest = Omit<RequestPermissionRequest, "options"> & {
  readonly options: readonly (Omit<PermissionOption, "kind"> & { readonly kind: string })[];
};

/**
 * The answer to a request for a permission. The protocol does not have `answers`: Qwen Code (0.24.4) takes those to its
 * questions beside the outcome, by their places from 0.
 */
export type AcpPermissionOutcome = RequestPermissionOutcome & { readonly answers?: Readonly<Record<string, string>> };

/** A question to a person (`elicitation/create`). */
export interface AcpElicitation {
  readonly message: string;
  /** `form`, the one that we offer, or a word of the agent. */
  readonly mode: string | undefined;
  readonly sessionId: string | undefined;
  /** A JSON Schema of the reply's fields, unchecked. */
  readonly requestedSchema: unknown;
}

/** The reply to a question; `content` has a value for each field of its schema. */
export type AcpElicitationReply =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, string | number | boolean | string[]>> }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** The reply to a prompt: the end of the turn, or only that the agent has it. */
export type AcpPromptReply = Omit<PromptResponse, "stopReason"> & {
  /**
   * One of the protocol's stop reasons, or a word that it does not have. Missing where the prompt is only acknowledged,
   * as in version 2: its turn ends with a `state_update`.
   */
  readonly stopReason?: string;
  /** Of the prompt, where it is only acknowledged. */
  readonly messageId?: string;
  /** As the agent has it: version 1 does not define it, and several agents tell tokens here. */
  readonly usage?: unknown;
};
