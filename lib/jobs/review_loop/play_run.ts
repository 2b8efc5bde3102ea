import { DraftInTheWayError } from "../../base/errors.ts";
import { watchResponses } from "../../turn/response_watch.ts";
import { CapReachedError, tokenCapOf, TokensUnknownError } from "../../run/caps.ts";
import type { RunResult } from "../../run/execution.ts";
import { openActivities, openHooks, openTurnEvents } from "./agent_channels.ts";
import { startAgents } from "./agents.ts";
import { endOpenTurnApart, makeUp } from "./late_response.ts";
import { keepDialogScreens } from "./kept_screens.ts";
import { nextAction } from "./machine.ts";
import { failLeftMessages } from "./mailbox.ts";
import { openRoleViewers } from "./role_viewers.ts";
import { endLeftSession } from "./left_session.ts";
import { inRunSession, type RunSession } from "./run_session.ts";
import { createTokenCounter } from "./token_counter.ts";
import { present } from "../../base/schema.ts";
import { openLeftByRoles } from "./left_by_roles.ts";
import { playLoop } from "./play_loop.ts";
import { deskContextOf } from "./run_desks.ts";
import type { RunParts } from "./run_parts.ts";

/**
 * Plays what is left of the loop with real agents; of one that has come to its end, only the session may be left.
 *
 * Nothing of it is left running afterwards, unless the plan says so.
 */
export async function playRun(parts: RunParts): Promise<RunResult> {
  const { plan, state, record, clock } = parts;
  const next = await findNext(parts).catch(async (error) => {
    // The session of an earlier process is not adopted yet, and nobody else ends it.
    if (plan.cleanupOnExit) await endLeftSession(state(), { clock }).catch(() => {});
    throw error;
  });
  if (next.do !== "finish_run") {
    try {
      return await inRunSession(parts, (session) => runWithAgents(parts, session));
    } finally {
      await endOpenTurnApart(parts);
    }
  }
  for (const event of state().untold) record(event);
  await failLeftMessages(parts);
  if (plan.cleanupOnExit) await endLeftSession(state(), { clock });
  return next;
}

/** What is to be done, once all is on record that an earlier process could not write down any more. */
async function findNext(parts: RunParts) {
  const { state } = parts;
  await makeUp(parts);
  const next = nextAction(state().loop);
  // No agent is started for a turn that may not begin.
  if (next.do === "run_attempt") parts.requireTurn(next.at.role, { hasBegun: state().turn !== undefined });
  return next;
}

async function runWithAgents(
  outer: RunParts,
  { session, alive, attachCommandOf }: RunSession,
): Promise<RunResult> {
  const broken = new AbortController();
  const parts = { ...outer, signal: AbortSignal.any([outer.signal, broken.signal]) };
  const { plan, record, clock, signal } = parts;
  let isUncounted = false;
  await using _panesLeft = {
    async [Symbol.asyncDispose]() {
      if (session === undefined || session.cleanupOnExit) return;
      // An agent that is left at work would use more than it may.
      if (signal.reason instanceof CapReachedError || isUncounted) return await session.close();
      record({ type: "panes_left", attachCommand: session.attachCommand() });
    },
  };
  await using left = openLeftByRoles(parts);
  await using hooks = await openHooks(parts);
  await using turnEvents = hooks && await openTurnEvents(parts);
  const panes = present({ session, hooks, turnEvents });
  if (session !== undefined) await openRoleViewers(session, parts);
  using activities = openActivities(parts);
  await using team = await startAgents({
    ...parts,
    ...panes,
    alive,
    onLeft: left.onLeft,
    onActivity: activities.onActivity,
  });
  const counter = createTokenCounter({
    ...parts,
    agents: team.agents,
    capOf: (role) => tokenCapOf(role, { caps: plan.caps, ofWorker: plan.agents[role]?.caps }),
  });
  await using _lastCount = { [Symbol.asyncDispose]: () => counter.countAll() };
  await using responses = watchResponses(plan.workdir, { roles: Object.keys(plan.agents), clock });
  await using screens = keepDialogScreens({ ...parts, terminalOf: (role) => team.terminalOf(role) });
  const noteFailure = (error: unknown) => {
    // What a person has typed is theirs, and so are the panes then.
    if (error instanceof DraftInTheWayError) session?.leave();
    isUncounted ||= error instanceof TokensUnknownError;
  };
  return await playLoop(parts, {
    desks: deskContextOf(parts, { hooks, screens, attachCommandOf }),
    ...{ team, counter, responses, attachCommandOf },
    afterTurn: left.afterTurn,
    onFailure: noteFailure,
    onBroken(error) {
      noteFailure(error);
      broken.abort(error);
    },
  });
}
