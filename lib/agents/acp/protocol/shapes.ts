/**
 * Whether what an agent sends is as the protocol has it. A field that must be there and is wrong makes the whole
 * message malformed; one that may be missing and is wrong is left out, and so is a wrong item of a list, as the
 * protocol's own libraries do, but for what may name a file. Fields and words that are not known stay.
 *
 * @module
 */
import { type Fields, findWrongField, isObject, number, present, text } from "../../../base/schema.ts";
import type {
  AcpElicitation,
  AcpInitialized,
  AcpPermissionRequest,
  AcpPromptReply,
  SessionConfigOption,
  SessionModeState,
  SessionUpdate,
  ToolCallUpdate,
} from "./protocol.ts";

export interface AcpSessionState {
  /** Which one it is, where the reply says so: one to `session/load` need not. */
  readonly sessionId?: string;
  readonly modes: SessionModeState | undefined;
  readonly configOptions: readonly SessionConfigOption[] | undefined;
  /** From before version 1 had config options; several agents still have it. */
  readonly models: AcpModelState | undefined;
}

export interface AcpModelState {
  readonly currentModelId: string;
  readonly availableModels: readonly { readonly modelId: string; readonly name: string }[];
}

export interface AcpSessionNotification {
  readonly sessionId: string;
  readonly update: SessionUpdate;
  readonly meta: unknown;
}

/** An update as the protocol has it; otherwise what is wrong with it. */
type ReadUpdate =
  | { readonly type: "update"; readonly notification: AcpSessionNotification }
  | { readonly type: "unknown"; readonly kind: string }
  | { readonly type: "malformed" };

type Json = Readonly<Record<string, unknown>>;

interface Shape {
  readonly required: Fields;
  readonly salvaged?: Readonly<Record<string, (value: unknown) => unknown>>;
}

const onlyText = (value: unknown) => text(value) ? value : undefined;
const words = (...list: readonly string[]) => (value: unknown) =>
  text(value) && list.includes(value) ? value : undefined;

function items(read: (value: unknown) => unknown): (value: unknown) => readonly unknown[] | undefined {
  return (value) => Array.isArray(value) ? value.map(read).filter((item) => item !== undefined) : undefined;
}

function shaped({ required, salvaged = {} }: Shape): (value: unknown) => Json | undefined {
  return (value) => {
    if (!isObject(value) || findWrongField(value, required) !== undefined) return undefined;
    const read = { ...value };
    for (const [name, salvage] of Object.entries(salvaged)) {
      const kept = Object.hasOwn(value, name) ? salvage(value[name]) : undefined;
      if (kept === undefined) delete read[name];
      else read[name] = kept;
    }
    return read;
  };
}

const CONTENT: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ["text", { text }],
  ["image", { data: text, mimeType: text }],
  ["audio", { data: text, mimeType: text }],
  ["resource_link", { uri: text, name: text }],
  ["resource", { resource: isObject }],
]);

function content(value: unknown): Json | undefined {
  if (!isObject(value) || !text(value["type"])) return undefined;
  return findWrongField(value, CONTENT.get(value["type"]) ?? {}) === undefined ? value : undefined;
}

const isContent = (value: unknown): value is Json => content(value) !== undefined;

const chunk: Shape = { required: { content: isContent }, salvaged: { messageId: onlyText } };

function toolContent(value: unknown): Json | undefined {
  if (!isObject(value) || !text(value["type"])) return undefined;
  const { type, newText, oldText } = value;
  if (type === "content") return isContent(value["content"]) ? value : undefined;
  if (type !== "diff") return value;
  return { ...value, newText: text(newText) ? newText : "", oldText: text(oldText) ? oldText : null };
}

const isMissing = (value: unknown) => value === undefined || value === null;
const hasPath = (value: unknown) => isObject(value) && text(value["path"]);
const isOtherThanDiff = (value: unknown) => isObject(value) && text(value["type"]) && value["type"] !== "diff";

/**
 * Nothing that may name a file is left out: a permission is decided by the files that its call names, in the request or
 * before it.
 */
const namesFiles: Fields = {
  locations: (value): value is unknown => isMissing(value) || Array.isArray(value) && value.every(hasPath),
  content: (value): value is unknown =>
    isMissing(value) || Array.isArray(value) && value.every((item) => isOtherThanDiff(item) || hasPath(item)),
};

const KINDS = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];

const toolCallFields = {
  kind: words(...KINDS),
  status: words("pending", "in_progress", "completed", "failed"),
  title: onlyText,
  content: items(toolContent),
  locations: items(shaped({ required: { path: text }, salvaged: { line: (line) => number(line) ? line : undefined } })),
};

const toolCallUpdate: Shape = { required: { toolCallId: text, ...namesFiles }, salvaged: toolCallFields };

const planEntry = (value: unknown) =>
  isObject(value) && text(value["content"])
    ? {
      priority: "medium",
      status: "pending",
      ...shaped({
        required: {},
        salvaged: {
          priority: words("high", "medium", "low"),
          status: words("pending", "in_progress", "completed"),
        },
      })(value),
    }
    : undefined;

const configOption = shaped({ required: { id: text, name: text, type: text } });

const amount = (value: unknown): value is number => number(value) && Number.isFinite(value) && value >= 0;

