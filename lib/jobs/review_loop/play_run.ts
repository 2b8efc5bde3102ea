import type { RunState } from "./state.ts";
import type { AuditLog } from "../../turn/desk/audit.ts";
import { createAcpDesk } from "../../turn/desk/acp_desk.ts";
import { createPaneDesk } from "../../turn/desk/pane_desk.ts";
import type { AskAboutDialog, DialogDeskContext } from "../../turn/desk/desk_context.ts";
import { DraftInTheWayError } from "../../base/errors.ts";
import { watchResponses } from "../../turn/response_watch.ts";
import { CapReachedError, tokenCapOf, TokensUnknownError } from "../../run/caps.ts";
import type { Run, RunResult } from "../../run/execution.ts";
import { endLeftProcesses } from "../../run/left_processes.ts";
import { strayAnswerMessage } from "../../run/stray_mail.ts";
import { hasAcp } from "../../agents/mod.ts";
import type { Role } from "../../base/roles.ts";
import { openActivities, openHooks, openTurnEvents } from "./agent_channels.ts";
import { startAgents } from "./agents.ts";
import { createAgentTurns } from "./ask_agent.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { findLateReplies, findLateResponse } from "./late_response.ts";
import { isOutsideProgramGone } from "../programs.ts";
import { type ReviewLoopResult, runReviewLoop } from "./loop.ts";
import { keepDialogScreens } from "./kept_screens.ts";
import { nextAction, rolesLeft } from "./machine.ts";
import { failLeftMessages, openMailbox } from "./mailbox.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { openRoleViewers } from "./role_viewers.ts";
import { endLeftSession } from "./left_session.ts";
import { openRunSession } from "./run_session.ts";
import { findOpenTurn } from "../../journal/loop/state.ts";
import { runTestOf } from "../test_of_run.ts";
import { createTokenCounter } from "./token_counter.ts";
import { keepTurnChanges } from "./turn_changes.ts";
import { createLocks } from "./turn_locks.ts";
import { watchWork } from "./work_watch.ts";
import { present } from "../../base/schema.ts";

export interface RunParts extends Run<ReviewFact, RunState> {
  readonly plan: ReviewRunPlan;
  readonly audit: AuditLog;
  /** The person at the terminal, who is asked about dialogs; undefined where nobody sits there. */
  readonly person: AskAboutDialog | undefined;
}

/**
 * Plays what is left of the loop with real agents; of one that has come to its end, only the session may be left.
 *
 * Nothing of it is left running afterwards, unless the plan says so.
 */
export async function playRun(parts: RunParts): Promise<RunResult> {
  const { plan, folder, state, record, clock } = parts;
  const late = await findLateResponse(folder, state());
  if (late !== undefined) record(late.event, late.text);
  for (const reply of await findLateReplies(folder, state())) record(reply);
  await keepTurnChanges({ ...parts, workdir: plan.workdir }).makeUp();
  const next = nextAction(state().loop);
  // No agent is started for a turn that may not begin.
  if (next.do === "run_attempt") parts.requireTurn(next.at.role, { hasBegun: state().turn !== undefined });
  if (next.do !== "finish_run") return await runWithAgents(parts);
  for (const event of state().untold) record(event);
  await failLeftMessages(parts);
  if (plan.cleanupOnExit) await endLeftSession(state(), { clock });
  return next;
}

