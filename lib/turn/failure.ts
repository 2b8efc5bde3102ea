import { present } from "../base/schema.ts";
import type { FailureClass, Recovery } from "../base/terms.ts";
import { HumanInterventionRequiredError, type PanewrightError, RuntimeError } from "../base/errors.ts";
import { abortable } from "../base/ports/abortable.ts";
import { sleepUntilTime } from "../base/ports/calendar.ts";
import { stalledText } from "../agents/running_commands.ts";
import type { AgentFailure } from "../agents/failure.ts";
import { retryPrompt } from "./instruction.ts";
import { SHARE_IS_USED, triedWith } from "../journal/recovery.ts";
import { planRetry, type Retry } from "./ladder.ts";
import { readStatus } from "./look.ts";
import { comesToRest } from "./settle.ts";
import { type Turn, turnMessage } from "./turn.ts";

type Replacing = Extract<Recovery, "restart" | "fresh_session" | "fallback">;

/** The agent of a turn cannot continue it: another one may, with its session or without. */
export class AgentGivenUpError extends RuntimeError {
  constructor(message: string, readonly recovery: Replacing) {
    super(message);
  }
}

const MEANINGS: Readonly<Record<FailureClass, string>> = {
  usage_limit: "the usage limit of its account is reached",
  rate_limit: "the model server refuses so many requests",
  overloaded: "the model server is overloaded or has failed",
  auth: "it is not logged in, or the model server refuses its login or key",
  context: "its conversation is too long for the model",
  model: "the model server does not know its model, or the account may not use it",
  network: "the model server cannot be reached",
  program: "parts of its CLI are not there, as while it is updated",
  other: "the agent reports an error",
};

async function readFailure({ call, signal, terminal }: Turn): Promise<AgentFailure | undefined> {
  const failure = await abortable(async () => await terminal.failure?.(call), signal).catch(() => undefined);
  signal?.throwIfAborted();
  return failure;
}

export async function isFailedTurnOver(turn: Turn): Promise<boolean> {
  return (await readFailure(turn))?.isTurnOver === true;
}

export async function agentError(turn: Turn): Promise<PanewrightError> {
  const end = await turn.terminal.describeEnd(turn.call).catch(() => undefined);
  if (end !== undefined) return new RuntimeError(turnMessage(turn, `its program has ended (${end})`));
  const failure = await readFailure(turn);
  if (failure === undefined) return new RuntimeError(turnMessage(turn, "the agent is in an error state"));
  await turn.emit({ type: "failure", failure });
  return failureError(turn, failure);
}

/** A CLI writes its record later than it draws its screen, much later on a busy machine. */
const PROOF_LAG_MS = 10_000;
const PROOF_LOOK_EVERY_MS = 500;

/** How an agent failed whose turn is over, by its own word; where that does not come, what it shows. */
async function awaitProof(turn: Turn): Promise<AgentFailure | undefined> {
  const { clock, signal, terminal } = turn;
  if (terminal.failure === undefined) return undefined;
  const untilMs = clock.now() + PROOF_LAG_MS;
  for (;;) {
    const failure = await readFailure(turn);
    if (failure?.isTurnOver || clock.now() >= untilMs) return failure;
    await clock.sleep(PROOF_LOOK_EVERY_MS, signal);
    if (await readStatus(turn) !== "error") return undefined;
  }
}

/**
 * How a turn failed that is over, where its agent has written its response before: the last sentence after it is not
 * needed. `undefined` where the agent may still be at work, or has written none.
 */
export async function findFailureAfterResponse(
  turn: Turn,
  isAnswered: () => boolean,
): Promise<string | undefined> {
  if (!turn.expectsResponse || !isAnswered()) return undefined;
  const end = await turn.terminal.describeEnd(turn.call).catch(() => undefined);
  if (end !== undefined) return `its program has ended (${end})`;
  const failure = await awaitProof(turn);
  return failure?.isTurnOver === true ? meaningOf(failure) : undefined;
}

/** Interrupts an agent's turn, as a person does with Esc: what it is then. */
export async function interrupt(turn: Turn): Promise<"at_rest" | "ended" | "at_work"> {
  const { call, clock, progress, terminal } = turn;
  if (terminal.interrupt === undefined) return "at_work";
  await terminal.interrupt(call);
  progress.standing = undefined;
  if (await comesToRest(async () => ({ status: await readStatus(turn) }), { clock, ...call })) return "at_rest";
  return await terminal.describeEnd(call).catch(() => undefined) === undefined ? "at_work" : "ended";
}

/**
 * Interrupts an agent that is at work by its own word, and does not get on.
 *
 * @returns what it is told then
 * @throws {AgentGivenUpError} where that was tried, or does not help
 */
