import { HumanInterventionRequiredError, type PanewrightError, RuntimeError, UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import type { AcpAgentProvider } from "../provider.ts";
import type { OpenedSession, Opening, SessionRequest } from "./opening.ts";
import { AcpReplyError } from "./protocol/errors.ts";
import { ACP_AUTH_REQUIRED } from "./protocol/protocol.ts";
import { ACP_QUESTIONS } from "./protocol/questions.ts";
import type { AcpSessionState } from "./protocol/shapes.ts";
import { setUpSession } from "./session_settings.ts";

interface Opened extends Omit<OpenedSession, "mode" | "model"> {
  readonly state: AcpSessionState;
}

/** How long an agent that has loaded a session may be silent before it is done with its past. */
const REPLAY_QUIET_MS = 300;

/** How long it may continue that after it has said that it is done. */
const REPLAY_LIMIT_MS = 10_000;

export async function openSession(request: SessionRequest, opening: Opening): Promise<OpenedSession> {
  await logIn(request);
  const { state, ...opened } = await continueSession(request, opening);
  const mode = await setUpSession({ sessionId: opened.sessionId, state, request, opening });
  const model = state.models?.current ?? state.options?.find(({ category }) => category === "model")?.value;
  return { ...opened, mode, model };
}

async function logIn({ ask, provider, initialized: { authMethods }, authMethod }: SessionRequest): Promise<void> {
  if (authMethod === undefined) return;
  if (!authMethods.includes(authMethod)) {
    const offered = authMethods.length === 0 ? "none" : sanitizeLine(authMethods.join(", "));
    const message = `Cannot log in to ${provider.label} by "${authMethod}": it offers ${offered}`;
    throw new UsageError(message, present({ hint: provider.cli?.installHint }));
  }
  await ask(ACP_QUESTIONS.authenticate(authMethod)).catch((error) => {
    throw error instanceof AcpReplyError ? notLoggedIn(provider, error) : error;
  });
}

function notLoggedIn(provider: AcpAgentProvider, error: AcpReplyError): PanewrightError {
  return new HumanInterventionRequiredError(
    `Cannot use ${provider.label}: it is not logged in: ${error.reply.reason}`,
    {
      hint: provider.acp.login_hint ??
        `Log in to ${provider.label} by its own command, or set the variables that it takes; then try again.`,
      cause: error,
    },
  );
}

/** The reason that the agent gives for not opening a session; a login that is missing is thrown. */
function reasonOf(provider: AcpAgentProvider, error: unknown): string {
  if (!(error instanceof AcpReplyError)) throw error;
  if (error.reply.rpcCode === ACP_AUTH_REQUIRED) throw notLoggedIn(provider, error);
  return error.reply.reason;
}

async function newSession({ ask, provider, workdir }: SessionRequest, notResumedBecause?: string): Promise<Opened> {
  try {
    const { sessionId, ...state } = await ask(ACP_QUESTIONS.newSession(workdir));
    return { sessionId, state, resumed: false, ...present({ notResumedBecause }) };
  } catch (error) {
    const reason = reasonOf(provider, error);
    throw new RuntimeError(`Cannot open a session with ${provider.label}: ${reason}`, { cause: error });
  }
}

/** The session that is to be continued, or a new one where it cannot be had, or none was asked for. */
async function continueSession(request: SessionRequest, opening: Opening): Promise<Opened> {
  const { ask, initialized, provider, resume: sessionId, workdir: cwd } = request;
  const { acp, label } = provider;
  if (sessionId === undefined) return await newSession(request);
  let why = `${label} cannot continue a session in a new process.`;
  for (const way of (acp.resume ?? []).filter((way) => initialized.resumes[way])) {
    opening.expect(sessionId);
    try {
      const state: AcpSessionState = await ask(ACP_QUESTIONS[way]({ sessionId, cwd }));
      if (state.sessionId !== undefined && state.sessionId !== sessionId) {
        why = `${label} was asked for session ${sessionId}, and has opened another one.`;
        continue;
      }
      if (way === "load") await awaitEndOfReplay(request, opening);
      if (way === "resume" || opening.replayed > 0) return { sessionId, state, resumed: true };
      // A session that is not there was reported as loaded by several agents.
      why = `${label} says that it has loaded session ${sessionId}, and has sent nothing of its conversation.`;
    } catch (error) {
      why = `${label} does not have session ${sessionId} any more: ${reasonOf(provider, error)}.`;
    }
  }
  return await newSession(request, why);
}

/** Gemini CLI tells on after its reply (0.61.0); nothing marks the end of that but silence. */
async function awaitEndOfReplay({ clock, signal }: SessionRequest, opening: Opening): Promise<void> {
  const untilMs = clock.now() + REPLAY_LIMIT_MS;
  let quietSinceMs = clock.now();
  for (let heard = opening.replayed; clock.now() < untilMs; heard = opening.replayed) {
    const leftMs = REPLAY_QUIET_MS - (clock.now() - quietSinceMs);
    if (leftMs <= 0) return;
    await clock.sleep(leftMs, signal);
    if (opening.replayed !== heard) quietSinceMs = clock.now();
  }
}
