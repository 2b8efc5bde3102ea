import { nameInState } from "../../run/state_names.ts";
import type { Run } from "../../run/execution.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import type { ExecState } from "../../journal/exec/state.ts";
import { GroundLostError } from "../ground.ts";
import { insteadWords, openWholeSandbox } from "../whole_sandbox.ts";
import { present } from "../../base/schema.ts";
import { agentsOf, workerNameOf } from "../fallback.ts";
import { hostGateOf } from "../host_question.ts";
import type { ExecOptions } from "./context.ts";
import type { StepAgent } from "./plan.ts";

/** What the folder of a step's agent is called among those of its run's agents. */
export function stepFolderName(pipeline: string, index: number): string {
  return `${pipeline}-${index + 1}`.replaceAll(/[^\w.-]/g, "_");
}

/** The plan of a run with the sandbox open that it wants around whole agents; the plan as it is where it wants none. */
export async function openStepsSandbox(
  { plan, askAtTerminal }: Pick<ExecOptions, "plan" | "askAtTerminal">,
  run: Run<ExecFact, ExecState>,
) {
  const { workdir, sandbox, pipelines } = plan;
  if (sandbox?.whole === undefined) return { plan, signal: run.signal, [Symbol.asyncDispose]: () => Promise.resolve() };
  const { whole, writable } = sandbox;
  const gone = new AbortController();
  const steps = Object.entries(pipelines).flatMap(([pipeline, all]) =>
    all.map((step, index) => [stepFolderName(pipeline, index), step] as const)
  );
  const workers = steps.flatMap(([name, step]) =>
    agentsOf<StepAgent>(step).map((agent, index) => [workerNameOf(name, index), agent] as const)
  );
  const open = await openWholeSandbox(new Map(workers), {
    ...{ clock: run.clock, folder: run.folder, signal: run.signal, workdir, writable, whole },
    name: await nameInState(run.folder, run.state().run?.isCopy === true),
    onGone: (error) => gone.abort(new GroundLostError("the process that holds the sandbox is gone", error)),
    ...hostGateOf({ ...run, ...present({ askAtTerminal }) }),
    onRefusal: (refusal) => run.record({ type: "sandbox_refused", ...refusal, passable: true }),
  });
  if ("notOpened" in open) {
    run.record({ type: "warning", message: insteadWords(open) });
    return {
      plan: { ...plan, sandbox: { writable } },
      signal: run.signal,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }
  const put = <Agent extends StepAgent>(agent: Agent, worker: string): Agent => (
    { ...agent, env: { ...agent.env, ...open.env(worker) }, sandbox: open.request(worker) }
  );
  const inside = new Map(steps.map(([name, step]) => {
    const fallbacks = step.fallbacks?.map((agent, index) => put(agent, workerNameOf(name, index + 1)));
    return [step, { ...put(step, name), ...present({ fallbacks }) }] as const;
  }));
  return {
    signal: AbortSignal.any([run.signal, gone.signal]),
    plan: {
      ...plan,
      sandboxOfCommands: open.commands,
      pipelines: Object.fromEntries(
        Object.entries(pipelines).map(([name, all]) => [name, all.map((step) => inside.get(step) ?? step)]),
      ),
    },
    [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
  };
}
