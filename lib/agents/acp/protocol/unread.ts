import { isObject, text } from "../../../base/schema.ts";

/** An update that was dropped, and that may tell of what an agent has done, or is allowed to do. */
export interface AcpUnread {
  /** Missing where it cannot be read: then it may be any session's. */
  readonly sessionId?: string;
  readonly about: AcpUnreadCall | "mode";
}

export interface AcpUnreadCall {
  readonly toolCallId?: string;
  readonly kind?: string;
  readonly status?: string;
  /** Whether only its beginning is known, so that what is missing may have been said. */
  readonly isCut: boolean;
}

const CALLS: readonly unknown[] = ["tool_call", "tool_call_update"];
const MODES: readonly unknown[] = ["current_mode_update", "config_option_update"];

export function readUnread(params: unknown): AcpUnread | undefined {
  const { sessionId, update } = isObject(params) ? params : {};
  if (!isObject(update)) return undefined;
  const { sessionUpdate, toolCallId, kind, status } = update;
  return unreadOf(sessionUpdate, { sessionId, toolCallId, kind, status, isCut: false });
}

/**
 * What a dropped message is about, by its beginning. An update that does not say there what it is may be a tool call.
 */
export function readCut(head: string): AcpUnread | undefined {
  if (!/^\s*\{/.test(head) || wordOf(head, "method") !== "session/update") return undefined;
  const [sessionId, toolCallId] = [wordOf(head, "sessionId"), wordOf(head, "toolCallId")];
  // A kind, or a status, in its beginning need not be its own.
  return unreadOf(wordOf(head, "sessionUpdate") ?? "tool_call", { sessionId, toolCallId, isCut: true });
}

function wordOf(json: string, name: string): string | undefined {
  return new RegExp(`"${name}":"([^"\\\\]*)"`).exec(json)?.[1];
}

function unreadOf(
  what: unknown,
  { sessionId, isCut, ...words }: {
    readonly sessionId: unknown;
    readonly toolCallId: unknown;
    readonly kind?: unknown;
    readonly status?: unknown;
    readonly isCut: boolean;
  },
): AcpUnread | undefined {
  const told = Object.fromEntries(Object.entries(words).filter(([, word]) => text(word) && word !== ""));
  const about = MODES.includes(what) ? "mode" : CALLS.includes(what) ? { ...told, isCut } : undefined;
  return about && { ...(text(sessionId) ? { sessionId } : {}), about };
}
