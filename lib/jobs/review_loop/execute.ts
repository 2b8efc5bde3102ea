import { type AuditLog, openAuditLog } from "../../dialogs/audit.ts";
import { openAuditHeads } from "../../dialogs/audit_heads.ts";
import { createAcpDesk } from "../../dialogs/acp_desk.ts";
import { createDialogDesk } from "../../dialogs/desk.ts";
import type { AskAboutDialog, DialogDeskContext } from "../../dialogs/desk_context.ts";
import { type HookChannel, openHookChannel } from "../../dialogs/hook_channel.ts";
import { DraftInTheWayError, UsageError } from "../../errors.ts";
import { watchResponses } from "../../handoff/response_watch.ts";
import { CapReachedError, runCaps, tokenCapOf, TokensUnknownError } from "../../run/caps.ts";
import { noProgressCaps } from "../../run/no_progress.ts";
import { privateWordsOf } from "../../redact/secret_patterns.ts";
import type { Execution, Run, RunOptions, RunReport, RunResult } from "../../run/execution.ts";
import { resumeRun, startRun } from "../../run/conduct.ts";
import { type Carried, findCarried } from "../../run/carried.ts";
import { endLeftProcesses } from "../../run/left_processes.ts";
import { hooksFolderOf, type RunFolder } from "../../run/run_folder.ts";
import { systemClock } from "../../ports/clock.ts";
import { hasAcp } from "../../providers/mod.ts";
import type { AcpActivity } from "../../providers/acp/activity.ts";
import { activityPathOf } from "../../run/activity_file.ts";
import { type ActivityWriter, openActivityWriter } from "../../run/activity_writer.ts";
import { type Role, ROLES } from "../../roles.ts";
import { lockWorkdir } from "../../run/workdir_lock.ts";
import { openSpool, type Spool } from "../../session_log/spool.ts";
import { costIn } from "../../run/prices.ts";
import { usageOfAll } from "../../run/usage.ts";
import { errorText } from "../../text/error_text.ts";
import { startAgents } from "./agents.ts";
import { createAgentTurns } from "./ask_agent.ts";
import { refuseBesideLiveAgents } from "./beside.ts";
import type { ReviewFact, RunOrigin } from "./facts.ts";
import { findLateReplies, findLateResponse } from "./late_response.ts";
import { isOutsideProgramGone } from "../programs.ts";
import { type ReviewLoopResult, runReviewLoop } from "./loop.ts";
import { keepDialogScreens } from "./kept_screens.ts";
import { nextTurn, rolesLeft } from "./machine.ts";
import { failLeftMessages, openMailbox } from "./mailbox.ts";
import { REVIEW_LOOP } from "./mod.ts";
import type { ReviewRunPlan } from "./plan.ts";
import { postProcess } from "./post_process.ts";
import { watchRawKeys } from "./raw_keys.ts";
import { openRoleViewers } from "./role_viewers.ts";
import { areOtherRules, rulesUsedBy } from "./rules_used.ts";
import { endLeftSession, openRunSession } from "./run_session.ts";
import { findOpenTurn, type RunState } from "./run_state.ts";
import { createTestCommandRunner } from "./run_test_command.ts";
import { createTokenCounter } from "./token_counter.ts";
import { reviewLoopSettings } from "./settings.ts";
import { keepTurnChanges } from "./turn_changes.ts";
import { createLocks } from "./turn_locks.ts";
import { watchWork } from "./work_watch.ts";

/** What a run is given besides its plan. */
export interface ReviewRunOptions extends RunOptions<ReviewFact> {
  readonly plan: ReviewRunPlan;
  /** The config file of a run that is resumed, where it is another one from now on; absolute. */
  readonly configFile?: string;
  /** The person at the terminal, who is asked about dialogs; missing where nobody sits there. */
  readonly person?: AskAboutDialog;
  /**
   * Of a run that can be resumed: looks, before anything is done, whether what is left of it can be.
   *
   * @param roles those that the loop may still come to
   * @throws what keeps the run from being resumed
   */
  readonly beforeResume?: (roles: readonly Role[]) => Promise<void>;
  /**
   * Names the file outside of the working directory to which the audit log's heads are copied; `undefined` for no copy.
   *
   * @default {() => undefined}
   */
  readonly auditCopy?: (folder: RunFolder) => string | undefined;
}

