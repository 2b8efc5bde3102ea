import { explainStatuses } from "../cli/show/explain_statuses.ts";
import { conditionText, placeText, turnText, waitingText } from "../cli/show/run_words.ts";
import type { DetachOptions } from "../control/detach.ts";
import { type AnswerToGive, giveAnswer, type GiveAnswerOptions } from "../control/give_answer.ts";
import { listRuns } from "../control/list_runs.ts";
import { resultOf } from "../control/result_of.ts";
import { resumeDetached } from "../control/resume_detached.ts";
import { leaveMessage } from "../control/send_message.ts";
import { type DetachedRun, type RunToStart, startRun } from "../control/start_run.ts";
import { PanewrightError, UsageError } from "../errors.ts";
import { JOBS } from "../jobs/mod.ts";
import { REVIEW_LOOP } from "../jobs/review_loop/mod.ts";
import { stopRun } from "../jobs/stop_run.ts";
import type { Clock } from "../ports/clock.ts";
import { canResume } from "../run/condition.ts";
import { findRun, listRunIds } from "../run/find_run.ts";
import { readRun, type RunOverview } from "../run/overview.ts";
import { isJournalOf, readFacts } from "../run/read_facts.ts";
import { shellJoin } from "../shell/quote.ts";
import { abridge } from "../text/abridge.ts";
import type { Call, ToolActs } from "./server.ts";
import { MAX_WAIT_SECONDS, type ToolInput, type ToolName, type ToolOutput } from "./tools.ts";
import { isMessageOver, type MessageState, messageState, requireMessage } from "./message_state.ts";
import { doingOf, isOver, needsAttention, questionsOf, watchRun } from "./watch_run.ts";

/** What {@linkcode createToolActs} is made of. */
export interface ToolActsOptions {
  /** The folders whose runs are told and started, absolute, without links. */
  readonly workdirs: readonly [string, ...string[]];
  /** Rejects unless the person trusts a run's configuration as it is now. */
  readonly requireTrust: GiveAnswerOptions["requireTrust"];
  readonly clock: Clock;
  readonly detach?: Pick<DetachOptions, "panewright" | "env">;
}

/** How long `send_message` waits until the journal says that the message was received. */
const RECEIPT_SECONDS = 10;

const DEFAULT_RUNS = 20;
const DEFAULT_STATUSES = 30;
const MAX_SUMMARY_CHARS = 20_000;
const MAX_WARNINGS = 10;
const MAX_REASON_CHARS = 2000;

