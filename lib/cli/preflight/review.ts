import type { Job } from "../../journal/loop/fields.ts";
import type { LoadedSettings } from "../../config/load.ts";
import { describeSource } from "../../config/source.ts";
import { UsageError } from "../../base/errors.ts";
import { commandProblem, programProblem } from "../../jobs/programs.ts";
import { unwrittenSections } from "../../jobs/review_loop/job_template.ts";
import type { ReviewRunPlan } from "../../jobs/review_loop/plan.ts";
import { formatTestCommand } from "../../jobs/test_command.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import { argvOf } from "../../agents/launch_of.ts";
import type { Role } from "../../base/roles.ts";
import { lookAtSetups } from "./agent.ts";
import { agentOf } from "./agent_cli.ts";
import { type Finding, joinWorkers, missingProgram, type Obstacle } from "./finding.ts";
import type { LookContext } from "./look_context.ts";
import { checkWorkdir } from "./machine.ts";
import { lookAtNotifications } from "./notifications.ts";
import { lookAtSandboxes } from "./sandbox.ts";
import { present } from "../../base/schema.ts";

/** What of a review loop is looked at. */
interface ReviewToLookAt {
  readonly plan: ReviewRunPlan;
  /** Those whose agents are to be started. */
  readonly roles: readonly Role[];
  /** Where values came from, for messages. */
  readonly sources: LoadedSettings["sources"];
  /** @default {true} whether the agents' programs are looked for */
  readonly programs?: boolean;
}

/** What shows without running anything that the configuration names: the agents' programs and the test command. */
export async function lookAtReview(review: ReviewToLookAt, context: LookContext): Promise<readonly Obstacle[]> {
  const { roles } = review;
  const agents = await Promise.all(
    roles.map(async (role) => ({ worker: role, found: await lookAtLaunch(role, review, context) })),
  );
  return [...joinWorkers(agents), ...checkTestCommand(review, context)];
}

/** What is wrong with how a role's agent would be started. */
async function lookAtLaunch(
  role: Role,
  { plan: { agents, tmux, workdir }, programs = true }: ReviewToLookAt,
  context: LookContext,
): Promise<Obstacle | undefined> {
  const { provider, driver = roleDriverOf({ provider }), ...request } = agents[role];
  const check = provider.label;
  // A session that is there already has an environment of its own.
  const status = tmux.session === undefined || driver !== "pane" ? "fail" : "warn";
  try {
    await argvOf(driver, { ...request, provider, name: role, workdir });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { message: detail, hint } = error;
    return { check, status: "fail", detail, ...present({ remedy: hint }) };
  }
  const program = programs ? request.command?.[0] ?? provider.cli?.program : undefined;
  const searchPath = request.env?.["PATH"] ?? context.env("PATH") ?? "";
  const problem = program === undefined ? undefined : programProblem(program, { folder: workdir, searchPath });
  if (problem === undefined) return undefined;
  return { ...missingProgram(provider, { command: request.command, problem }), status };
}

/** The project's test command, as far as it shows without running it. */
function checkTestCommand(
  { plan: { loop: { projectTestCmd: command }, workdir }, sources }: ReviewToLookAt,
  { env }: Pick<LookContext, "env">,
): readonly Finding[] {
  if (command === undefined) return [];
  const problem = commandProblem(command, { folder: workdir, searchPath: env("PATH") ?? "" });
  if (problem === undefined) return [];
  const source = sources.get("project_test_cmd");
  const where = source === undefined ? "" : ` (${describeSource(source)})`;
  return [{
    check: "test command",
    status: problem.mayCome ? "warn" : "fail",
    detail: `${formatTestCommand(command)}${where} cannot be run: ${problem.message}`,
    remedy: problem.mayCome
      ? "The run stops there if it is not written by then."
      : "Correct project_test_cmd, or install the program.",
  }];
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

/** All that may be in the way of a run; in the order in which it is told. */
export async function lookAtReviewRun(
  review: ReviewToLookAt,
  context: LookContext,
  { place = [], unwritten = [] }: { readonly place?: readonly Finding[]; readonly unwritten?: readonly Finding[] } = {},
): Promise<readonly Obstacle[]> {
  const { plan } = review;
  const found = await Promise.all([
    checkWorkdir(plan.workdir),
    place,
    lookAtReview(review, context),
    lookAtNotifications(plan, context),
    unwritten,
    lookAtAgents(review, context),
  ]);
  return found.flat();
}

/** What is in the way of agents whose programs are there. */
async function lookAtAgents(
  { plan: { agents, workdir, tmux, sandbox }, roles }: Pick<ReviewToLookAt, "plan" | "roles">,
  context: LookContext,
): Promise<readonly Obstacle[]> {
  const looked = roles.flatMap((role) =>
    agentOf(agents[role], { workdir, asksPerson: roleDriverOf(agents[role]) !== "process" })
  );
  const looks = [lookAtSetups(looked, context), ...(sandbox === undefined ? [] : [lookAtSandboxes(looked, context)])];
  const found = (await Promise.all(looks)).flat();
  // A session that is there already has an environment of its own: what ours lacks may be there.
  return tmux.session === undefined ? found : found.map((each) => ({ ...each, status: "warn" }));
}
