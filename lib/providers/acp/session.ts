import { type AcpConnection, AcpReplyError, type AcpSessionState } from "../../acp/connection.ts";
import { ACP_AUTH_REQUIRED } from "../../acp/protocol.ts";
import { HumanInterventionRequiredError, type PanewrightError, RuntimeError, UsageError } from "../../errors.ts";
import type { Clock } from "../../ports/clock.ts";
import { sanitizeLine } from "../../text/sanitize.ts";
import type { AcpResumeWay } from "../acp_provider.ts";
import type { AcpAgentProvider } from "../provider.ts";
import { type ConfigOption, readConfigOptions } from "./update.ts";

/** What a session is opened with. */
export interface SessionRequest {
  readonly provider: AcpAgentProvider;
  readonly workdir: string;
  readonly model: string | undefined;
  /** The id of the session that is to be continued. */
  readonly resume: string | undefined;
  /** The method of `authenticate` that comes first. */
  readonly authMethod: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What updates tell while a session is opened. */
export interface OpeningNews {
  /** From here on updates of this session are of its past, until it is open. */
  expect(sessionId: string): void;
  /** How many updates have come that are of that session, and say or do something. */
  readonly replayed: number;
  /** What was told of the mode and the options until now does not count any more. */
  forgetSettings(): void;
  /** These are the options now. */
  tell(options: readonly ConfigOption[]): void;
  /** The mode, and the options, that were told last. */
  readonly mode: string | undefined;
  readonly options: readonly ConfigOption[] | undefined;
}

/** A session that is open, in the mode that was asked for. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly resumed: boolean;
  /** Why it is not the one that was asked for, as a full sentence. */
  readonly notResumedBecause?: string;
  /** As it was read back; `undefined` where the agent tells none. */
  readonly mode: string | undefined;
  /** The model that the agent has chosen by itself, where it tells. */
  readonly model: string | undefined;
}

/** How long an agent that has loaded a session may be silent before it is done with its past. */
const REPLAY_QUIET_MS = 300;

/** How long it may continue that after it has said that it is done. */
const REPLAY_LIMIT_MS = 10_000;

/** How long an agent may take to tell of a mode that it was put in. */
const READ_BACK_MS = 2000;
const LOOK_EVERY_MS = 20;

/** How much is told of what an agent offers. */
const MAX_LISTED = 50;
const MAX_WORD_CHARS = 100;

/**
 * Logs in where the pack says so, opens a session (the one that is to be continued where that can be had), and sets and
 * reads back its mode and its model.
 *
 * @throws {HumanInterventionRequiredError} when the agent is not logged in
 * @throws {UsageError} when the mode or the model cannot be had
 * @throws {RuntimeError} when it opens no session
 */
export async function openSession(
  connection: AcpConnection,
  request: SessionRequest,
  news: OpeningNews,
): Promise<OpenedSession> {
  await logIn(connection, request);
  const opened = await continueSession(connection, request, news) ?? await newSession(connection, request);
  const setting = { connection, request, news, ...opened };
  const mode = await setMode(setting);
  await setOptions(setting);
  await setModel(setting);
  requireSettings(setting, mode);
  const { sessionId, resumed, notResumedBecause, state: { models, configOptions } } = opened;
  const model = models?.currentModelId ??
    readConfigOptions(configOptions).find(({ category }) => category === "model")?.value;
  return { sessionId, resumed, mode, model, ...(notResumedBecause === undefined ? {} : { notResumedBecause }) };
}

async function logIn(connection: AcpConnection, { provider, authMethod: methodId, signal }: SessionRequest) {
  if (methodId === undefined) return;
  const { authMethods } = connection.initialized;
  if (!authMethods.some(({ id }) => id === methodId)) {
    const offered = authMethods.length === 0 ? "none" : sanitizeLine(authMethods.map(({ id }) => id).join(", "));
    throw new UsageError(`Cannot log in to ${provider.label} by "${methodId}": it offers ${offered}`, {
      ...remedyOf(provider),
    });
  }
  try {
    await connection.authenticate({ methodId, signal });
  } catch (error) {
    throw error instanceof AcpReplyError ? notLoggedIn(provider, error) : error;
  }
}

function notLoggedIn(provider: AcpAgentProvider, error: AcpReplyError): PanewrightError {
  return new HumanInterventionRequiredError(`Cannot use ${provider.label}: it is not logged in: ${error.reason}`, {
    hint: provider.acp.loginHint ??
      `Log in to ${provider.label} by its own command, or set the variables that it takes; then try again.`,
    cause: error,
  });
}

