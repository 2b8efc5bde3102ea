import type { AutonomyLevel } from "../../journal/exec/fields.ts";
import type { DialogPlan } from "../../turn/desk/decision.ts";
import type { StepOutput } from "../../journal/exec/state.ts";
import type { Driver } from "../../agents/driven_agent.ts";
import type { Provider } from "../../agents/provider.ts";
import type { AroundAgent, SandboxRequest } from "../../agents/launch_plan.ts";
import { agentsOf } from "../fallback.ts";
import type { SandboxPlan } from "../whole_sandbox.ts";
import type { Caps } from "../../run/caps.ts";
import type { RunPlan } from "../../run/plan.ts";
import type { TestCommand } from "../test_command.ts";
import type { Next, OnlyIf } from "../flow.ts";
import type { HandoffSettings } from "../../turn/settings.ts";
import type { ExecSettings } from "./settings.ts";

export interface ExecPlan extends RunPlan, DialogPlan {
  readonly pipelines: Readonly<Record<string, readonly StepPlan[]>>;
  readonly defaultPipeline: string | undefined;
  readonly settings: ExecSettings;
  /** What steps of the same task said and did that were runs of their own. @default {[]} */
  readonly earlier?: readonly StepOutput[];
  /** With how failures that pass are dealt with. @default {{ maxErrorRetries: 0 }} */
  readonly handoff:
    & DialogPlan["handoff"]
    & Partial<Pick<HandoffSettings, "maxErrorRetries" | "errorRetrySeconds" | "stallMinutes">>;
  /** What the sandbox of each agent's CLI is asked for; missing where agents start as their CLI's settings say. */
  readonly sandbox?: SandboxPlan;
  /** The sandbox that is open around the project's commands, while the run is executed. */
  readonly sandboxOfCommands?: AroundAgent;
}

interface PromptFile {
  readonly kind: "file";
  readonly path: string;
  readonly text?: string;
}

/** An agent of a step as the configuration has it: how it is started. */
export interface StepAgent {
  readonly provider: Provider;
  /** What its login is called, where that is not its provider's usual one. */
  readonly login?: string;
  /** What drives its agent. @default what its provider offers for a step */
  readonly driver?: Driver;
  readonly command?: readonly [string, ...string[]];
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly model?: string;
  /** Where it is not that of the plan. */
  readonly sandbox?: SandboxRequest;
}

export interface StepPlan extends StepAgent {
  readonly name: string;
  /** The task's own text, or the absolute path of a file with the step's prompt. */
  readonly prompt: { readonly kind: "self" } | PromptFile;
  /** Who may take the place of its agent. @default {[]} */
  readonly fallbacks?: readonly StepAgent[];
  /** The agents of the attempts of its task, in turn. @default its own is that of each */
  readonly attempts?: readonly (StepAgent & Pick<StepPlan, "fallbacks">)[];
  /** What must hold after the step, in this order. */
  readonly checks: readonly CheckPlan[];
  readonly retry: number;
  readonly next?: Next;
  /** As in {@linkcode FlowStep}. */
  readonly needs?: readonly string[];
  /** As in {@linkcode FlowStep}. */
  readonly onlyIf?: OnlyIf;
  readonly allowWrite?: readonly string[];
  readonly autonomyLevel?: AutonomyLevel;
  readonly caps?: Caps;
  readonly timeLimitSeconds: number;
}

/** The agents of all steps, with those that may take their places. */
export function plannedAgents({ pipelines }: Pick<ExecPlan, "pipelines">): readonly StepAgent[] {
  return Object.values(pipelines).flat().flatMap(agentsOfStep);
}

/** A step's own agent, those of attempts, and those that may take their places. */
export function agentsOfStep(step: StepPlan): readonly StepAgent[] {
  return [step, ...step.attempts ?? []].flatMap((agent) => agentsOf<StepAgent>(agent));
}

export type CheckPlan =
  | { readonly type: "none" }
  | { readonly type: "review" }
  /** What passes must hold where no agent has worked. */
  | { readonly type: "evidence" }
  /** All of these files must be there; relative paths start from the working directory. */
  | { readonly type: "fileExists"; readonly paths: readonly string[] }
  | {
    readonly type: "shell";
    readonly command: TestCommand;
    readonly expect: "pass" | "fail";
    readonly timeLimitSeconds: number;
  };
