import { resolve } from "@std/path/posix";
import type { CheckPlan, ExecPlan, StepPlan } from "../jobs/pipeline/plan.ts";
import { EXEC_SETTINGS } from "../jobs/pipeline/settings.ts";
import { findStepProvider } from "../providers/mod.ts";
import type { LoadedSettings } from "./load.ts";
import type { CheckConfig, StepConfig } from "./pipeline_schema.ts";
import { notificationsIn, settingsIn } from "./plan.ts";

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
      Object.entries(config.pipelines).map((
        [name, steps],
      ) => [name, steps.map((step) => stepPlan(step, { loaded, folder }))]),
    ),
    defaultPipeline: config.default_pipeline,
    settings: settingsIn(config, EXEC_SETTINGS),
    ...notificationsIn(config),
  };
}

/** A step's own entry takes precedence over its provider's; the variables of both are merged. */
function stepPlan(
  step: StepConfig,
  { loaded: { config, providers }, folder }: { readonly loaded: LoadedSettings; readonly folder: string },
): StepPlan {
  const provider = step.provider ?? config.provider;
  const common = config.providers[provider] ?? {};
  const command = step.command ?? common.command;
  const model = step.model ?? common.model;
  const profile = step.args === undefined && common.profile !== undefined ? ["--profile", common.profile] : [];
  return {
    name: step.name,
    prompt: step.prompt === "self" ? { kind: "self" } : { kind: "file", path: resolve(folder, step.prompt) },
    provider: findStepProvider(provider, providers),
    args: step.args ?? [...profile, ...common.args ?? []],
    env: { ...common.env, ...step.env },
    checks: [step.check].flat().map(checkPlan),
    retry: step.retry,
    timeLimitSeconds: step.time_limit_seconds,
    ...(command === undefined ? {} : { command }),
    ...(model === undefined ? {} : { model }),
    ...(step.file_access === undefined ? {} : { allowWrite: step.file_access.allow_write }),
    ...(step.autonomy_level === undefined ? {} : { autonomyLevel: step.autonomy_level }),
  };
}

function checkPlan(check: CheckConfig): CheckPlan {
  switch (check.type) {
    case "none":
      return check;
    case "fileExists":
      return { type: "fileExists", paths: [check.path].flat() };
    case "shell":
      return {
        type: "shell",
        command: check.command,
        expect: check.expect,
        timeLimitSeconds: check.time_limit_seconds,
      };
  }
}
