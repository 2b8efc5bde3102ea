/**
 * What an agent tells of its session, read from its notifications. A field that must be there and is wrong makes the
 * whole update malformed; one that may be missing and is wrong is left out, and so is a wrong item of a list, as the
 * protocol's own libraries do, but for what may name a file.
 *
 * @module
 */
import { isObject, number, present, text } from "../../../base/schema.ts";
import { arrayOf, type JsonObject, numberOf, objectOf, textOf } from "../../../base/text/json.ts";
import { extraOf } from "./extra.ts";
import { ACP_TOOL_KINDS, type AcpToolKind } from "../tool_kinds.ts";

const CALL_STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

export type CallStatus = (typeof CALL_STATUSES)[number];

export function isOver(status: CallStatus): boolean {
  return status === "completed" || status === "failed";
}

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
  /** Fields of the call, its contents and places that the protocol does not have, as they came. */
  readonly extra?: JsonObject;
  readonly hasUnread?: true;
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
  | { readonly type: "compacted" }
  | { readonly type: "config"; readonly options: readonly ConfigOption[] }
  | { readonly type: "usage"; readonly used: number; readonly size: number; readonly cost?: AcpCost }
  | { readonly type: "notice"; readonly isProblem: boolean; readonly text: string }
  | ({ readonly type: "state"; readonly state: "running" | "idle" | "requires_action" } & RestReason)
  /** One that was dropped, and that may tell of what an agent has done, or is allowed to do. */
  | { readonly type: "unread"; readonly about: UnreadCall | "mode" }
  | { readonly type: "other" };

export interface RestReason {
  readonly stopReason?: string;
  readonly error?: { readonly code?: number; readonly text: string };
}

export interface AcpCost {
  readonly amount: number;
  readonly currency: string;
}

export interface AcpNotification {
  /** Missing where it cannot be read: then it may be any session's. */
  readonly sessionId?: string;
  readonly update: AcpUpdate;
}

/** What could be read of a tool call that was dropped. */
export interface UnreadCall extends Pick<CallPatch, "kind" | "status"> {
  readonly id?: string;
  /** Whether only its beginning is known, so that what is missing may have been said. */
  readonly isCut: boolean;
}

const wordOf = (value: unknown) => textOf(value) || undefined;
const oneOf = <Word extends string>(words: readonly Word[], value: unknown) => words.find((word) => word === value);

const UPDATES: ReadonlyMap<string, (given: JsonObject) => AcpUpdate | undefined> = new Map(
  Object.entries<(given: JsonObject) => AcpUpdate | undefined>({
    user_message_chunk: (given) => pieceOf("user", given),
    agent_message_chunk: (given) => pieceOf("message", given),
    agent_thought_chunk: (given) => pieceOf("thought", given),
    tool_call: (given) => text(given["title"]) ? callUpdate(given) : undefined,
    tool_call_update: callUpdate,
    plan: ({ entries }) => Array.isArray(entries) ? { type: "plan", entries: entries.flatMap(planEntry) } : undefined,
    available_commands_update: otherUpdate,
    current_mode_update: ({ currentModeId: mode }) => text(mode) ? { type: "mode", mode } : undefined,
    config_option_update({ configOptions }) {
      const options = readConfigOptions(configOptions);
      return options && { type: "config", options };
    },
    session_info_update: otherUpdate,
    usage_update({ used, size, cost: given }) {
      if (!isAmount(used) || !isAmount(size)) return undefined;
      const { amount, currency } = objectOf(given);
      const cost = isAmount(amount) && text(currency) ? { amount, currency } : undefined;
      return { type: "usage", used, size, ...present({ cost }) };
    },
    // Of version 2, and of agents that are ahead of version 1.
    state_update: stateUpdate,
    notice({ severity, title, description }) {
      const words = [textOf(title) ?? "", wordOf(description)].filter((each) => each !== undefined);
      return { type: "notice", isProblem: severity === "error", text: words.join(": ") };
    },
    // Told more than once while it goes on, by agents that tell how far it is.
    compaction_update: ({ status = "completed" }) => ({ type: status === "completed" ? "compacted" : "other" }),
    compaction_summary_chunk: otherUpdate,
  }),
);

