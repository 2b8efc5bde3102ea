import type { CallPatch } from "./update.ts";

/** The version of the protocol that we speak; an agent may answer with another one. */
export const ACP_VERSION = 1;

export const ACP_OTHER_VERSION = -32022;

export const ACP_AUTH_REQUIRED = -32000;

export interface AcpInitialized {
  readonly protocolVersion: number;
  readonly agentInfo: { readonly name: string; readonly version: string } | undefined;
  readonly resumes: { readonly load: boolean; readonly resume: boolean };
  /** The ids of the ways to log in. */
  readonly authMethods: readonly string[];
}

export interface AcpPermissionRequest {
  readonly sessionId: string;
  readonly call: CallPatch;
  /** An option's `kind` may be a word that the protocol does not have. */
  readonly options: readonly { readonly optionId: string; readonly kind: string }[];
}

/**
 * The answer to a request for a permission. The protocol does not have `answers`: Qwen Code (0.24.4) takes those to its
 * questions beside the outcome, by their places from 0.
 */
export type AcpPermissionOutcome =
  & ({ readonly outcome: "cancelled" } | { readonly outcome: "selected"; readonly optionId: string })
  & { readonly answers?: Readonly<Record<string, string>> };

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
export interface AcpPromptReply {
  /**
   * One of the protocol's stop reasons, or a word that it does not have. Missing where the prompt is only acknowledged,
   * as in version 2: its turn ends with a `state_update`.
   */
  readonly stopReason?: string;
  /** As the agent has it: version 1 does not define it, and several agents tell tokens here. */
  readonly usage?: unknown;
  readonly _meta?: unknown;
}