export async function interruptStalled(turn: Turn): Promise<string> {
  const { call, expectsResponse, role, terminal, workdir } = turn;
  const failure: AgentFailure = {
    class: "other",
    text: stalledText(turn.settings.stallMinutes),
    evidence: "its screen, what it has used, its processes",
    isTurnOver: false,
  };
  for (;;) {
    const retry = retryOf(turn, { ...failure, isStalled: true });
    if (retry === undefined) break;
    await begin(turn, failure, retry);
    const state = await interrupt(turn);
    // Claude Code takes a prompt back that nothing came of: with it in the composer nothing can be sent (2.1.328).
    if (state !== "at_rest" || await terminal.hasDraft(call)) continue;
    return retryPrompt(workdir, role, {
      expectsResponse,
      what: "Nothing happened for a while, so your turn was interrupted",
    });
  }
  await turn.emit({ type: "failure", failure });
  throw failureError(turn, failure);
}

/**
 * Has another agent take the place of one that is not known to have failed, where one may.
 *
 * @throws {AgentGivenUpError} where one does
 */
export async function replaceAgent(turn: Turn, told: Pick<AgentFailure, "text" | "evidence">): Promise<void> {
  const failure: AgentFailure = { ...told, class: "other", isTurnOver: false };
  const retry = retryOf(turn, failure);
  if (retry !== undefined) await begin(turn, failure, retry);
}

function retryOf(
  { fallbacks, mayRecover, mayReplace = false, progress: { tried }, settings, wallClock }: Turn,
  failure: Parameters<typeof planRetry>[0],
) {
  return planRetry(failure, {
    settings: mayRecover?.() === false ? { ...settings, maxErrorRetries: 0 } : settings,
    now: wallClock(),
    tried,
    mayReplace,
    ...present({ fallbacks: fallbacks?.() }),
  });
}

/**
 * Tells what is done about a failure, and counts it.
 *
 * @throws {AgentGivenUpError} where another agent is to take the place of this one
 */
async function begin(turn: Turn, failure: AgentFailure, retry: Retry): Promise<void> {
  const { progress } = turn;
  await turn.emit({ type: "failure", failure, retry });
  const { recovery } = retry;
  progress.tried = triedWith(progress.tried, recovery);
  if (recovery === "restart" || recovery === "fresh_session" || recovery === "fallback") {
    await waitUntil(turn, retry.at);
    throw new AgentGivenUpError(turnMessage(turn, meaningOf(failure)), recovery);
  }
}

async function waitUntil({ clock, progress, signal, wallClock }: Turn, at: Date): Promise<void> {
  const startedMs = clock.now();
  await sleepUntilTime(at, { clock, wallClock, signal });
  progress.waitedMs += clock.now() - startedMs;
}

/** Deals with a terminal that has the status `error`: waits until the turn can be tried again, where it may be. */
export async function awaitRetry(turn: Turn): Promise<string | undefined> {
  const { expectsResponse, role, terminal, workdir } = turn;
  const hasEnded = await terminal.describeEnd(turn.call).then((end) => end !== undefined, () => false);
  const shown = hasEnded ? undefined : await readFailure(turn);
  const isHopeless = shown !== undefined && retryOf(turn, { ...shown, isTurnOver: true }) === undefined;
  if (hasEnded || isHopeless) throw await agentError(turn);
  const failure = await awaitProof(turn);
  if (failure === undefined && turn.progress.lastStatus !== "error") return undefined;
  const retry = failure && retryOf(turn, failure);
  if (failure === undefined || retry === undefined) throw await agentError(turn);
  await begin(turn, failure, retry);
  await waitUntil(turn, retry.at);
  // Meanwhile a person may have done something, or the CLI.
  if (await readStatus(turn) !== "error" || !await isFailedTurnOver(turn)) return undefined;
  return retryPrompt(workdir, role, { expectsResponse });
}

function meaningOf({ class: failureClass, evidence, resetsAt, text }: AgentFailure, tried = ""): string {
  const reset = resetsAt === undefined ? "" : `, until ${resetsAt.toISOString()}`;
  return `${MEANINGS[failureClass]}${reset}${tried}: "${text}" (${failureClass}; ${evidence})`;
}

function triedText({ progress: { tried } }: Turn): string {
  const { reset: _, ...others } = tried;
  const times = Object.values(others).reduce((sum, one) => sum + one, 0);
  return times === 0 ? "" : `, after ${times} ${times === 1 ? "retry" : "retries"}`;
}

function failureError(turn: Turn, failure: AgentFailure): PanewrightError {
  const { class: failureClass, isTurnOver, remedy } = failure;
  const share = turn.mayRecover?.() === false ? `; ${SHARE_IS_USED}` : "";
  const problem = meaningOf(failure, triedText(turn)) + share;
  if (failureClass === "auth") {
    return new HumanInterventionRequiredError(
      turnMessage(turn, problem),
      present({ hint: remedy && `${remedy} Then resume the run.` }),
    );
  }
  const mayWait = failureClass === "usage_limit" && isTurnOver && !turn.settings.waitForUsageLimitReset;
  return new RuntimeError(
    turnMessage(turn, problem),
    mayWait ? { hint: "With handoff.wait_for_usage_limit_reset the run waits until the limit is reset." } : {},
  );
}