async function runWithAgents(outer: RunParts): Promise<ReviewLoopResult> {
  const broken = new AbortController();
  const parts = { ...outer, signal: AbortSignal.any([outer.signal, broken.signal]) };
  const { plan, folder, mail, audit, state, record, clock, signal } = parts;
  using forcedExit = new DisposableStack();
  await using opened = await openRunSession(plan, { runId: folder.id, earlier: state(), record, clock });
  const { session, alive } = opened;
  if (session !== undefined) {
    forcedExit.defer(parts.onForcedExit(() => session.abandon(), session.lastResort()));
  }
  const attachCommandOf = (role: Role) => hasAcp(plan.agents[role].provider) ? undefined : session?.attachCommand();
  let isUncounted = false;
  // A test command, or an agent without a pane, that an earlier process has left would work beside the new one.
  if (Object.keys(state().agents).length > 0) await endLeftProcesses(folder, { clock });
  await using _panesLeft = {
    async [Symbol.asyncDispose]() {
      if (session === undefined || session.cleanupOnExit) return;
      // An agent that is left at work would use more than it may.
      if (signal.reason instanceof CapReachedError || isUncounted) return await session.close();
      record({ type: "panes_left", attachCommand: session.attachCommand() });
    },
  };
  await using hooks = await openHooks(parts);
  const asking = hooks === undefined ? {} : { hooks };
  await using turnEvents = hooks && await openTurnEvents(parts);
  const told = turnEvents === undefined ? {} : { turnEvents };
  const panes = { ...present({ session }), ...asking, ...told };
  if (session !== undefined) await openRoleViewers(session, { plan, folder, record, signal });
  using activities = openActivities(parts);
  const { onActivity } = activities;
  const { onForcedExit } = parts;
  await using team = await startAgents({
    ...{ plan, folder, state, alive, ...panes, onActivity, onForcedExit, record, clock, signal },
  });
  const counter = createTokenCounter({
    agents: team.agents,
    state,
    capOf: (role) => tokenCapOf(role, { caps: plan.caps, ofWorker: plan.agents[role].caps }),
    record,
    clock,
  });
  await using _lastCount = { [Symbol.asyncDispose]: () => counter.countAll() };
  await using responses = watchResponses(plan.workdir, { clock });
  await using screens = keepDialogScreens({ ...parts, terminalOf: (role) => team.terminalOf(role) });
  const desks: DialogDeskContext = {
    plan,
    answers: mail,
    strayAnswer: (question) => strayAnswerMessage(folder, question),
    audit,
    ...asking,
    emit(fact) {
      if (fact.type !== "dialog_waiting") return record(fact);
      const attachCommand = attachCommandOf(fact.role);
      const look = attachCommand === undefined ? {} : { attachCommand };
      record({ ...fact, runId: folder.id, ...look });
      screens.keep(fact);
    },
    keepScreen: (turnId, shown) => screens.keepAnswered(turnId, shown),
    warn: (role, message) => record({ type: "warning", role, message }),
    onStuck(role, message, question) {
      const title = `panewright: ${role} is stuck`;
      if (question === undefined) return parts.notify({ kind: "needed", title, text: message, priority: 5 });
      const words = question.permits === undefined ? "YOUR ANSWER" : "yes, or no and why";
      const text = `${message}\n\n${parts.commandLine("answer", "--question", question.id)} "${words}"`;
      return parts.notify({ kind: "needed", title, text, priority: 5, question });
    },
    nextQuestionId: () => `q${state().questions + 1}`,
    earlierQuestion: (turnId) => findOpenTurn(state(), turnId)?.question,
    person: parts.person && oneByOne(parts.person),
    clock,
    signal,
  };
  const locks = createLocks<Role>();
  const { turn: begunTurn } = state();
  let held = begunTurn && await locks.take(begunTurn.role, signal);
  const work = watchWork({ ...parts, workdir: plan.workdir });
  const changes = keepTurnChanges({ ...parts, workdir: plan.workdir });
  const tell = async (event: ReviewFact) => {
    // Its agent may be at work on a message from outside.
    if (event.type === "turn_started") held = await locks.take(event.role, signal);
    await work.keepEvidence(event);
    record(event);
  };
  for (const event of state().untold) await tell(event);
  const { askAgent, playMessage } = createAgentTurns({
    plan,
    folder,
    redactor: parts.redactor,
    team,
    counter,
    responses,
    state,
    record,
    createDesk: ({ terminal, ...turn }) =>
      terminal.via === "acp"
        ? createAcpDesk(desks, { ...turn, terminal })
        : createPaneDesk(desks, { ...turn, terminal }),
    commandsOf: (role, turnId) => work.commandsOf(role, turnId),
    attachCommandOf,
    onStuck: desks.onStuck,
    clock,
    signal,
  });
  const noteFailure = (error: unknown) => {
    if (error instanceof DraftInTheWayError) session?.leave();
    isUncounted ||= error instanceof TokensUnknownError;
  };
  await using mailbox = openMailbox({
    folder,
    mail,
    state,
    record,
    locks,
    hasAgent: (role) => state().agents[role] !== undefined || rolesLeft(state().loop, plan.loop).includes(role),
    requireTurn: parts.requireTurn,
    play: playMessage,
    onBroken(error) {
      noteFailure(error);
      broken.abort(error);
    },
    clock,
    signal,
  });
  const result = await runReviewLoop({
    workdir: plan.workdir,
    job: state().head.task,
    settings: plan.loop,
    state: state().loop,
    ...(begunTurn === undefined ? {} : { begunTurn: begunTurn.id }),
    async askAgent(role, prompt, turn) {
      try {
        return await work.around(turn, () => changes.around(turn, () => askAgent(role, prompt, turn)));
      } catch (error) {
        noteFailure(error);
        throw error;
      } finally {
        held?.[Symbol.dispose]();
      }
    },
    runTestCommand: (command) =>
      runTestOf(parts, { command, cwd: plan.workdir, timeoutSeconds: plan.loop.testCommandTimeoutSeconds }),
    isProgramGone: (command) =>
      isOutsideProgramGone(command, { folder: plan.workdir, searchPath: Deno.env.get("PATH") ?? "" }),
    onEvent: tell,
    signal,
  });
  await mailbox.finish();
  // What the last reply has used is written down a moment later.
  await clock.sleep(RECORD_LAG_MS, signal);
  return result;
}

function oneByOne(ask: AskAboutDialog): AskAboutDialog {
  const locks = createLocks<"person">();
  return async (question, signal) => {
    using _terminal = await locks.take("person", signal);
    return await ask(question, signal);
  };
}

/** How much later than the end of a turn its last reply may be recorded: up to 100 ms (Claude Code 2.1.328). */
const RECORD_LAG_MS = 150;