/** The tools' acts on the runs of some folders. */
export function createToolActs(options: ToolActsOptions): ToolActs {
  const { workdirs, requireTrust, clock, detach = {} } = options;
  const [first] = workdirs;

  /** The folder that is meant, where one is named or there is only one. */
  function workdirOf(named: string | undefined): string {
    if (named !== undefined && !workdirs.includes(named)) {
      throw new UsageError(`Cannot work in ${named}: this server works in ${workdirs.join(", ")}`, {
        code: "bad_input",
        hint: "A person starts it for another folder with --wd.",
      });
    }
    if (named === undefined && workdirs.length > 1) {
      throw new UsageError("Cannot tell which project is meant: name it with workdir", {
        code: "bad_input",
        hint: `This server works in ${workdirs.join(", ")}.`,
      });
    }
    return named ?? first;
  }

  /** A run by its whole id: a part of it could mean another one tomorrow. */
  async function find({ run, workdir }: { readonly run: string; readonly workdir?: string | undefined }) {
    const meant = workdir === undefined ? workdirs : [workdirOf(workdir)];
    const found: string[] = [];
    for (const folder of meant) if ((await listRunIds(folder)).includes(run)) found.push(folder);
    const [only, ...others] = found;
    if (others.length > 0) {
      throw new UsageError(`Cannot tell which run ${run} is meant: ${found.join(", ")} have one each`, {
        code: "bad_input",
        hint: "Name the project with workdir.",
      });
    }
    if (only !== undefined) return await findRun(only, run);
    throw new UsageError(`Cannot find the run "${run}" in ${meant.join(", ")}`, {
      code: "unknown_run",
      hint: "The tool runs lists those that there are.",
    });
  }

  async function start(
    kind: RunToStart["kind"],
    input: ToolInput<"start_run"> | ToolInput<"exec_task">,
    { tool, overrides, call }: {
      readonly tool: ToolName;
      readonly overrides: RunToStart["overrides"];
      readonly call: Call;
    },
  ): Promise<ToolOutput<"start_run">> {
    const { task: text, taskFile: path, config, key = crypto.randomUUID() } = input;
    if (text !== undefined && path !== undefined) {
      throw new UsageError("Cannot use both task and taskFile: the task is the one or the other", {
        code: "bad_input",
      });
    }
    const task = text === undefined ? path === undefined ? {} : { task: { path } } : { task: { text } };
    if (kind === "exec" && task.task === undefined) {
      throw new UsageError("Cannot start a task: task or taskFile is missing", { code: "bad_input" });
    }
    const request: RunToStart = {
      ...{ workdir: workdirOf(input.workdir), kind, key, by: "mcp" as const, ...task },
      ...(config === undefined ? {} : { config }),
      ...(overrides === undefined ? {} : { overrides }),
    };
    call.progress("looking at what the run needs");
    const begun = await withinTime(startRun(request, { ...detach, signal: call.signal }), clock);
    if (begun === undefined) throw stillStarting(tool, key);
    return startedRun(begun);
  }

  /** Until when a call may wait. */
  function deadlineOf(seconds: number | undefined, standard: number): number {
    return clock.now() + Math.min(seconds ?? standard, MAX_WAIT_SECONDS) * 1000;
  }

  /** Leaves a message for a role's agent, and waits until it is as far as it is wanted. */
  async function send(
    { role, text, key = crypto.randomUUID(), ...named }: ToolInput<"assign">,
    { wantsResponse, deadlineMs, call, isEnough }: {
      readonly wantsResponse: boolean;
      readonly deadlineMs: number;
      readonly call: Call;
      readonly isEnough: (message: MessageState) => boolean;
    },
  ): Promise<ToolOutput<"handoff">> {
    const folder = await find(named);
    const { messageId } = await leaveMessage(folder, { role, text, wantsResponse, key, ...actorOf(call) });
    const { sequence = 0 } = await readRun(folder, JOBS);
    const seen = await watchRun(folder, {
      ...{ after: sequence, deadlineMs, clock, call },
      isEnough: (overview, seen) =>
        isEnough(messageState(folder, overview, messageId) ?? { message: messageId, role, state: "left" }) ||
        needsAttention(overview, seen),
    });
    const message = messageState(folder, seen.overview, messageId) ?? { message: messageId, role, state: "left" };
    return { run: folder.id, ...message, sequence: seen.sequence, next: nextOfMessage(message, seen.overview) };
  }

  return {
    start_run: ({ maxRounds, ...input }, call) =>
      start("run", input, {
        tool: "start_run",
        overrides: maxRounds === undefined ? undefined : { "max-rounds": maxRounds },
        call,
      }),

    exec_task: ({ pipeline, ...input }, call) =>
      start("exec", input, { tool: "exec_task", overrides: pipeline === undefined ? undefined : { pipeline }, call }),

    async wait({ after = 0, until = "attention", message, timeoutSeconds, ...named }, call) {
      const folder = await find(named);
      const stateOf = (overview: RunOverview) =>
        message === undefined ? undefined : requireMessage(folder, overview, message);
      const { overview, ...seen } = await watchRun(folder, {
        ...{ after, clock, call },
        deadlineMs: deadlineOf(timeoutSeconds, MAX_WAIT_SECONDS),
        isEnough: (overview, seen) =>
          isMessageOver(stateOf(overview)?.state) || needsAttention(overview, seen) ||
          until === "change" && seen.changes > 0,
      });
      const told = stateOf(overview);
      return {
        run: folder.id,
        state: overview.condition,
        isOver: isOver(overview),
        ...seen,
        ...doingOf(overview, new Date()),
        questions: [...questionsOf(overview)],
        ...(told === undefined ? {} : { message: told }),
        ...endedOf(overview),
        next: told === undefined ? nextOf(overview) : nextOfMessage(told, overview),
      };
    },

    async result(named) {
      const folder = await find(named);
      const outcome = await resultOf(folder);
      const overview = await readRun(folder, JOBS);
      const { progress, problem } = overview;
      const over = isOver(overview);
      const warnings = (progress?.warnings ?? []).map(({ message }) => short(message)).slice(-MAX_WARNINGS);
      return {
        run: folder.id,
        state: overview.condition,
        isOver: over,
        about: progress?.about ?? "",
        ...endedOf(overview),
        ...(outcome.last === undefined ? {} : { summary: abridge(outcome.last.text, { maxChars: MAX_SUMMARY_CHARS }) }),
        usage: Object.fromEntries(
          Object.entries(outcome.usage).map(([model, { inputTokens, cachedInputTokens, outputTokens }]) => [model, {
            inputTokens,
            cachedInputTokens,
            outputTokens,
          }]),
        ),
        changedFiles: [...outcome.changedFiles],
        moreFiles: outcome.moreFiles,
        done: (progress?.done ?? []).map(({ unit, number, name, outcome, reason }) =>
          [`${unit} ${number}`, name, outcome.toUpperCase(), reason].filter((part) => part !== undefined).join(", ")
        ),
        warnings: problem === undefined ? warnings : [...warnings, problem.message],
        next: nextOf(overview),
      };
    },

    async runs({ limit = DEFAULT_RUNS, workdir }) {
      const meant = workdir === undefined ? workdirs : [workdirOf(workdir)];
      const found = await Promise.all(
        meant.map(async (folder) => (await listRuns(folder)).map((row) => ({ row, folder }))),
      );
      // An id begins with the run's start.
      const all = found.flat().sort((a, b) => a.row.folder.id < b.row.folder.id ? 1 : -1);
      return {
        runs: all.slice(0, limit).map(({ row, folder }) => {
          const { progress, question, answered, problem, condition } = row;
          const reason = problem?.message ?? progress?.finished?.reason;
          return {
            run: row.folder.id,
            workdir: folder,
            job: progress?.job ?? null,
            state: condition,
            isOver: isOver(row),
            startedAt: progress?.startedAt ?? null,
            ...(progress === undefined ? {} : { about: short(progress.about) }),
            ...(question?.id === undefined || answered ? {} : { question: question.id }),
            ...(reason === undefined ? {} : { reason: short(reason) }),
          };
        }),
        leftOut: Math.max(0, all.length - limit),
      };
    },

    async explain({ role, limit = DEFAULT_STATUSES, ...named }) {
      const folder = await find(named);
      const overview = await readRun(folder, JOBS);
      const journal = overview.problem === undefined && overview.progress?.job === "run"
        ? await readFacts(folder.journalPath, JOBS)
        : undefined;
      const statuses = journal !== undefined && isJournalOf(journal, REVIEW_LOOP)
        ? explainStatuses(journal.facts, { run: folder.id, role })
        : [];
      return {
        run: folder.id,
        state: overview.condition,
        why: [...whyOf(overview)],
        statuses: statuses.slice(-limit).map(({ run: _run, ...status }) => status),
        leftOut: Math.max(0, statuses.length - limit),
      };
    },

    async answer({ question, answer, ...named }, call) {
      const folder = await find(named);
      const given: AnswerToGive = { question, answer, ...actorOf(call) };
      const { goesOn } = await giveAnswer(folder, given, { requireTrust });
      const next = goesOn ? "The run continues by itself: call wait." : "Call resume: no process executes the run.";
      return { run: folder.id, question, continues: goesOn, next };
    },

    async stop({ force = false, ...named }, { signal }) {
      const folder = await find(named);
      const resumeCommand = shellJoin(["panewright", "resume", folder.id]);
      const { overview, agentsAlive } = await stopRun(folder, { force, resumeCommand, clock, signal });
      return { run: folder.id, state: overview.condition, agentsAlive, next: nextOf(overview) };
    },

    async resume(named, call) {
      const folder = await find(named);
      call.progress("looking at what the run needs");
      const resuming = resumeDetached(folder, actorOf(call), { ...detach, signal: call.signal });
      if (await withinTime(resuming, clock) === undefined) {
        throw new PanewrightError(`Cannot tell yet whether run ${folder.id} continues: it is still being prepared`, {
          code: "busy",
          hint: "Call wait with the run's id.",
        });
      }
      const overview = await readRun(folder, JOBS);
      return { run: folder.id, state: overview.condition, next: "Call wait with the run's id." };
    },

    handoff: async ({ timeoutSeconds, ...input }, call) =>
      await send(input, {
        ...{ wantsResponse: true, deadlineMs: deadlineOf(timeoutSeconds, MAX_WAIT_SECONDS), call },
        isEnough: ({ state }) => isMessageOver(state),
      }),

    assign: async (input, call) =>
      await send(input, { wantsResponse: true, deadlineMs: clock.now(), call, isEnough: () => true }),

    send_message: async ({ timeoutSeconds, ...input }, call) =>
      await send(input, {
        ...{ wantsResponse: false, deadlineMs: deadlineOf(timeoutSeconds, RECEIPT_SECONDS), call },
        isEnough: ({ state }) => state !== "left",
      }),
  };
}

