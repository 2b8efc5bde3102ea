import { hasLiveAgents, isAlive, type LiveProcesses } from "../../run/live_agents.ts";
import type { RunOverview } from "../../run/overview.ts";
import { isWithoutPanes, type Worker, workerOf } from "../../journal/workers.ts";
import { levelOf, type Progress, tasksPassed } from "../../journal/progress.ts";
import type { Waiting } from "../../journal/waiting.ts";
import { attachCommand } from "../../tmux/server.ts";
import { resumeCommandOf, runCommandLine } from "../../run/command_line.ts";
import { outputLine } from "../output/line.ts";
// Types only: zod is not loaded for them.
import type { Exact, OutputFields } from "../output/outputs.ts";
import { answerForm } from "../../journal/words/lines.ts";
import { present } from "../../base/schema.ts";

/** All that `panewright status` shows of a run. Plain data: the same is the object of `--json`. */
export type RunView = Omit<Exact<OutputFields["status"]>, "progress" | "question" | "summary"> & {
  readonly progress: Progress | null;
  readonly question?: QuestionView;
};

export type AgentView = NonNullable<RunView["agents"]>[number];

export type QuestionView = Waiting & { readonly answered: boolean; readonly answerCommand?: string };

export function statusLine(view: RunView): string {
  return outputLine("status", { ...view, summary: view.progress && summaryOf(view.progress) });
}

export function viewRun(
  overview: RunOverview,
  { processes, wd }: { readonly processes: LiveProcesses; readonly wd: string | undefined },
): RunView {
  const { folder, condition, elsewhere, executed, owner, progress, problem, question, answered } = overview;
  const id = folder.id;
  const agentsAlive = progress !== undefined && hasLiveAgents(progress, folder, processes);
  const line = (...words: readonly string[]) => runCommandLine(words, wd);
  const session = agentsAlive ? progress.session : undefined;
  const resume = resumeCommandOf(overview, wd);
  return {
    run: id,
    state: condition,
    folder: folder.path,
    executed,
    ...present({ owner: elsewhere === undefined ? owner : `job ${elsewhere} of a fleet` }),
    agentsAlive,
    progress: progress ?? null,
    ...(progress?.job === "run" ? { agents: progress.workers.map((worker) => viewAgent(worker, processes)) } : {}),
    ...(question === undefined ? {} : { question: { ...question, answered, ...answerCommandOf(overview, wd) } }),
    commands: {
      ...present({ resume }),
      ...(session !== undefined || executed && isWithoutPanes(progress) ? { attach: line("attach", id) } : {}),
      ...(session === undefined ? {} : { attachTmux: attachCommand(session.socket, session.name) }),
      ...(executed || agentsAlive ? { stop: line("stop", id) } : {}),
      ...(progress === undefined ? {} : { logs: line("logs", id) }),
    },
    ...(problem === undefined ? {} : {
      problem: { message: problem.message, ...present({ hint: problem.hint }) },
    }),
  };
}

function viewAgent(worker: Worker, processes: LiveProcesses): AgentView {
  const { name: role, provider, protocol, pane, process: own, sessionId } = worker;
  return {
    role,
    provider,
    ...present({ protocol }),
    ...(pane === undefined ? {} : { terminalId: pane.terminalId }),
    ...(own === undefined ? {} : { pid: own.pid }),
    ...present({ sessionId }),
    alive: isAlive(worker, processes),
  };
}

/** The command that answers what waits; nothing where it is answered, or only the agent's pane takes the answer. */
export function answerCommandOf(
  { folder, question, answered }: Pick<RunOverview, "folder" | "question" | "answered">,
  wd: string | undefined,
): { readonly answerCommand?: string } {
  if (question?.id === undefined || answered) return {};
  const line = runCommandLine(["answer", folder.id, "--question", question.id], wd);
  const form = question.dialog === undefined ? '"YOUR ANSWER"' : answerForm(question.dialog.questions);
  return { answerCommand: `${line} ${form}` };
}

function summaryOf(progress: Progress): Readonly<Record<string, unknown>> {
  const { job, workdir, configFile, startedAt, executedSince, lastAt, about, waiting: question, finished } = progress;
  const head = { job, workdir, configFile, startedAt, executedSince, lastAt, about, question, finished };
  if (job === "exec") return { ...head, ...execSummary(progress) };
  const round = levelOf(progress, "round");
  const agents = progress.workers.map(({ name, provider, sessionId, pane }) => [name, { provider, sessionId, pane }]);
  return {
    ...head,
    round: round?.number,
    maxRounds: round?.of,
    activity: activityOf(progress),
    counts: progress.counts,
    session: progress.session,
    agents: Object.fromEntries(agents),
  };
}

function activityOf(progress: Progress): Readonly<Record<string, unknown>> {
  const { activity, workers } = progress;
  if (activity === undefined) return { kind: "none" };
  const { kind, since, worker: role } = activity;
  if (kind === "starting") {
    return { kind, waitingFor: workers.filter(({ status }) => status === "starting").map(({ name }) => name), since };
  }
  if (kind !== "turn") return { kind, since };
  const worker = workerOf(progress, role);
  const status = worker === undefined || worker.status === "prompted"
    ? {}
    : { status: { is: worker.status, since: worker.since } };
  return { kind, role, cycle: levelOf(progress, "cycle")?.number ?? 0, since, ...status };
}

function execSummary(progress: Progress): Readonly<Record<string, unknown>> {
  const { pipeline, usage, workers: [agent] } = progress;
  const task = pipeline && {
    file: levelOf(progress, "task")?.name,
    pipeline: pipeline.name,
    steps: pipeline.steps,
    step: levelOf(progress, "step")?.number,
    round: levelOf(progress, "round")?.number ?? 1,
    attempts: levelOf(progress, "attempt")?.number ?? 0,
    attemptFolder: agent?.folder,
    stage: agent === undefined ? "new" : STAGES[agent.status] ?? "ready",
  };
  return { tasksPassed: tasksPassed(progress), task, usage };
}

const STAGES: Readonly<Partial<Record<Worker["status"], string>>> = {
  processing: "running",
  waiting_user_answer: "question",
  limited: "usage_limit",
  completed: "completed",
  error: "failed",
};
