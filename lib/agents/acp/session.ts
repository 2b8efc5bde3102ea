import { type AcpConnection, AcpReplyError, type AcpSessionState } from "./protocol/connection.ts";
import { ACP_AUTH_REQUIRED } from "./protocol/protocol.ts";
import { HumanInterventionRequiredError, type PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { AcpResumeWay } from "./acp_provider.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { OpeningNews, SessionRequest } from "./session_request.ts";
import { setUpSession } from "./session_settings.ts";
import { readConfigOptions } from "./update.ts";
import { present } from "../../base/schema.ts";

export interface OpenedSession {
  readonly sessionId: string;
  readonly resumed: boolean;
  readonly notResumedBecause?: string;
  readonly mode: string | undefined;
  readonly model: string | undefined;
}

/** How long an agent that has loaded a session may be silent before it is done with its past. */
const REPLAY_QUIET_MS = 300;

/** How long it may continue that after it has said that it is done. */
const REPLAY_LIMIT_MS = 10_000;

export async function openSession(
  connection: AcpConnection,
  request: SessionRequest,
  news: OpeningNews,
): Promise<OpenedSession> {
  await logIn(connection, request);
  const opened = await continueSession(connection, request, news) ?? await newSession(connection, request);
  const mode = await setUpSession({ connection, request, news, ...opened });
  const { sessionId, resumed, notResumedBecause, state: { models, configOptions } } = opened;
  const model = models?.currentModelId ??
    readConfigOptions(configOptions).find(({ category }) => category === "model")?.value;
  return { sessionId, resumed, mode, model, ...present({ notResumedBecause }) };
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
    return { sessionId, state, resumed: false, ...present({ notResumedBecause }) };
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
      why = `${provider.label} says that it has loaded session ${sessionId}, and has sent nothing of its conversation.`;
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
