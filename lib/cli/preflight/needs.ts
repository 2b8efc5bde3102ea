import type { LoadedSettings } from "../../config/load.ts";
import { describeSource } from "../../config/source.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import { argvOf } from "../../agents/launch_of.ts";
import type { Provider } from "../../agents/provider.ts";
import type { Role } from "../../base/roles.ts";
import type { ExecPlan } from "../../jobs/pipeline/plan.ts";
import { agentsOf, workerNameOf } from "../../jobs/fallback.ts";
import { agentsOfStep } from "../../jobs/pipeline/plan.ts";
import { agentOf, allAgentsOf } from "../../jobs/review_loop/plan.ts";
import type { ReviewRunPlan } from "../../jobs/review_loop/plan.ts";
import type { SandboxPlan } from "../../jobs/whole_sandbox.ts";
import type { TestCommand } from "../../jobs/test_command.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import type { AgentToLookAt } from "./agent_cli.ts";

/** What a run would use of this machine, whatever its job. */
export interface Needs {
  readonly workdir: string;
  readonly notifications?: NotificationPlan;
  readonly sandbox?: SandboxPlan;
  /** The person's own session of tmux, which has an environment of its own: what ours lacks may be there. */
  readonly session?: string | undefined;
  readonly workers: readonly Worker[];
  readonly commands: readonly NeededCommand[];
}

interface Worker extends Pick<AgentToLookAt, "args" | "env" | "profile" | "asksPerson"> {
  readonly name: string;
  readonly provider: Provider;
  readonly command?: readonly string[];
  readonly isInPane: boolean;
  /** @throws {UsageError} where it could not be started so */
  readonly launch?: () => Promise<unknown>;
}

interface NeededCommand {
  readonly check: string;
  readonly command: TestCommand;
  /** The place that it is from, as ` (panewright.jsonc:3)`; empty where that is plain. */
  readonly from: string;
  /** What to do where it may be written by then, and where not. */
  readonly remedies: { readonly mayCome: string; readonly missing: string };
}

export interface ReviewToLookAt {
  readonly plan: ReviewRunPlan;
  readonly roles: readonly Role[];
  readonly sources: LoadedSettings["sources"];
}

export function needsOfReview({ plan, roles, sources }: ReviewToLookAt): Needs {
  const { workdir, tmux: { session }, loop: { projectTestCmd: command } } = plan;
  const source = sources.get("project_test_cmd");
  const remedies = {
    mayCome: "The run stops there if it is not written by then.",
    missing: "Correct project_test_cmd, or install the program.",
  };
  return {
    ...plan,
    session,
    workers: roles.flatMap((role) => {
      const own = agentOf(plan, role);
      const { length } = agentsOf(own);
      return allAgentsOf(own).map((agent, index) => {
        const driver = roleDriverOf(agent);
        const name = index < length ? workerNameOf(role, index) : `${role}#${index - length + 1}`;
        const launch = () => argvOf(driver, { ...agent, name: role, workdir });
        return { ...agent, name, isInPane: driver === "pane", asksPerson: driver !== "process", launch };
      });
    }),
    commands: command === undefined ? [] : [{
      ...{ check: "test command", command, remedies },
      from: source === undefined ? "" : ` (${describeSource(source)})`,
    }],
  };
}

export interface StepsToLookAt {
  readonly plan: ExecPlan;
  readonly pipelines: readonly string[];
}

export function needsOfSteps({ plan, pipelines }: StepsToLookAt): Needs {
  const steps = pipelines.filter((name) => Object.hasOwn(plan.pipelines, name))
    .flatMap((of) => (plan.pipelines[of] ?? []).map((step) => ({ ...step, name: `${of}/${step.name}` })));
  const remedies = {
    mayCome: "The step fails if it is not written by then.",
    missing: "Correct it, or install the program.",
  };
  return {
    ...plan,
    workers: steps.flatMap((step) =>
      agentsOfStep(step).map((agent, index) => (
        { ...agent, name: workerNameOf(step.name, index), isInPane: false, asksPerson: false }
      ))
    ),
    commands: steps.flatMap(({ name, checks }) =>
      checks.flatMap((each) =>
        each.type === "shell" ? [{ check: `check of ${name}`, command: each.command, from: "", remedies }] : []
      )
    ),
  };
}
