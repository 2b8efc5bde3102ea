import { UsageError } from "../../base/errors.ts";
import { nameInState } from "../../run/state_names.ts";
import type { Run } from "../../run/execution.ts";
import type { ExecFact } from "../../journal/exec/facts.ts";
import { type ExecState, nextQuestionId } from "../../journal/exec/state.ts";
import { GroundLostError } from "../ground.ts";
import { insteadWords, lookingAtGit, openWholeSandbox } from "../whole_sandbox.ts";
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
  { plan, askAtTerminal, isPatient = false }: Pick<ExecOptions, "plan" | "askAtTerminal" | "isPatient">,
  run: Run<ExecFact, ExecState>,
) {
  const { workdir, sandbox, pipelines } = plan;
  const { provider, session } = run.state().run?.overrides ?? {};
  if (session !== undefined && sandbox?.whole === undefined) throw notAdopted("it is not wanted");
  const { lookAtObeyed } = run;
  const none = { lookAtObeyed, signal: run.signal, [Symbol.asyncDispose]: () => Promise.resolve() };
  if (sandbox?.whole === undefined) return { ...none, plan };
  const { whole, writable } = sandbox;
  const gone = new AbortController();
  const steps = Object.entries(pipelines).flatMap(([pipeline, all]) =>
    all.map((step, index) => [stepFolderName(pipeline, index), step] as const)
  );
  if (session !== undefined && !steps.some(([, step]) => step.provider.id === provider)) {
    throw new UsageError(`Cannot continue a session of ${provider}: no step of the pipeline is done by it`);
  }
  const workers = steps.flatMap(([name, step]) =>
    agentsOf<StepAgent>(step).map((agent, index) => [workerNameOf(name, index), agent] as const)
  );
  const gate = hostGateOf({
    ...{ ...run, isPatient, answersFrom: plan.permissions.answersFrom, ...present({ askAtTerminal }) },
    nextQuestionId: () => nextQuestionId(run.state()),
  });
  const open = await openWholeSandbox(new Map(workers), {
    ...{ clock: run.clock, folder: run.folder, signal: run.signal, workdir, writable, whole },
    name: await nameInState(run.folder, run.state().run?.isCopy === true),
    onGone: (error) => gone.abort(new GroundLostError("the process that holds the sandbox is gone", error)),
    ...present({ mayReach: gate.mayReach }),
    onRefusal: (refusal) => run.record({ type: "sandbox_refused", ...refusal, passable: true }),
    ...(session === undefined ? {} : { adopts: { provider: provider ?? "", session } }),
  });
  if ("notOpened" in open) {
    if (session !== undefined) throw notAdopted(open.notOpened);
    run.record({ type: "warning", message: insteadWords(open) });
    return { ...none, plan: { ...plan, sandbox: { writable } } };
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
    lookAtObeyed: lookingAtGit(open, lookAtObeyed),
    plan: {
      ...plan,
      sandboxOfCommands: open.commands,
      pipelines: Object.fromEntries(
        Object.entries(pipelines).map(([name, all]) => [name, all.map((step) => inside.get(step) ?? step)]),
      ),
    },
    async [Symbol.asyncDispose]() {
      gate[Symbol.dispose]();
      await open[Symbol.asyncDispose]();
    },
  };
}

/** Outside of it the session itself would be written to, by a CLI that may take it for one of another folder. */
function notAdopted(why: string): UsageError {
  return new UsageError(`Cannot continue a copy of a session without the sandbox around the agent: ${why}`, {
    hint:
      '"panewright doctor --sandbox" tells what it needs; the configuration must have "sandbox": "agent" or "auto".',
  });
}