function remedyOf({ cli }: AcpAgentProvider): { readonly hint?: string } {
  return cli === undefined ? {} : { hint: cli.installHint };
}

/** A session as its reply tells of it. */
interface Opened {
  readonly sessionId: string;
  readonly state: AcpSessionState;
  readonly resumed: boolean;
  readonly notResumedBecause?: string;
}

async function newSession(
  connection: AcpConnection,
  { provider, workdir, signal }: SessionRequest,
  notResumedBecause?: string,
): Promise<Opened> {
  try {
    const { sessionId, ...state } = await connection.newSession({ cwd: workdir, signal });
    return { sessionId, state, resumed: false, ...(notResumedBecause === undefined ? {} : { notResumedBecause }) };
  } catch (error) {
    if (!(error instanceof AcpReplyError)) throw error;
    if (error.rpcCode === ACP_AUTH_REQUIRED) throw notLoggedIn(provider, error);
    throw new RuntimeError(`Cannot open a session with ${provider.label}: ${error.reason}`, { cause: error });
  }
}

/** The session that is to be continued, or a new one where it cannot be had; `undefined` where none was asked for. */
async function continueSession(
  connection: AcpConnection,
  request: SessionRequest,
  news: OpeningNews,
): Promise<Opened | undefined> {
  const { provider, resume: sessionId, signal, workdir } = request;
  if (sessionId === undefined) return undefined;
  const { loadSession, resumeSession } = connection.initialized.agentCapabilities;
  const offered: Readonly<Record<AcpResumeWay, boolean>> = { load: loadSession, resume: resumeSession };
  const ways = provider.acp.resume.filter((way) => offered[way]);
  let why = `${provider.label} cannot continue a session in a new process.`;
  for (const way of ways) {
    news.expect(sessionId);
    try {
      const where = { sessionId, cwd: workdir, signal };
      const state: AcpSessionState =
        await (way === "load" ? connection.loadSession(where) : connection.resumeSession(where));
      if (state.sessionId !== undefined && state.sessionId !== sessionId) {
        why = `${provider.label} was asked for session ${sessionId}, and has opened another one.`;
        continue;
      }
      if (way === "resume") return { sessionId, state, resumed: true };
      await awaitEndOfReplay(request, news);
      if (news.replayed > 0) return { sessionId, state, resumed: true };
      // A session that is not there was reported as loaded by several agents.
      why =
        `${provider.label} says that it has loaded session ${sessionId}, and has told nothing of what was said in it.`;
    } catch (error) {
      if (!(error instanceof AcpReplyError)) throw error;
      if (error.rpcCode === ACP_AUTH_REQUIRED) throw notLoggedIn(provider, error);
      why = `${provider.label} does not have session ${sessionId} any more: ${error.reason}.`;
    }
  }
  return await newSession(connection, request, why);
}

/** Gemini CLI tells on after its reply (0.61.0); nothing marks the end of that but silence. */
async function awaitEndOfReplay({ clock, signal }: SessionRequest, news: OpeningNews): Promise<void> {
  const untilMs = clock.now() + REPLAY_LIMIT_MS;
  let quietSinceMs = clock.now();
  for (let heard = news.replayed; clock.now() < untilMs; heard = news.replayed) {
    const leftMs = REPLAY_QUIET_MS - (clock.now() - quietSinceMs);
    if (leftMs <= 0) return;
    await clock.sleep(leftMs, signal);
    if (news.replayed !== heard) quietSinceMs = clock.now();
  }
}

/** A session whose mode, options and model are to be set. */
interface Setting extends Opened {
  readonly connection: AcpConnection;
  readonly request: SessionRequest;
  readonly news: OpeningNews;
}

/** Puts the session into the mode in which the agent asks, and reads it back. */
async function setMode(setting: Setting): Promise<string | undefined> {
  const { connection, news, request: { provider, signal }, sessionId, state } = setting;
  const wanted = provider.acp.askMode?.id;
  news.forgetSettings();
  const options = readConfigOptions(state.configOptions);
  const option = options.find(({ category }) => category === "mode");
  const current = state.modes?.currentModeId ?? option?.value;
  if (wanted === undefined) return current;
  const fail = (why: string) => asksNot(provider, why);
  const offered = state.modes?.availableModes.map(({ id }) => id) ?? option?.choices ?? [];
  if (current === undefined) throw fail("its session has no modes");
  if (!offered.includes(wanted)) throw fail(`it offers the modes ${listed(offered)}, and not ${wanted}`);
  if (current === wanted) return current;
  let told: string | undefined;
  try {
    if (state.modes !== undefined) await connection.setMode({ sessionId, modeId: wanted, signal });
    else told = await chooseOption(setting, option!.id, wanted);
  } catch (error) {
    throw error instanceof AcpReplyError ? fail(`it refuses the mode ${wanted}: ${error.reason}`) : error;
  }
  const now = await readBack(setting, () => told ?? news.mode, wanted);
  if (now === wanted) return wanted;
  throw fail(now === undefined ? `it does not tell that it is in the mode ${wanted}` : `its mode is ${now}`);
}

