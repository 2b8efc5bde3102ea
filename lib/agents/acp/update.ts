import type { ContentBlock, SessionConfigOption, SessionUpdate, ToolCallUpdate } from "./protocol/protocol.ts";
import type { AcpUnreadCall } from "./protocol/connection.ts";
import { ACP_TOOL_KINDS, type AcpToolKind } from "./acp_provider.ts";
import { type JsonObject, objectOf, textOf } from "../../base/text/json.ts";

export type CallStatus = (typeof CALL_STATUSES)[number];

export function isOver(status: CallStatus): boolean {
  return status === "completed" || status === "failed";
}

const CALL_STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

export interface CallPatch {
  readonly id: string;
  readonly name?: string;
  readonly title?: string;
  readonly kind?: AcpToolKind;
  readonly status?: CallStatus;
  readonly input?: unknown;
  readonly meta?: JsonObject;
  readonly locations?: readonly string[];
  readonly diffs?: readonly string[];
  readonly text?: string;
  readonly output?: unknown;
  readonly hasUnread?: true;
}

/** What could be read of a tool call that was dropped. */
export interface UnreadCall {
  readonly id?: string;
  readonly kind?: AcpToolKind;
  readonly status?: CallStatus;
  /** Whether only its beginning is known, so that what is missing may have been said. */
  readonly isCut: boolean;
}

export interface ConfigOption {
  readonly id: string;
  readonly category: string | undefined;
  readonly value: string;
  /** What may be chosen; `undefined` for a switch. */
  readonly choices: readonly string[] | undefined;
}

export type AcpUpdate =
  | {
    readonly type: "message" | "thought" | "user";
    readonly id?: string;
    readonly text: string;
    readonly usage?: unknown;
  }
  | { readonly type: "call"; readonly call: CallPatch }
  | {
    readonly type: "plan";
    readonly entries: readonly { readonly text: string; readonly status: "pending" | "in_progress" | "completed" }[];
  }
  | { readonly type: "mode"; readonly mode: string }
  | { readonly type: "config"; readonly options: readonly ConfigOption[] }
  | { readonly type: "usage"; readonly used: number; readonly size: number; readonly cost?: AcpCost }
  | { readonly type: "notice"; readonly isProblem: boolean; readonly text: string }
  | ({ readonly type: "state"; readonly state: "running" | "idle" | "requires_action" } & RestReason)
  | { readonly type: "other"; readonly name: string };

export interface RestReason {
  readonly stopReason?: string;
  readonly error?: { readonly code?: number; readonly text: string };
}

export interface AcpCost {
  readonly amount: number;
  readonly currency: string;
}

export function readUpdate(update: SessionUpdate | StateUpdate): AcpUpdate {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return { type: "message", ...pieceOf(update) };
    case "agent_thought_chunk":
      return { type: "thought", ...pieceOf(update) };
    case "user_message_chunk":
      return { type: "user", ...pieceOf(update) };
    case "tool_call":
    case "tool_call_update":
      return { type: "call", call: readCall(update) };
    case "plan":
      return { type: "plan", entries: update.entries.map(({ content, status }) => ({ text: content, status })) };
    case "current_mode_update":
      return { type: "mode", mode: update.currentModeId };
    case "config_option_update":
      return { type: "config", options: readConfigOptions(update.configOptions) };
    case "usage_update": {
      const { used, size, cost } = update;
      return { type: "usage", used, size, ...(cost ? { cost: { amount: cost.amount, currency: cost.currency } } : {}) };
    }
    case "notice": {
      const { severity, title, description } = update;
      return {
        type: "notice",
        isProblem: severity === "error",
        text: description ? `${title}: ${description}` : title,
      };
    }
    case "state_update": {
      const { state, stopReason, error } = update;
      const isKnown = state === "running" || state === "idle" || state === "requires_action";
      if (!isKnown) return { type: "other", name: state };
      return {
        ...{ type: "state", state },
        ...(stopReason ? { stopReason } : {}),
        ...(stopReason === "error" ? { error: errorOf(error) } : {}),
      };
    }
    default:
      return { type: "other", name: update.sessionUpdate };
  }
}

