import { resolve } from "@std/path/posix";
import type { CheckPlan, ExecPlan, StepPlan } from "../jobs/pipeline/plan.ts";
import { HANDOFF_SETTINGS } from "../turn/settings.ts";
import { CAP_SETTINGS } from "../run/caps.ts";
import { REPETITION_SETTINGS } from "../run/no_progress.ts";
import { EXEC_SETTINGS } from "../jobs/pipeline/settings.ts";
import { findStepProvider } from "../agents/mod.ts";
import { present } from "../base/schema.ts";
import type { LoadedSettings } from "./load.ts";
import type { CheckConfig, StepConfig } from "./pipeline_schema.ts";
import { capsIn, pricesIn } from "./shapes.ts";
import { notificationsIn, permissionPlan, sandboxIn, settingsIn } from "./plan.ts";

/**
 * The plan for `panewright exec` that a configuration describes.
 *
 * @param cwd what the config file's own path starts from
 */
export function toExecPlan(loaded: LoadedSettings, { cwd }: { readonly cwd: string }): ExecPlan {
  const { config, file, workdir } = loaded;
  const folder = file === undefined ? cwd : resolve(cwd, file, "..");
  return {
    workdir,
    pipelines: Object.fromEntries(
      Object.entries(config.pipelines).map(([name, steps]) => {
        return [name, steps.map((step) => stepPlan(step, { loaded, folder }))];
      }),
    ),
    defaultPipeline: config.default_pipeline,
    settings: settingsIn(config, EXEC_SETTINGS),
    handoff: settingsIn(config, HANDOFF_SETTINGS),
    permissions: permissionPlan(config),
    caps: settingsIn(config, CAP_SETTINGS),
    noProgress: settingsIn(config, REPETITION_SETTINGS),
    ...pricesIn(config.prices),
    ...sandboxIn(config),
    ...notificationsIn(config),
  };
}

/** A step's own entry takes precedence over its provider's; the variables of both are merged. */
function stepPlan(step: StepConfig, { loaded, folder }: { loaded: LoadedSettings; folder: string }): StepPlan {
  const { config, providers } = loaded;
  const provider = step.provider ?? config.provider;
  const common = config.providers[provider] ?? {};
  const profile = common.profile === undefined ? [] : ["--profile", common.profile];
  return {
    name: step.name,
    prompt: step.prompt === "self" ? { kind: "self" } : promptFile(resolve(folder, step.prompt), loaded),
    provider: findStepProvider(provider, providers),
    args: step.args ?? [...profile, ...common.args ?? []],
    env: { ...common.env, ...step.env },
    checks: [step.check].flat().map(checkPlan),
    retry: step.retry,
    timeLimitSeconds: step.time_limit_seconds,
    ...capsIn(step.limits),
    ...present({
      command: step.command ?? common.command,
      model: step.model ?? common.model,
      allowWrite: step.file_access?.allow_write,
      autonomyLevel: step.autonomy_level,
      next: step.next && present(step.next),
    }),
  };
}

function promptFile(path: string, { files }: LoadedSettings): StepPlan["prompt"] {
  return { kind: "file", path, ...present({ text: files.get(path)?.text }) };
}

function checkPlan(check: CheckConfig): CheckPlan {
  if (check.type === "fileExists") return { type: "fileExists", paths: [check.path].flat() };
  if (check.type === "none" || check.type === "review") return check;
  const { time_limit_seconds: timeLimitSeconds, ...shell } = check;
  return { ...shell, timeLimitSeconds };
}
