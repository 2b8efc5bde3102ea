import { dirname } from "@std/path/posix";
import { findPaneProvider } from "../agents/mod.ts";
import type { LaunchPlan } from "../agents/launch_plan.ts";
import { RuntimeError, UsageError } from "../base/errors.ts";
import { systemHost } from "../base/ports/host.ts";
import { runInForeground } from "../base/ports/process.ts";
import { present } from "../base/schema.ts";
import { agentPlan, stepAgent } from "../config/agent_plans.ts";
import { loadSettings } from "../config/load.ts";
import { agentsOf, loginOf } from "../jobs/fallback.ts";
import type { PlannedAgent } from "../jobs/review_loop/plan.ts";
import type { Progress } from "../journal/progress.ts";
import { type Worker, workerOf } from "../journal/workers.ts";
import { runCommandLine } from "../run/command_line.ts";
import type { RunOverview } from "../run/overview.ts";
import { workspaceAround } from "../workspace/workspace.ts";
import type { CliIo } from "./console/command.ts";
import { configSource } from "./environment.ts";

/** A session of an agent that a person can open, and how. */
export interface OpenSession {
  readonly worker: string;
  readonly sessionId: string;
  readonly launch: LaunchPlan;
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
 * How the session of an agent is opened in a terminal: as in a pane, without the hooks and the sandbox of the run.
 *
 * @throws {UsageError} where its agent has no terminal
 */
export async function sessionOf(
  overview: RunOverview,
  { role, io }: { readonly role: string | undefined; readonly io: CliIo },
): Promise<OpenSession> {
  const { worker, sessionId, progress: { configFile, job, pipeline, workdir } } = workerToTake(overview, role);
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
  const agent = agentsOf<PlannedAgent>(own).find((one) => loginOf(one) === id || one.provider.id === id) ??
    { provider: findPaneProvider(id, loaded.providers), args: [], env: {} };
  const { provider, args, command, env, model, profile } = agent;
  if (provider.terminal === undefined || worker.protocol === "acp") {
    throw new UsageError(`Cannot take over ${name}: ${provider.label} has no terminal of its own`);
  }
  const request = { workdir, role: name, args, env, resume: sessionId, ...present({ command, model, profile }) };
  return { worker: name, sessionId, launch: await provider.terminal.launch(request, systemHost(env)) };
}

/**
 * Opens a session in the terminal, until the person leaves it.
 *
 * @throws {RuntimeError} where its program could not be started
 */
export async function openInTerminal(
  { worker, launch: { argv, cwd, env } }: OpenSession,
  { back, signal }: { readonly back: string; readonly signal: AbortSignal },
): Promise<void> {
  const code = await runInForeground({ argv, cwd, env, signal }).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return 127;
    throw error;
  });
  if (code !== 126 && code !== 127) return;
  throw new RuntimeError(`Cannot take over ${worker}: ${argv[0]} could not be started`, {
    hint: `The run is stopped; resume it with: ${back}`,
  });
}
