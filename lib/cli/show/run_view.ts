import { ROLES } from "../../roles.ts";
import { attachCommand } from "../../tmux/server.ts";
import { canResume, type Condition } from "../../jobs/overview/condition.ts";
import { hasLiveAgents, type LiveProcesses, liveRoles } from "../../jobs/overview/live_agents.ts";
import type { RunOverview } from "../../jobs/overview/read_overview.ts";
import type { AskedQuestion, ReviewSummary, RunSummary } from "../../jobs/overview/summary.ts";
import { runCommandLine } from "../find_named_run.ts";

/** All that `panewright status` shows of a run. Plain data: the same is the object of `--json`. */
export interface RunView {
  readonly type: "status";
  readonly run: string;
  readonly state: Condition;
  readonly folder: string;
  readonly executed: boolean;
  /** Who executes it, as its lock says: `process 1234`. */
  readonly owner?: string;
  /** Whether anything is alive that came out of its agents. */
  readonly agentsAlive: boolean;
  /** What the journal tells; null where nothing was written down, or nothing can be read. */
  readonly summary: RunSummary | null;
  readonly agents?: readonly AgentView[];
  readonly question?: AskedQuestion & { readonly answered: boolean; readonly answerCommand?: string };
  readonly commands: {
    readonly resume?: string;
    readonly attach?: string;
    /** As tmux itself is called. */
    readonly attachTmux?: string;
    readonly stop?: string;
    readonly logs?: string;
  };
  readonly problem?: { readonly message: string; readonly hint?: string };
}

/** A role's agent. */
export interface AgentView {
  readonly role: string;
  readonly provider: string;
  readonly terminalId?: string;
  readonly sessionId?: string;
  readonly alive: boolean;
}

/**
 * Puts together what is known of a run.
 *
 * @param options.wd the working directory as the person named it, for command lines
 */
export function viewRun(
  overview: RunOverview,
  { processes, wd }: { readonly processes: LiveProcesses; readonly wd: string | undefined },
): RunView {
  const { folder, condition, executed, owner, summary, problem, question, answered } = overview;
  const id = folder.id;
  const agentsAlive = summary !== undefined && hasLiveAgents(summary, folder, processes);
  const line = (...words: readonly string[]) => runCommandLine(words, wd);
  const session = summary?.job === "run" && agentsAlive ? summary.session : undefined;
  const isDamaged = condition === "unreadable";
  const resumes = canResume(condition, { job: summary?.job, executed }) || (isDamaged && summary !== undefined);
  return {
    type: "status",
    run: id,
    state: condition,
    folder: folder.path,
    executed,
    ...(owner === undefined ? {} : { owner }),
    agentsAlive,
    summary: summary ?? null,
    ...(summary?.job === "run" ? { agents: agentViews(summary, processes) } : {}),
    ...(question === undefined || summary === undefined
      ? {}
      : { question: questionView(question, { answered, job: summary.job, id, line }) }),
    commands: {
      ...(resumes ? { resume: line("resume", id, ...(isDamaged ? ["--from-last-good"] : [])) } : {}),
      ...(session === undefined
        ? {}
        : { attach: line("attach", id), attachTmux: attachCommand(session.socket, session.name) }),
      ...(executed || agentsAlive ? { stop: line("stop", id) } : {}),
      ...(summary === undefined ? {} : { logs: line("logs", id) }),
    },
    ...(problem === undefined ? {} : {
      problem: { message: problem.message, ...(problem.hint === undefined ? {} : { hint: problem.hint }) },
    }),
  };
}

function agentViews(summary: ReviewSummary, processes: LiveProcesses): readonly AgentView[] {
  const alive = new Set(liveRoles(summary, processes));
  return ROLES.flatMap((role) => {
    const agent = summary.agents[role];
    if (agent === undefined) return [];
    const { provider, pane, sessionId } = agent;
    return [{
      role,
      provider,
      ...(pane === undefined ? {} : { terminalId: pane.terminalId }),
      ...(sessionId === undefined ? {} : { sessionId }),
      alive: alive.has(role),
    }];
  });
}

function questionView(
  question: AskedQuestion,
  { answered, job, id, line }: {
    readonly answered: boolean;
    readonly job: RunSummary["job"];
    readonly id: string;
    readonly line: (...words: readonly string[]) => string;
  },
): NonNullable<RunView["question"]> {
  if (question.id === undefined || answered) return { ...question, answered };
  const answer = job === "run" ? "yes|no" : '"YOUR ANSWER"';
  return { ...question, answered, answerCommand: `${line("answer", id, "--question", question.id)} ${answer}` };
}