/** Who acts: a model, by the client that it is in. */
function actorOf({ client }: Call): { readonly by: "mcp"; readonly who?: string } {
  return { by: "mcp", ...(client === undefined ? {} : { who: client }) };
}

/** What an act comes to, or undefined where it takes longer than a client waits; it continues then. */
async function withinTime<T>(acting: Promise<T>, clock: Clock): Promise<T | undefined> {
  const over = new AbortController();
  const limit = clock.sleep(MAX_WAIT_SECONDS * 1000, over.signal).then(() => undefined, () => undefined);
  acting.catch(() => {});
  try {
    return await Promise.race([acting, limit]);
  } finally {
    over.abort();
  }
}

function stillStarting(tool: ToolName, key: string): PanewrightError {
  return new PanewrightError("Cannot tell yet whether the run has begun: it is still being prepared", {
    code: "busy",
    hint: `Call ${tool} again with the same arguments and with the key ${
      JSON.stringify(key)
    }: it is the same run then.`,
  });
}

function startedRun({ runId, folder, isNew }: DetachedRun): ToolOutput<"start_run"> {
  const next = isNew ? "Call wait with the run's id." : "An earlier call with this key began it: call wait, or result.";
  return { run: runId, folder, isNew, next };
}

function endedOf({ progress }: RunOverview): Pick<ToolOutput<"result">, "ended"> {
  if (progress?.finished === undefined) return {};
  const { outcome, reason, at } = progress.finished;
  return { ended: { outcome, reason: short(reason), at } };
}