/** How a run ended. */
export type ReviewRunReport = RunReport<RunState | undefined>;

/**
 * Runs a job with real agents: a run folder, a tmux session with a pane for each role, the review loop over them, and
 * afterwards nothing of it left running.
 *
 * @throws {UsageError} when another run is at work in the same directory, or the tmux session cannot be had
 * @throws {HumanInterventionRequiredError} when an agent waits for something that only a person may decide
 * @throws {RuntimeError} when an agent fails, or ends a turn without a response
 * @throws {TimeoutError} when a turn takes too long
 * @throws the signal's reason when it is aborted
 */
export async function executeReviewRun(origin: RunOrigin, options: ReviewRunOptions): Promise<ReviewRunReport> {
  const { workdir, job: task, loop } = options.plan;
  const settings = reviewLoopSettings(loop);
  const { startAgent } = settings;
  const about = { workdir, startAgent, task, settings, origin } as const;
  return await startRun<ReviewFact, RunState | undefined>(
    reviewExecution(options),
    ({ id: runId, path: folder }) => ({
      type: "run_started",
      job: "run",
      runId,
      folder,
      ...about,
      rules: rulesUsedBy(options.plan),
      modelAnswers: options.plan.permissions.modelAnswers,
      ...rawInputIn(options.plan),
    }),
    options,
  );
}

/**
 * Resumes a run from what its journal says, whatever happened to the process that executed it: finished turns stay
 * finished, agents that are alive are kept, and a response that was written meanwhile is taken.
 *
 * @throws {UsageError} when another process executes it, or it is over
 * @throws like {@linkcode executeReviewRun}
 */
export async function resumeReviewRun(folder: RunFolder, options: ReviewRunOptions): Promise<ReviewRunReport> {
  return await resumeRun(reviewExecution(options), folder, options);
}

function reviewExecution(options: ReviewRunOptions): Execution<ReviewFact, RunState | undefined> {
  const { plan, clock = systemClock } = options;
  const { workdir, notifications } = plan;
  let audit: AuditLog | undefined;
  return {
    job: REVIEW_LOOP,
    workdir,
    notifications,
    get caps() {
      const ofRoles = Object.fromEntries(ROLES.map((role) => [role, plan.agents[role].caps ?? {}]));
      return { ...runCaps(plan.caps, ofRoles), ...noProgressCaps(plan.noProgress) };
    },
    prices: plan.prices,
    get secrets() {
      return secretsOf(options);
    },
    subfolders: ["responsesDir", "evidenceDir"],
    async resume(folder, state) {
      const { id: runId, path } = folder;
      const finished = state?.finished;
      if (finished?.outcome === "pass" || finished?.outcome === "fail") {
        throw new UsageError(`Cannot resume run ${runId}: it is over (${finished.outcome}: ${finished.reason})`, {
          code: "run_over",
          hint: "Start the job anew with: panewright run",
        });
      }
      const carried = state && findCarried(folder, state.head.folder);
      if (carried?.isCopy) throw copied(folder, carried);
      if (state !== undefined && state.loop.stage.kind !== "finished") {
        await options.beforeResume?.(rolesLeft(state.loop, plan.loop));
      }
      if (carried !== undefined && state !== undefined) {
        await endLeftSession(state, { clock });
        await endLeftProcesses(folder, { clock, recorded: carried.folder });
      }
      const rules = rulesUsedBy(plan);
      const before = state?.head.rules;
      return {
        type: "run_resumed",
        runId,
        folder: path,
        ...(carried === undefined ? {} : { carriedFrom: carried.workdir }),
        ...(options.configFile === undefined ? {} : { configFile: options.configFile }),
        settings: reviewLoopSettings(plan.loop),
        rules,
        modelAnswers: plan.permissions.modelAnswers,
        ...(before !== undefined && areOtherRules(before, rules) ? { rulesBefore: before } : {}),
        ...rawInputIn(plan),
      };
    },
    async claim({ id: runId }) {
      using claimed = new DisposableStack();
      claimed.use(await lockWorkdir(workdir, { runId }));
      await refuseBesideLiveAgents(workdir, { runId });
      return claimed.move();
    },
    async play(run) {
      using heads = openAuditHeads(options.auditCopy?.(run.folder), {
        onProblem: (message) => run.record({ type: "warning", message }),
      });
      audit = await openAuditLog(run.folder.auditPath, { run: run.folder.id, secrets: secretsOf(options), heads });
      using _ = audit;
      return await play({ ...run, options, audit, state: () => begun(run.state()) });
    },
    warning: (message) => ({ type: "warning", message }),
    finish({ resumeCommand, ...end }, state) {
      const isOver = end.outcome === "pass" || end.outcome === "fail";
      const { loop, tokens } = begun(state);
      return {
        type: "run_finished",
        ...end,
        rounds: loop.round,
        usage: usageOfAll(tokens),
        usageByRole: tokens.byWorker,
        ...costIn(tokens, plan.prices),
        ...(audit === undefined ? {} : { audit: audit.end }),
        ...(isOver ? {} : { resumeCommand }),
      };
    },
  };
}

