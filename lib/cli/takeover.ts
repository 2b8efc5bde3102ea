import { dirname } from "@std/path/posix";
import { findPaneProvider } from "../agents/mod.ts";
import { type AgentLaunch, confined, type LaunchPlan } from "../agents/launch_plan.ts";
import { RuntimeError, UsageError } from "../base/errors.ts";
import { systemHost } from "../base/ports/host.ts";
import { runInForeground } from "../base/ports/process.ts";
import { present } from "../base/schema.ts";
import { agentPlan, stepAgent } from "../config/agent_plans.ts";
import { loadSettings } from "../config/load.ts";
import { agentsOf, loginOf, workerNameOf } from "../jobs/fallback.ts";
import { stepFolderName } from "../jobs/pipeline/steps_sandbox.ts";
import type { PlannedAgent } from "../jobs/review_loop/plan.ts";
import type { Progress } from "../journal/progress.ts";
import { type Worker, workerOf } from "../journal/workers.ts";
import { runCommandLine } from "../run/command_line.ts";
import type { RunOverview } from "../run/overview.ts";
import { workspaceAround } from "../workspace/workspace.ts";
import type { CliIo } from "./console/command.ts";
import { type AgentInside, findAgentInside, openInside } from "./agent_inside.ts";
import { configSource } from "./environment.ts";

/** A session of an agent that a person can open, and how. */
export interface OpenSession {
  readonly worker: string;
  readonly sessionId: string;
  /** The sandbox that its run had around it; missing where it had none. */
  readonly inside?: AgentInside;
  /** How its program is started, in a sandbox or without one. */
  launch(more: Pick<AgentLaunch, "env" | "sandbox">): Promise<LaunchPlan>;
}

/**
 * The agent that a person means: the one that is named, or the one whose turn it is.
 *
 * @throws {UsageError} where there is none whose session can be opened
 */
export function workerToTake(
  { folder: { id }, progress, condition }: RunOverview,
  name?: string,
): { readonly worker: Worker; readonly sessionId: string; readonly progress: Progress } {
  const cannot = (why: string, hint?: string) =>
    new UsageError(`Cannot take over run ${id}: ${why}`, hint === undefined ? {} : { hint });
  if (progress === undefined) throw cannot("nothing of it has begun");
  const isOver = condition === "passed" || progress.job === "run" && condition === "failed";
  if (isOver) throw cannot(`it is over (${condition})`, `What it has done: ${runCommandLine(["show", id])}`);
  if (progress.target !== undefined || workspaceAround(progress.workdir)?.partOf !== undefined) {
    throw cannot("its tasks are done side by side, and one of them cannot be taken out");
  }
  if (progress.waiting !== undefined && progress.job === "exec") {
    throw cannot("it waits for an answer", `Give it: ${runCommandLine(["answer", id])} "YOUR ANSWER"`);
  }
  const worker = workerOf(progress, name ?? whoseTurn(progress));
  if (worker === undefined) throw cannot(name === undefined ? "no agent is at work" : `no agent works as ${name} yet`);
  if (worker.sessionId === undefined) throw cannot(`the session of ${worker.name} is not known yet`);
  return { worker, sessionId: worker.sessionId, progress };
}

function whoseTurn({ waiting, activity, workers }: Progress): string | undefined {
  return waiting?.by ?? activity?.worker ?? workers.findLast(({ sessionId }) => sessionId !== undefined)?.name;
}

/**
 * How the session of an agent is opened in a terminal: as in a pane, without the hooks of the run.
 *
 * @throws {UsageError} where its agent has no terminal
 */
export async function sessionOf(
  overview: RunOverview,
  { role, io }: { readonly role: string | undefined; readonly io: CliIo },
): Promise<OpenSession> {
  const { worker, sessionId, progress } = workerToTake(overview, role);
  const { configFile, job, pipeline, workdir } = progress;
  const { name, provider: id } = worker;
  const source = await configSource(io, {
    cwd: configFile === null ? workdir : dirname(configFile),
    flags: { wd: workdir },
    path: configFile ?? undefined,
  });
  const loaded = await loadSettings(source);
  const steps = loaded.config.pipelines[pipeline?.name ?? ""] ?? [];
  const own: PlannedAgent = job === "run"
    ? agentPlan(loaded, name)
    : { ...stepAgent(steps.find((step) => step.name === name) ?? {}, loaded), args: [] };
  const agents = agentsOf<PlannedAgent>(own);
  const at = agents.findIndex((one) => loginOf(one) === id || one.provider.id === id);
  const agent = agents[at] ?? { provider: findPaneProvider(id, loaded.providers), args: [], env: {} };
  const { provider: { label, terminal }, args, command, env, model, profile } = agent;
  if (terminal === undefined || worker.protocol === "acp") {
    throw new UsageError(`Cannot take over ${name}: ${label} has no terminal of its own`);
  }
  const step = pipeline?.steps.indexOf(name) ?? -1;
  const place = workerNameOf(job === "run" ? name : stepFolderName(pipeline?.name ?? "", step), Math.max(0, at));
  const inside = await findAgentInside(overview, { place, agent, config: loaded.config, workdir });
  const request = { workdir, role: name, args, resume: sessionId, ...present({ command, model, profile }) };
  return {
    ...{ worker: name, sessionId, ...present({ inside }) },
    async launch({ env: more, sandbox }) {
      const all = { ...env, ...more };
      return await terminal.launch({ ...request, env: all, ...present({ sandbox }) }, systemHost(all));
    },
  };
}

/**
 * Opens a session in the terminal, until the person leaves it: in the sandbox that its agent had around it.
 *
 * @throws {RuntimeError} where its program could not be started
 */
export async function openInTerminal(
  { inside, launch, worker }: OpenSession,
  { back, io }: { readonly back: string; readonly io: Pick<CliIo, "signal" | "stderr"> },
): Promise<void> {
  const { signal } = io;
  const refused = new Set<string>();
  const open = inside && await openInside(inside, { signal, onRefusal: ({ what }) => refused.add(what) });
  await using _open = open;
  const sandbox = open?.request(inside?.place ?? "");
  const more = open === undefined ? {} : { env: open.env(inside?.place ?? ""), ...present({ sandbox }) };
  const { argv, cwd, env } = await confined(await launch(more), { sandbox, signal });
  const code = await runInForeground({ argv, cwd, env, signal }).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return 127;
    throw error;
  });
  if (refused.size > 0) io.stderr(`The sandbox refused: ${[...refused].join("; ")}\n`);
  if (code !== 126 && code !== 127) return;
  throw new RuntimeError(`Cannot take over ${worker}: ${argv[0]} could not be started`, {
    hint: `The run is stopped; resume it with: ${back}`,
  });
}