const money = shaped({ required: { amount, currency: text } });

const UPDATES: ReadonlyMap<string, Shape> = new Map(Object.entries<Shape>({
  user_message_chunk: chunk,
  agent_message_chunk: chunk,
  agent_thought_chunk: chunk,
  tool_call: { required: { ...toolCallUpdate.required, title: text }, salvaged: toolCallFields },
  tool_call_update: toolCallUpdate,
  plan: { required: { entries: Array.isArray }, salvaged: { entries: items(planEntry) } },
  available_commands_update: { required: {} },
  current_mode_update: { required: { currentModeId: text } },
  config_option_update: {
    required: { configOptions: Array.isArray },
    salvaged: { configOptions: items(configOption) },
  },
  session_info_update: { required: {}, salvaged: { title: onlyText, updatedAt: onlyText } },
  usage_update: { required: { used: amount, size: amount }, salvaged: { cost: money } },
  // Of version 2, and of agents that are ahead of version 1.
  state_update: {
    required: { state: text },
    salvaged: { stopReason: onlyText, error: (error) => isObject(error) ? error : undefined },
  },
  notice: { required: {} },
  compaction_update: { required: {} },
  compaction_summary_chunk: { required: {} },
}));

export function readUpdate(params: unknown): ReadUpdate {
  if (!isObject(params) || !text(params["sessionId"]) || !isObject(params["update"])) return { type: "malformed" };
  const { sessionId, update } = params;
  const kind = update["sessionUpdate"];
  if (!text(kind)) return { type: "malformed" };
  const shape = UPDATES.get(kind);
  if (shape === undefined) return { type: "unknown", kind };
  const read = shaped(shape)(update);
  if (read === undefined) return { type: "malformed" };
  const notification = { sessionId, update: read as unknown as SessionUpdate, meta: params["_meta"] };
  return { type: "update", notification };
}

export function readPermission(params: unknown): AcpPermissionRequest | undefined {
  if (!isObject(params) || !text(params["sessionId"]) || !Array.isArray(params["options"])) return undefined;
  const toolCall = shaped(toolCallUpdate)(params["toolCall"]) as unknown as ToolCallUpdate | undefined;
  if (toolCall === undefined) return undefined;
  // An option that cannot be read cannot be chosen, and the others can.
  const options = items(shaped({ required: { optionId: text, name: text, kind: text } }))(params["options"]);
  return { ...params, sessionId: params["sessionId"], toolCall, options } as AcpPermissionRequest;
}

export function readElicitation(params: unknown): AcpElicitation | undefined {
  if (!isObject(params) || !text(params["message"])) return undefined;
  const { message, mode, sessionId, requestedSchema } = params;
  return { message, mode: onlyText(mode), sessionId: onlyText(sessionId), requestedSchema };
}

export function readInitialized(reply: unknown): AcpInitialized | undefined {
  if (!isObject(reply) || !Number.isInteger(reply["protocolVersion"])) return undefined;
  const capabilities = isObject(reply["agentCapabilities"]) ? reply["agentCapabilities"] : {};
  const ofSessions = isObject(capabilities["sessionCapabilities"]) ? capabilities["sessionCapabilities"] : {};
  const info = reply["agentInfo"];
  const methods = items(shaped({ required: { id: text, name: text } }));
  return {
    protocolVersion: reply["protocolVersion"] as number,
    agentInfo: isObject(info) && text(info["name"]) && text(info["version"])
      ? { name: info["name"], version: info["version"] }
      : undefined,
    agentCapabilities: {
      loadSession: capabilities["loadSession"] === true,
      resumeSession: isObject(ofSessions["resume"]),
    },
    authMethods: (methods(reply["authMethods"]) ?? []) as AcpInitialized["authMethods"],
  };
}

export function readSessionId(reply: unknown): string | undefined {
  return isObject(reply) && text(reply["sessionId"]) && reply["sessionId"] !== "" ? reply["sessionId"] : undefined;
}

export function readSessionState(reply: unknown): AcpSessionState {
  const { modes, configOptions, models } = isObject(reply) ? reply : {};
  const mode = shaped({ required: { id: text, name: text } });
  const model = shaped({ required: { modelId: text, name: text } });
  const read = <State>(value: unknown, shape: Shape) => shaped(shape)(value) as State | undefined;
  const sessionId = readSessionId(reply);
  return {
    ...present({ sessionId }),
    modes: read<SessionModeState>(modes, {
      required: { currentModeId: text, availableModes: Array.isArray },
      salvaged: { availableModes: items(mode) },
    }),
    configOptions: items(configOption)(configOptions) as AcpSessionState["configOptions"],
    models: read<AcpModelState>(models, {
      required: { currentModelId: text, availableModels: Array.isArray },
      salvaged: { availableModels: items(model) },
    }),
  };
}

/**
 * The reply to `session/prompt`; undefined where it is malformed. One without a stop reason only acknowledges the
 * prompt, as in version 2: by the id of its message, or, in earlier drafts of that, by nothing at all.
 */
export function readPromptReply(reply: unknown): AcpPromptReply | undefined {
  if (!isObject(reply)) return undefined;
  const { stopReason, ...rest } = reply;
  return text(stopReason) ? reply as AcpPromptReply : isMissing(stopReason) ? rest as AcpPromptReply : undefined;
}