/** What is known by the run's id, its tmux server, hooks and audit heads, is that of the other one. */
function copied({ id, path }: RunFolder, { folder }: Carried): UsageError {
  return new UsageError(`Cannot resume run ${id} in ${path}: it is a copy of the run in ${folder}`, {
    hint: "A review loop can be moved, but not be in two places: resume it there, or remove that folder first.",
  });
}

/** Those who would press keys are told at once that they may not. */
function rawInputIn({ rawInput }: ReviewRunPlan) {
  return rawInput ? { rawInput } : {};
}

function begun(state: RunState | undefined): RunState {
  if (state === undefined) throw new TypeError("Cannot tell where the run stands: it has not begun");
  return state;
}

async function play(parts: RunParts): Promise<RunResult> {
  const { options: { plan }, state, record, signal } = parts;
  const { outcome, reason } = await runToEnd(parts);
  if (outcome === "pass") {
    await postProcess(plan.postProcessing, {
      workdir: plan.workdir,
      done: state().postProcessed,
      onEnd(command, problem) {
        record({ type: "post_processed", command, ...(problem === undefined ? {} : { problem }) });
        if (problem !== undefined) record({ type: "warning", message: problem });
      },
      signal,
    });
  }
  return { outcome, reason };
}

/** What must neither be kept nor leave the machine: what the caller names, and what the roles' own variables hold. */
function secretsOf({ plan, secrets = [] }: ReviewRunOptions): readonly string[] {
  const own = Object.values(plan.agents).flatMap(({ env }) => privateWordsOf(env, "").secrets ?? []);
  return [...secrets, ...own];
}

interface RunParts extends Run<ReviewFact, RunState> {
  readonly options: ReviewRunOptions;
  readonly audit: AuditLog;
}

/** Plays what is left of the loop; of one that has come to its end, only the session may be left. */
async function runToEnd(parts: RunParts): Promise<RunResult> {
  const { options: { plan }, folder, state, record, clock } = parts;
  const late = await findLateResponse(folder, state());
  if (late !== undefined) record(late.event, late.text);
  for (const reply of await findLateReplies(folder, state())) record(reply);
  await keepTurnChanges({ ...parts, workdir: plan.workdir }).makeUp();
  const { stage } = state().loop;
  if (stage.kind !== "finished") {
    const next = nextTurn(state().loop);
    // No agent is started for a turn that may not begin.
    if (next !== undefined) parts.requireTurn(next.role, { hasBegun: state().turn !== undefined });
    return await runWithAgents(parts);
  }
  for (const event of state().untold) record(event);
  await failLeftMessages(parts);
  if (plan.cleanupOnExit) await endLeftSession(state(), { clock });
  return stage;
}

