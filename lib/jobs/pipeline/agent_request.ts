import type { HeadlessRequest } from "../../providers/headless.ts";
import type { ExecPlan, StepPlan } from "./plan.ts";
import { readText } from "./read_text.ts";

/** Where an attempt keeps what it needs. */
export interface AttemptFolders {
  /** Absolute folder of the attempt. */
  readonly folder: string;
  /** Absolute folder of the launchers of the ask commands. */
  readonly launcherFolder: string;
  /** Absolute folder for what the CLI's hooks tell; without it there are none. */
  readonly hookFolder?: string;
}

/** What an agent is started with that the configuration decides. */
export type AgentRequest = Omit<
  HeadlessRequest,
  "signal" | "clock" | "onForcedExit" | "onProgress" | "resumeSessionId"
>;

/** What the agent of a step is started with. */
export function agentRequest(
  step: StepPlan,
  { plan, prompt, folder, launcherFolder, hookFolder }: AttemptFolders & {
    readonly plan: ExecPlan;
    readonly prompt: string;
  },
): AgentRequest {
  const { provider, args, env, timeLimitSeconds, model, command } = step;
  const { workdir, settings, sandbox } = plan;
  return {
    provider,
    workdir,
    prompt,
    args,
    env,
    stepFolder: folder,
    ask: {
      commands: settings.askCommands,
      channelFolder: `${folder}/ask`,
      launcherFolder,
      ...(hookFolder === undefined ? {} : { hookFolder }),
    },
    timeLimitSeconds,
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(model === undefined ? {} : { model }),
    ...(command === undefined ? {} : { command }),
  };
}

/**
 * The text of a step's prompt file; undefined where the step's prompt is the task itself.
 *
 * @throws {UsageError} when it cannot be read
 */
export function stepTextOf({ prompt }: Pick<StepPlan, "prompt">): string | undefined {
  return prompt.kind === "self" ? undefined : prompt.text ?? readText(prompt.path);
}