export function readUpdate(
  params: unknown,
): AcpNotification | { readonly problem: "unknown"; readonly kind: string } | { readonly problem: "malformed" } {
  const { sessionId, update: given } = objectOf(params);
  const kind = objectOf(given)["sessionUpdate"];
  if (!text(sessionId) || !isObject(given) || !text(kind)) return { problem: "malformed" };
  const read = UPDATES.get(kind);
  if (read === undefined) return { problem: "unknown", kind };
  const update = read(given);
  return update === undefined ? { problem: "malformed" } : { sessionId, update };
}

export function readUnread(params: unknown): AcpNotification | undefined {
  const { sessionId, update } = objectOf(params);
  const { sessionUpdate, ...call } = objectOf(update);
  return unreadOf(sessionUpdate, { sessionId, call, isCut: false });
}

/**
 * What a dropped message is about, by its beginning. An update that does not say there what it is may be a tool call.
 */
export function readCut(head: string): AcpNotification | undefined {
  const word = (name: string) => new RegExp(`"${name}":"([^"\\\\]*)"`).exec(head)?.[1];
  if (!/^\s*\{/.test(head) || word("method") !== "session/update") return undefined;
  // A kind, or a status, in its beginning need not be its own.
  const call = { toolCallId: word("toolCallId") };
  return unreadOf(word("sessionUpdate") ?? "tool_call", { sessionId: word("sessionId"), call, isCut: true });
}

function unreadOf(
  what: unknown,
  { sessionId: of, call, isCut }: {
    readonly sessionId: unknown;
    readonly call: JsonObject;
    readonly isCut: boolean;
  },
): AcpNotification | undefined {
  const session = present({ sessionId: textOf(of) });
  if (what === "current_mode_update" || what === "config_option_update") {
    return { ...session, update: { type: "unread", about: "mode" } };
  }
  if (what !== "tool_call" && what !== "tool_call_update") return undefined;
  const kind = oneOf(ACP_TOOL_KINDS, call["kind"]);
  const status = oneOf(CALL_STATUSES, call["status"]);
  const about = { isCut, ...present({ id: wordOf(call["toolCallId"]), kind, status }) };
  return { ...session, update: { type: "unread", about } };
}

/**
 * The mode that a notification of an agent's own tells: Qwen Code (0.24.4) does so in place of the protocol's update.
 */
export function readOwnMode(params: unknown): AcpNotification | undefined {
  const { sessionId, currentModeId: mode } = objectOf(params);
  return text(sessionId) && text(mode) ? { sessionId, update: { type: "mode", mode } } : undefined;
}

/** A call with what of it has no reader. */
export function readWholeCall(given: unknown): CallPatch | undefined {
  const call = readCall(given);
  return call && { ...call, ...present({ extra: extraOf(objectOf(given)) }) };
}

/**
 * Nothing that may name a file is left out: a permission is decided by the files that its call names, in the request or
 * before it.
 */
export function readCall(given: unknown): CallPatch | undefined {
  const { toolCallId: id, name, title, kind, status, rawInput, rawOutput, content, locations, _meta } = objectOf(given);
  const isWhole = text(id) && isMissingOr(locations, hasPath) &&
    isMissingOr(content, (part) => hasPath(part) || isOtherThanDiff(part));
  if (!isWhole) return undefined;
  const parts = arrayOf(content).map(objectOf);
  const diffs = parts.flatMap(({ type, path }) => type === "diff" ? [String(path)] : []);
  const said = parts.flatMap((part) => part["type"] === "content" ? blockText(part["content"]) ?? [] : []);
  return {
    id,
    ...present({
      name: wordOf(name),
      title: wordOf(title),
      kind: oneOf(ACP_TOOL_KINDS, kind),
      status: oneOf(CALL_STATUSES, status),
      input: rawInput ?? undefined,
      meta: isObject(_meta) ? _meta : undefined,
      locations: Array.isArray(locations) ? locations.map(({ path }) => path as string) : undefined,
      diffs: diffs.length === 0 ? undefined : diffs,
      text: said.length === 0 ? undefined : said.join("\n"),
      output: rawOutput ?? undefined,
    }),
  };
}

export function readConfigOptions(given: unknown): readonly ConfigOption[] | undefined {
  if (!Array.isArray(given)) return undefined;
  return given.map(objectOf).flatMap(({ id, name, type, category, currentValue, options }): readonly ConfigOption[] => {
    if (!text(id) || !text(name)) return [];
    const about = { id, category: textOf(category) };
    if (type === "boolean") return [{ ...about, value: currentValue === true ? "on" : "off", choices: undefined }];
    if (type !== "select" || !text(currentValue)) return [];
    // Its choices may be in groups.
    const single = arrayOf(options).flatMap((one) => objectOf(one)["options"] ?? one).map(objectOf);
    return [{ ...about, value: currentValue, choices: single.flatMap(({ value }) => textOf(value) ?? []) }];
  });
}

function isMissingOr(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return value === undefined || value === null || Array.isArray(value) && value.every(isItem);
}

function hasPath(value: unknown): boolean {
  return text(objectOf(value)["path"]);
}

function isOtherThanDiff(value: unknown): boolean {
  const { type } = objectOf(value);
  return text(type) && type !== "diff";
}

function isAmount(value: unknown): value is number {
  return number(value) && Number.isFinite(value) && value >= 0;
}

function callUpdate(given: JsonObject): AcpUpdate | undefined {
  const call = readWholeCall(given);
  return call && { type: "call", call };
}

function otherUpdate(): AcpUpdate {
  return { type: "other" };
}

function planEntry(value: unknown) {
  const { content, status } = objectOf(value);
  const known = oneOf(["pending", "in_progress", "completed"], status) ?? "pending";
  return text(content) ? [{ text: content, status: known }] : [];
}

function pieceOf(type: "message" | "thought" | "user", given: JsonObject): AcpUpdate | undefined {
  const { content, messageId, _meta: meta } = given;
  const said = blockText(content);
  const usage = objectOf(meta)["usage"] || undefined;
  return said === undefined ? undefined : { type, text: said, ...present({ id: wordOf(messageId), usage }) };
}

function stateUpdate({ state, stopReason, error }: JsonObject): AcpUpdate | undefined {
  if (!text(state)) return undefined;
  const known = oneOf(["running", "idle", "requires_action"], state);
  if (known === undefined) return otherUpdate();
  const { code, message } = objectOf(error);
  const failed = {
    ...present({ code: numberOf(code) }),
    text: wordOf(message) ?? "it failed, and did not say why",
  };
  return {
    ...{ type: "state", state: known },
    ...present({ stopReason: wordOf(stopReason), error: stopReason === "error" ? failed : undefined }),
  };
}

/** What a block of content says; `undefined` where it is malformed. One of a kind that is not known is named. */
function blockText(block: unknown): string | undefined {
  const { type, text: said, uri, name, data, mimeType, resource } = objectOf(block);
  switch (type) {
    case "text":
      return textOf(said);
    case "resource":
      return isObject(resource) ? textOf(resource["text"]) ?? `(${resource["uri"]})` : undefined;
    case "resource_link":
      return text(uri) && text(name) ? `(${uri})` : undefined;
    case "image":
    case "audio":
      return text(data) && text(mimeType) ? `(${type})` : undefined;
    default:
      return text(type) ? `(${type})` : undefined;
  }
}
