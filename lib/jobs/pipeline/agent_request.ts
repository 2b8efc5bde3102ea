import type { SandboxRequest } from "../../agents/launch_plan.ts";
import type { AttemptRequest } from "../../agents/process/seam.ts";
import type { SpoolPlace } from "../../agents/spool.ts";
import { realPathSnapshot } from "../../base/ports/real_path.ts";
import type { ExecPlan, StepPlan } from "./plan.ts";
import { readText } from "./read_text.ts";
import { foldersOf } from "./write_globs.ts";
import { present } from "../../base/schema.ts";

interface AttemptFolders {
  /** Absolute folder of the attempt. */
  readonly folder: string;
  /** Absolute folder of the launchers of the ask commands. */
  readonly launcherFolder: string;
  /** Where the CLI's hooks tell what they do, and ask; without it there are none. */
  readonly hooks?: SpoolPlace;
}

export type AgentRequest = Omit<
  AttemptRequest,
  "signal" | "clock" | "onForcedExit" | "onProgress" | "onLeft" | "resumeSessionId"
>;

export function agentRequest(
  step: StepPlan,
  { plan, prompt, folder, launcherFolder, hooks }: AttemptFolders & {
    readonly plan: ExecPlan;
    readonly prompt: string;
  },
): AgentRequest {
  const { provider, driver, args, env, timeLimitSeconds, model, command } = step;
  const { workdir, settings } = plan;
  const sandbox = step.sandbox ?? (plan.sandbox?.whole === undefined ? plan.sandbox : NOT_OPEN);
  const channelFolder = channelFolderOf(folder);
  const within = sandbox && foldersWithin(step, workdir);
  return {
    provider,
    workdir,
    prompt,
    args,
    env,
    stepFolder: folder,
    ask: {
      commands: settings.askCommands,
      channelFolder,
      launcherFolder,
      ...present({ hooks }),
    },
    timeLimitSeconds,
    ...present({ stallMinutes: plan.handoff.stallMinutes }),
    ...(sandbox === undefined
      ? {}
      : { sandbox: within === undefined ? sandbox : { ...sandbox, within: [channelFolder, ...within] } }),
    ...present({ driver, model, command }),
  };
}

/** How an agent would be started in a sandbox around it: until that is open, it is not. */
const NOT_OPEN: SandboxRequest = {
  writable: [],
  around: { confine: () => Promise.reject(new TypeError("Cannot start the agent: its sandbox is not open")) },
};

/** Where the agent of an attempt leaves its questions, by the attempt's folder. */
export function channelFolderOf(folder: string): string {
  return `${folder}/ask`;
}

/**
 * The folders that a step may write to; `undefined` where that may be all of the working directory, or one of them is
 * not there: its agent could not make it.
 */
function foldersWithin({ allowWrite }: StepPlan, workdir: string): readonly string[] | undefined {
  const names = allowWrite && foldersOf(allowWrite);
  const realPath = realPathSnapshot();
  const isOwnFolder = (name: string) => {
    const real = realPath(`${workdir}/${name}`);
    return real === `${realPath(workdir)}/${name}` && isFolder(real);
  };
  return names?.every(isOwnFolder) ? names.map((name) => `${workdir}/${name}`) : undefined;
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

export function stepTextOf({ prompt }: Pick<StepPlan, "prompt">): string | undefined {
  return prompt.kind === "self" ? undefined : prompt.text ?? readText(prompt.path);
}