/** What was set first may have changed with what was set last. */
function requireSettings({ news, request: { provider } }: Setting, mode: string | undefined): void {
  const { id, options = {} } = provider.acp.askMode ?? {};
  const now = news.mode ?? mode;
  if (id !== undefined && now !== id) throw asksNot(provider, `its mode is ${now}`);
  for (const [name, wanted] of Object.entries(options)) {
    const value = news.options?.find((one) => one.id === name)?.value ?? wanted;
    if (value !== wanted) throw asksNot(provider, `its option ${name} is ${value}, and not ${wanted}`);
  }
}

/** Some offer hundreds of models. */
function listed(words: readonly string[]): string {
  const shown = words.slice(0, MAX_LISTED).map((word) => word.slice(0, MAX_WORD_CHARS).toWellFormed());
  return [...shown, ...words.length > shown.length ? [`${words.length - shown.length} more`] : []].join(", ");
}

function asksNot({ label }: AcpAgentProvider, why: string): PanewrightError {
  return new UsageError(`Cannot have ${label} ask before it acts: ${sanitizeLine(why)}`, {
    hint: "Another version of the agent may have other modes: see panewright agents.",
  });
}

/** Sets the options of the session that belong to that mode. */
async function setOptions(setting: Setting): Promise<void> {
  const { request: { provider }, state } = setting;
  for (const [id, wanted] of Object.entries(provider.acp.askMode?.options ?? {})) {
    const fail = (why: string) => asksNot(provider, why);
    const option = readConfigOptions(state.configOptions).find((one) => one.id === id);
    if (option === undefined) throw fail(`its session has no option ${id}`);
    if (option.value === wanted) continue;
    try {
      const now = await chooseOption(setting, id, wanted);
      if (now !== wanted) throw fail(`its option ${id} is ${now ?? "not told"}, and not ${wanted}`);
    } catch (error) {
      throw error instanceof AcpReplyError ? fail(`it refuses ${id} ${wanted}: ${error.reason}`) : error;
    }
  }
}

/** Chooses the model where the protocol is the way to do so. */
async function setModel(setting: Setting): Promise<void> {
  const { connection, request: { model, provider, signal }, sessionId, state } = setting;
  const by = provider.acp.model;
  if (model === undefined || by === undefined) return;
  try {
    if (by.by === "session_model" && state.models?.currentModelId !== model) {
      await connection.setModel({ sessionId, modelId: model, signal });
    }
    if (by.by === "config_option") {
      const now = await chooseOption(setting, by.id, model);
      if (now !== model) {
        throw new UsageError(
          `Cannot use the model ${model}: ${provider.label} uses ${sanitizeLine(now ?? "its own")}`,
        );
      }
    }
  } catch (error) {
    if (!(error instanceof AcpReplyError)) throw error;
    const offered = state.models?.availableModels.map(({ modelId }) => modelId) ??
      readConfigOptions(state.configOptions).find(({ category }) => category === "model")?.choices ?? [];
    throw new UsageError(`Cannot use the model ${model}: ${provider.label} refuses it: ${error.reason}`, {
      ...(offered.length === 0 ? {} : { hint: `It offers ${sanitizeLine(listed(offered))}.` }),
      cause: error,
    });
  }
}

/** Sets an option of the session, and resolves to what it is then; `undefined` where the agent does not tell. */
async function chooseOption(setting: Setting, id: string, wanted: string): Promise<string | undefined> {
  const { connection, news, request: { signal }, sessionId, state } = setting;
  const isSwitch = state.configOptions?.find((one) => one.id === id)?.type === "boolean";
  const value = isSwitch ? wanted === "on" : wanted;
  const options = await connection.setConfigOption({ sessionId, configId: id, value, signal });
  if (options !== undefined) news.tell(readConfigOptions(options));
  return await readBack(setting, () => news.options?.find((one) => one.id === id)?.value, wanted);
}

/** What is told of a setting: waits a little for it to be what is wanted. */
async function readBack(
  { request: { clock, signal } }: Setting,
  told: () => string | undefined,
  wanted: string,
): Promise<string | undefined> {
  for (const untilMs = clock.now() + READ_BACK_MS; told() !== wanted && clock.now() < untilMs;) {
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  return told();
}
