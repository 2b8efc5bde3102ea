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

export const ACP_OTHER_VERSION = -32022;

export const ACP_AUTH_REQUIRED = -32000;

export interface AcpInitialized {
  readonly protocolVersion: number;
  readonly agentInfo: { readonly name: string; readonly version: string } | undefined;
  readonly agentCapabilities: AcpCapabilities;
  readonly authMethods: readonly { readonly id: string; readonly name: string }[];
}

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

export interface AcpElicitation {
  readonly message: string;
  readonly mode: string | undefined;
  readonly sessionId: string | undefined;
  readonly requestedSchema: unknown;
}

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