async function runWithAgents(outer: RunParts): Promise<ReviewLoopResult> {
  const broken = new AbortController();
  const parts = { ...outer, signal: AbortSignal.any([outer.signal, broken.signal]) };
  const { options: { plan }, folder, audit, state, record, clock, signal } = parts;
  using forcedExit = new DisposableStack();
  await using opened = await openRunSession(plan, { runId: folder.id, earlier: state(), record, clock, signal });
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
  const panes = { ...(session === undefined ? {} : { session }), ...asking, ...told };
  if (session !== undefined) await openRoleViewers(session, { plan, folder, record, signal });
  using activities = openActivities(parts);
  const { onActivity } = activities;
  const { onForcedExit } = parts;
  await using team = await startAgents({
    ...{ plan, folder, state, alive, ...panes, onActivity, onForcedExit, record, clock, signal },
  });
  using _keys = watchRawKeys({ ...parts, team, client: session?.client });
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
    answers: folder,
    audit,
    ...asking,
    emit(fact) {
      if (fact.type !== "dialog_waiting") return record(fact);
      const attachCommand = attachCommandOf(fact.role);
      const look = attachCommand === undefined ? {} : { attachCommand };
      record({ ...fact, runId: folder.id, ...look });
      screens.keep(fact);
    },
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
    person: parts.options.person && oneByOne(parts.options.person),
    clock,
    signal,
  };
  const locks = createLocks<Role>();
  const { turn: begunTurn } = state();
  /** The lock of the loop's turn; that of a turn which an earlier process began comes before any message's. */
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
        : createDialogDesk(desks, { ...turn, terminal }),
    commandsOf: (role, turnId) => work.commandsOf(role, turnId),
    attachCommandOf,
    onStuck: desks.onStuck,
    clock,
    signal,
  });
  /** What a person has typed is theirs, and so are the panes then. */
  const noteFailure = (error: unknown) => {
    if (error instanceof DraftInTheWayError) session?.leave();
    isUncounted ||= error instanceof TokensUnknownError;
  };
  await using mailbox = openMailbox({
    folder,
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
    runTestCommand: createTestCommandRunner({ ...parts, plan }),
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

/** Puts one question at a time to the person at the terminal. */
function oneByOne(ask: AskAboutDialog): AskAboutDialog {
  const locks = createLocks<"person">();
  return async (question, signal) => {
    using _terminal = await locks.take("person", signal);
    return await ask(question, signal);
  };
}

/** How much later than the end of a turn its last reply may be recorded: up to 100 ms (Claude Code 2.1.328). */
const RECORD_LAG_MS = 150;

/**
 * Opens the channel that the agents' hooks ask through. Its folder is the person's: one in the working directory could
 * be written by an agent in a sandbox. Without it every permission has its dialog.
 */
async function openHooks({ folder, options, record }: RunParts): Promise<HookChannel | undefined> {
  const hasHooks = Object.values(options.plan.agents).some(({ provider }) => provider.terminal?.hasPermissionHook);
  const channel = hooksFolderOf(folder.id);
  if (!hasHooks || channel === undefined) return undefined;
  try {
    return await openHookChannel({ folder: channel });
  } catch (error) {
    const message = `the agents' hooks cannot be answered, so each permission opens its dialog: ${errorText(error)}`;
    record({ type: "warning", message });
    return undefined;
  }
}

/**
 * Opens the place where the agents' hooks tell of their turns, in the folder of the channel and removed with it.
 * Without it the screens and the CLIs' own records do.
 */
async function openTurnEvents({ folder, record, clock }: RunParts): Promise<Spool | undefined> {
  try {
    return await openSpool(`${hooksFolderOf(folder.id)}/turns`, { clock });
  } catch (error) {
    const message = `the agents' hooks cannot tell of their turns, so their ends are seen later: ${errorText(error)}`;
    record({ type: "warning", message });
    return undefined;
  }
}

/** Keeps what the agents without a pane do, a file a role. */
function openActivities({ folder, redactor, record }: RunParts) {
  const writers = new Map<Role, ActivityWriter>();
  const writerOf = (role: Role) => {
    const onProblem = (message: string) => record({ type: "warning", role, message });
    const writer = writers.get(role) ?? openActivityWriter(activityPathOf(folder, role), { redactor, onProblem });
    writers.set(role, writer);
    return writer;
  };
  return {
    onActivity: (role: Role, activity: AcpActivity) => writerOf(role).write(activity),
    [Symbol.dispose]: () => writers.forEach((writer) => writer[Symbol.dispose]()),
  };
}