/** What can be done about a run now. */
export function nextOf(overview: RunOverview): string {
  const { condition, executed, progress } = overview;
  const open = questionsOf(overview).filter(({ answered }) => !answered);
  if (open.length > 0) {
    return open.every(({ reserved, question }) => reserved || question === undefined)
      ? "Only a person can answer what it waits for: tell your person."
      : "Answer the question with answer, or ask your person; then call wait.";
  }
  if (executed) return "Call wait.";
  const resumes = canResume(condition, { job: progress?.job, executed });
  if (condition === "passed") return "It has passed: result tells what came of it.";
  return resumes ? "Call resume to continue it; explain tells why it stands." : "It is over: explain tells why.";
}

/** What can be done about a message now. */
function nextOfMessage({ message, state }: MessageState, overview: RunOverview): string {
  if (isMessageOver(state)) {
    return state === "answered" ? "The message is answered." : "The message has failed: see reason.";
  }
  if (needsAttention(overview, { records: 0 })) return nextOf(overview);
  return `It is still under way: call wait with message ${JSON.stringify(message)}.`;
}

/** Why a run stands where it stands. */
function whyOf(overview: RunOverview): readonly string[] {
  const { progress, problem, question } = overview;
  const turn = progress === undefined || !overview.executed ? undefined : turnText(progress, new Date());
  return [
    conditionText(overview),
    ...(problem === undefined ? [] : [problem.message]),
    ...(progress === undefined ? [] : [`at: ${placeText(progress)}`]),
    ...(turn === undefined ? [] : [turn]),
    ...(question === undefined ? [] : [waitingText(question)]),
    ...(question?.dialog === undefined ? [] : [`not decided automatically: ${question.dialog.reason}`]),
    ...(progress?.finished === undefined ? [] : [`ended: ${progress.finished.outcome}: ${progress.finished.reason}`]),
    ...(progress?.warnings ?? []).slice(-MAX_WARNINGS).map(({ message }) => `warning: ${message}`),
  ].map(short);
}

function short(text: string): string {
  return abridge(text, { maxChars: MAX_REASON_CHARS });
}
