import { commandProblem, programProblem } from "../../jobs/programs.ts";
import { formatTestCommand } from "../../jobs/test_command.ts";
import type { ExecPlan, StepPlan } from "../../jobs/pipeline/plan.ts";
import { lookAtSetups } from "./agent.ts";
import { agentOf } from "./agent_cli.ts";
import { joinWorkers, missingProgram, type Obstacle } from "./finding.ts";
import type { LookContext } from "./look_context.ts";
import { checkWorkdir } from "./machine.ts";
import { lookAtNotifications } from "./notifications.ts";
import { lookAtSandboxes } from "./sandbox.ts";

interface StepsToLookAt {
  readonly plan: ExecPlan;
  readonly pipelines: readonly string[];
}

export function lookAtChecks(
  { plan, pipelines }: StepsToLookAt,
  { env }: Pick<LookContext, "env">,
): readonly Obstacle[] {
  const place = { folder: plan.workdir, searchPath: env("PATH") ?? "" };
  return stepsIn({ plan, pipelines }).flatMap(({ step, of }) =>
    step.checks.flatMap((check): Obstacle[] => {
      const problem = check.type === "shell" ? commandProblem(check.command, place) : undefined;
      if (check.type !== "shell" || problem === undefined) return [];
      return [{
        check: `check of ${of}/${step.name}`,
        status: problem.mayCome ? "warn" : "fail",
        detail: `${formatTestCommand(check.command)} cannot be run: ${problem.message}`,
        remedy: problem.mayCome
          ? "The step fails if it is not written by then."
          : "Correct it, or install the program.",
      }];
    })
  );
}

export function lookAtPrograms(run: StepsToLookAt, { env }: Pick<LookContext, "env">): readonly Obstacle[] {
  return joinWorkers(
    stepsIn(run).map(({ step: { name, provider, command, env: own }, of }) => {
      const program = command?.[0] ?? provider.cli?.program;
      const place = { folder: run.plan.workdir, searchPath: own["PATH"] ?? env("PATH") ?? "" };
      const problem = program === undefined ? undefined : programProblem(program, place);
      return {
        worker: `${of}/${name}`,
        found: problem === undefined ? undefined : missingProgram(provider, { command, problem }),
      };
    }),
  );
}

/** What is in the way of a pipeline run: its folder, programs, checks, and each agent CLI's login and sandbox. */
export async function lookAtSteps(run: StepsToLookAt, context: LookContext): Promise<readonly Obstacle[]> {
  const place = { workdir: run.plan.workdir, asksPerson: false };
  const agents = stepsIn(run).flatMap(({ step }) => agentOf(step, place));
  const looks = await Promise.all([
    checkWorkdir(run.plan.workdir),
    lookAtSetups(agents, context),
    ...(run.plan.sandbox === undefined ? [] : [lookAtSandboxes(agents, context)]),
  ]);
  return [
    ...lookAtPrograms(run, context),
    ...lookAtChecks(run, context),
    ...lookAtNotifications(run.plan, context),
    ...looks.flat(),
  ];
}

function stepsIn({ plan, pipelines }: StepsToLookAt): readonly { readonly step: StepPlan; readonly of: string }[] {
  const known = pipelines.filter((name) => Object.hasOwn(plan.pipelines, name));
  return known.flatMap((of) => (plan.pipelines[of] ?? []).map((step) => ({ step, of })));
}
