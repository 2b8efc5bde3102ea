import type { Job } from "../../journal/loop/fields.ts";
import type { LoadedSettings } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { commandProblem, programProblem } from "../../run/programs.ts";
import type { ExecPlan } from "../../jobs/pipeline/plan.ts";
import { unwrittenSections } from "../../jobs/review_loop/job_template.ts";
import { rolesUsed } from "../../jobs/review_loop/machine.ts";
import { formatTestCommand } from "../../jobs/test_command.ts";
import { lookAtSetups } from "./agent.ts";
import { hasCli } from "./agent_cli.ts";
import { type Finding, joinWorkers, missingProgram, type Obstacle } from "./finding.ts";
import { placeIn } from "./look_context.ts";
import { checkWorkdir } from "./machine.ts";
import type { Machine } from "./machine_look.ts";
import { type Needs, needsOfReview, needsOfSteps, type ReviewToLookAt, type StepsToLookAt } from "./needs.ts";
import { lookAtNotifications } from "./notifications.ts";
import { lookAtSandboxes, lookAtWholeSandbox } from "./sandbox.ts";

/** All that may be in the way of a review loop; in the order in which it is told. */
export async function lookAtReviewRun(
  review: ReviewToLookAt,
  machine: Machine,
  { place = [], unwritten = [] }: { readonly place?: readonly Finding[]; readonly unwritten?: readonly Finding[] } = {},
): Promise<readonly Obstacle[]> {
  const { workdir, shown, notifications, agents } = await lookAtNeeds(needsOfReview(review), machine);
  return [workdir, ...place, ...shown, ...notifications, ...unwritten, ...agents];
}

/** What is in the way of a pipeline run: its folder, programs, checks, and each agent CLI's login and sandbox. */
export async function lookAtSteps(steps: StepsToLookAt, machine: Machine): Promise<readonly Obstacle[]> {
  const { workdir, shown, notifications, agents } = await lookAtNeeds(needsOfSteps(steps), machine);
  return [...shown, ...notifications, workdir, ...agents];
}

interface ConfigToLookAt {
  readonly plan: ExecPlan;
  readonly loaded: LoadedSettings & { readonly job?: Job };
  /** Which agents' programs are looked for: where a step's is missing, the configuration may have been refused. */
  readonly programs: "all" | "of_roles" | "none";
}

/**
 * What a run would refuse although the configuration is right by itself, for commands that start nothing. A job that is
 * still to be written is a warning there.
 *
 * @throws {UsageError} when it has a cap that the review loop could not keep
 */
export async function lookAtConfig(
  { plan, loaded, programs }: ConfigToLookAt,
  machine: Machine,
): Promise<readonly Obstacle[]> {
  const steps = needsOfSteps({ plan, pipelines: Object.keys(plan.pipelines) });
  const checks = [
    ...(programs === "all" ? await lookAtPrograms(steps, machine) : []),
    ...lookAtCommands(steps, machine),
    ...lookAtNotifications(plan, machine),
  ];
  const { job, sources } = loaded;
  if (job === undefined) return checks;
  const review = toRunPlan({ ...loaded, job });
  const needs = needsOfReview({ plan: review, roles: rolesUsed(review.loop), sources });
  const found = await lookAtPrograms(needs, machine, { looksForThem: programs !== "none" });
  const toWrite = checkJob(job, { sources }).map((each) => ({ ...each, status: "warn" as const }));
  return [...checks, ...found, ...lookAtCommands(needs, machine), ...toWrite];
}

/** A job that nobody has written yet. */
export function checkJob(job: Job, { sources }: Pick<ReviewToLookAt, "sources">): readonly Finding[] {
  const sections = unwrittenSections(job);
  if (sections.length === 0) return [];
  const file = sources.get("prompt_file")?.value;
  const named = typeof file === "string" ? file : "its text";
  return [{
    check: "job",
    status: "fail",
    detail: `${named} is as "panewright init" writes it, below ${sections.join(" and ")}`,
    remedy: "Write there what to do, and how to tell that it is done.",
  }];
}

async function lookAtNeeds(needs: Needs, machine: Machine) {
  const [workdir, programs, agents] = await Promise.all([
    checkWorkdir(needs.workdir),
    lookAtPrograms(needs, machine),
    lookAtAgents(needs, machine),
  ]);
  const shown = [...programs, ...lookAtCommands(needs, machine)];
  return { workdir, shown, agents, notifications: lookAtNotifications(needs, machine) };
}

/** What shows of the agents without starting any: how they would be started, and whether their programs are there. */
async function lookAtPrograms(
  { workers, workdir, session }: Needs,
  machine: Machine,
  { looksForThem = true }: { readonly looksForThem?: boolean } = {},
): Promise<readonly Obstacle[]> {
  return joinWorkers(
    await Promise.all(workers.map(async (worker) => {
      const { name, provider, command, env, isInPane, launch } = worker;
      const status = session !== undefined && isInPane ? "warn" : "fail";
      try {
        await launch?.();
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
        const { message: detail, hint } = error;
        return {
          worker: name,
          found: { check: provider.label, status, detail, ...present({ remedy: hint }) },
        } as const;
      }
      const program = looksForThem ? command?.[0] ?? provider.cli?.program : undefined;
      const problem = program === undefined ? undefined : programProblem(program, placeIn(workdir, machine, env));
      if (problem === undefined) return { worker: name, found: undefined };
      return { worker: name, found: { ...missingProgram(provider, { command, problem }), status } } as const;
    })),
  );
}

/** What shows of the commands that check the work, without running them. */
function lookAtCommands({ commands, workdir }: Needs, machine: Machine): readonly Obstacle[] {
  return commands.flatMap(({ check, command, from, remedies }): Obstacle[] => {
    const problem = commandProblem(command, placeIn(workdir, machine));
    if (problem === undefined) return [];
    const detail = `${formatTestCommand(command)}${from} cannot be run: ${problem.message}`;
    return problem.mayCome
      ? [{ check, status: "warn", detail, remedy: remedies.mayCome }]
      : [{ check, status: "fail", detail, remedy: remedies.missing }];
  });
}

function sandboxLooks(
  sandbox: Needs["sandbox"],
  { agents, machine }: { readonly agents: Parameters<typeof lookAtSandboxes>[0]; readonly machine: Machine },
) {
  // Which one that is for `auto` depends on what is found.
  if (sandbox === undefined || sandbox.whole?.orCommands === true) return [];
  return [sandbox.whole === undefined ? lookAtSandboxes(agents, machine) : lookAtWholeSandbox(machine)];
}

/** What is in the way of agents whose programs are there; where a program is in place of a CLI, nothing is known. */
async function lookAtAgents(
  { workers, workdir, sandbox, session }: Needs,
  machine: Machine,
): Promise<readonly Obstacle[]> {
  const agents = workers.flatMap(({ provider, command, ...worker }) =>
    command === undefined && hasCli(provider) ? [{ ...worker, provider, workdir }] : []
  );
  const looks = [lookAtSetups(agents, machine), ...sandboxLooks(sandbox, { agents, machine })];
  const found = (await Promise.all(looks)).flat();
  return session === undefined ? found : found.map((each) => ({ ...each, status: "warn" }));
}