interface StateUpdate {
  readonly sessionUpdate: "state_update";
  /** Others may come. */
  readonly state: string;
  readonly stopReason?: string | null;
  readonly error?: unknown;
}

function errorOf(given: unknown): NonNullable<RestReason["error"]> {
  const { code, message } = objectOf(given);
  const text = textOf(message) ?? "";
  return {
    ...(typeof code === "number" ? { code } : {}),
    text: text === "" ? "it failed, and did not say why" : text,
  };
}

/**
 * The mode that a notification of an agent's own tells: Qwen Code (0.24.4) does so in place of the protocol's update.
 */
export function readOwnMode(
  params: unknown,
): { readonly sessionId: string; readonly update: Extract<AcpUpdate, { type: "mode" }> } | undefined {
  const { sessionId, currentModeId: mode } = objectOf(params);
  return typeof sessionId === "string" && typeof mode === "string"
    ? { sessionId, update: { type: "mode", mode } }
    : undefined;
}

function pieceOf(
  { content, messageId, _meta: meta }: {
    readonly content: ContentBlock;
    readonly messageId?: string | null;
    readonly _meta?: JsonObject | null;
  },
): { readonly id?: string; readonly text: string; readonly usage?: unknown } {
  const usage = meta?.["usage"];
  return { ...(messageId ? { id: messageId } : {}), text: blockText(content), ...(usage ? { usage } : {}) };
}

export function readCall(call: ToolCallUpdate): CallPatch {
  const { toolCallId, name, title, kind, status, rawInput, rawOutput, content, locations, _meta } = call;
  const said = content?.flatMap((part) => part.type === "content" ? [blockText(part.content)] : []) ?? [];
  const diffs = content?.flatMap((part) => part.type === "diff" ? [part.path] : []) ?? [];
  return {
    id: toolCallId,
    ...(name ? { name } : {}),
    ...(title ? { title } : {}),
    ...(kind ? { kind } : {}),
    ...(status ? { status } : {}),
    ...(rawInput === undefined || rawInput === null ? {} : { input: rawInput }),
    ...(_meta ? { meta: _meta } : {}),
    ...(locations ? { locations: locations.map(({ path }) => path) } : {}),
    ...(diffs.length === 0 ? {} : { diffs }),
    ...(said.length === 0 ? {} : { text: said.join("\n") }),
    ...(rawOutput === undefined || rawOutput === null ? {} : { output: rawOutput }),
  };
}

/** What could be read of a tool call that was dropped. */
export function readUnreadCall({ toolCallId: id, kind: told, status: word, isCut }: AcpUnreadCall): UnreadCall {
  const kind = ACP_TOOL_KINDS.find((one) => one === told);
  const status = CALL_STATUSES.find((one) => one === word);
  return { isCut, ...(id ? { id } : {}), ...(kind ? { kind } : {}), ...(status ? { status } : {}) };
}

export function readConfigOptions(options: readonly SessionConfigOption[] | undefined): readonly ConfigOption[] {
  return (options ?? []).flatMap((option): readonly ConfigOption[] => {
    const about = { id: option.id, category: option.category ?? undefined };
    switch (option.type) {
      case "boolean":
        return [{ ...about, value: option.currentValue === true ? "on" : "off", choices: undefined }];
      case "select": {
        // Its choices may be in groups.
        const given: readonly { readonly options?: unknown; readonly value?: unknown }[] = option.options ?? [];
        const single = given.flatMap((one) => Array.isArray(one.options) ? one.options : [one]);
        const choices = single.flatMap(({ value }) => typeof value === "string" ? [value] : []);
        return typeof option.currentValue === "string" ? [{ ...about, value: option.currentValue, choices }] : [];
      }
      default:
        return [];
    }
  });
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return "text" in block.resource ? block.resource.text : `(${block.resource.uri})`;
    case "resource_link":
      return `(${block.uri})`;
    default:
      return `(${block.type})`;
  }
}
