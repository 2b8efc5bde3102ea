/**
 * Whether what an agent asks and answers is as the protocol has it; see {@link ./update.ts} for what it tells.
 *
 * @module
 */
import { isObject, present, text } from "../../../base/schema.ts";
import { arrayOf, objectOf, textOf } from "../../../base/text/json.ts";
import type { AcpElicitation, AcpInitialized, AcpPermissionRequest, AcpPromptReply } from "./protocol.ts";
import { type ConfigOption, readConfigOptions, readWholeCall } from "./update.ts";

export interface AcpSessionState {
  /** Which one it is, where the reply says so: one to `session/load` need not. */
  readonly sessionId?: string;
  readonly modes?: Offered;
  /** From before version 1 had config options; several agents still have it. */
  readonly models?: Offered;
  readonly options?: readonly ConfigOption[];
}

/** What a session is set to, and what it could be set to. */
interface Offered {
  readonly current: string;
  readonly ids: readonly string[];
}

export function readPermission(params: unknown): AcpPermissionRequest | undefined {
  const { sessionId, options, toolCall } = objectOf(params);
  const call = readWholeCall(toolCall);
  if (!text(sessionId) || !Array.isArray(options) || call === undefined) return undefined;
  // An option that cannot be read cannot be chosen, and the others can.
  const read = options.map(objectOf).flatMap(({ optionId, name, kind }) =>
    text(optionId) && text(name) && text(kind) ? [{ optionId, kind }] : []
  );
  return { sessionId, call, options: read };
}

export function readElicitation(params: unknown): AcpElicitation | undefined {
  const { message, mode, sessionId, requestedSchema } = objectOf(params);
  return text(message) ? { message, mode: textOf(mode), sessionId: textOf(sessionId), requestedSchema } : undefined;
}

export function readInitialized(reply: unknown): AcpInitialized | undefined {
  const { protocolVersion, agentCapabilities, agentInfo, authMethods } = objectOf(reply);
  if (!Number.isInteger(protocolVersion)) return undefined;
  const { loadSession, sessionCapabilities } = objectOf(agentCapabilities);
  const { name, version } = objectOf(agentInfo);
  return {
    protocolVersion: Number(protocolVersion),
    agentInfo: text(name) && text(version) ? { name, version } : undefined,
    resumes: { load: loadSession === true, resume: isObject(objectOf(sessionCapabilities)["resume"]) },
    authMethods: idsOf(authMethods, "id"),
  };
}

export function readSessionState(reply: unknown): AcpSessionState {
  const { sessionId, modes, configOptions, models } = objectOf(reply);
  const { currentModeId, availableModes } = objectOf(modes);
  const { currentModelId, availableModels } = objectOf(models);
  return present({
    sessionId: textOf(sessionId) || undefined,
    modes: readOffered(currentModeId, availableModes, "id"),
    models: readOffered(currentModelId, availableModels, "modelId"),
    options: readConfigOptions(configOptions),
  });
}

/**
 * The reply to `session/prompt`; undefined where it is malformed. One without a stop reason only acknowledges the
 * prompt, as in version 2: by the id of its message, or, in earlier drafts of that, by nothing at all.
 */
export function readPromptReply(reply: unknown): AcpPromptReply | undefined {
  if (!isObject(reply)) return undefined;
  const { stopReason, ...rest } = reply;
  return text(stopReason)
    ? { ...rest, stopReason }
    : stopReason === undefined || stopReason === null
    ? rest
    : undefined;
}

function readOffered(current: unknown, available: unknown, id: string): Offered | undefined {
  return text(current) && Array.isArray(available) ? { current, ids: idsOf(available, id) } : undefined;
}

function idsOf(list: unknown, key: string): readonly string[] {
  return arrayOf(list).map(objectOf).flatMap(({ name, [key]: id }) => text(name) && text(id) ? [id] : []);
}
