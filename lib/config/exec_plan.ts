import { resolve } from "@std/path/posix";
import type { CheckPlan, ExecPlan, StepPlan } from "../jobs/pipeline/plan.ts";
import type { AutonomyLevel } from "../jobs/pipeline/settings.ts";
import { findStepProvider } from "../providers/mod.ts";
import type { LoadedSettings } from "./load.ts";
import type { CheckConfig, StepConfig } from "./pipeline_schema.ts";

/**
 * What a configuration comes down to for `panewright exec`.
 *
 * @param cwd what the config file's own path starts from
 */
export function toExecPlan(loaded: LoadedSettings, { cwd }: { readonly cwd: string }): ExecPlan {
  const { config, file, workdir } = loaded;
  const folder = file === undefined ? cwd : resolve(cwd, file, "..");
  const { exec, notifications } = config;
  return {
    workdir,
    pipelines: Object.fromEntries(
      Object.entries(config.pipelines).map((
        [name, steps],
      ) => [name, steps.map((step) => stepPlan(step, { loaded, folder }))]),
    ),
    defaultPipeline: config.default_pipeline,
    settings: {
      autonomyLevel: config.autonomy_level as AutonomyLevel,
      resume: exec.resume,
      askCommands: exec.ask_commands,
      maxQuestionsPerStep: exec.max_questions_per_step,
      atLevel0: exec.at_level_0,
      answerTimeoutSeconds: exec.answer_timeout_seconds,
      defaultAnswer: exec.default_answer,
      waitForUsageLimitReset: exec.wait_for_usage_limit_reset,
      writesOutside: exec.writes_outside,
    },
    ...(notifications.ntfy_topic === undefined
      ? {}
      : { notifications: { url: notifications.ntfy_url, topic: notifications.ntfy_topic } }),
  };
}

/** A step's own entry goes before its provider's; variables of both are put together. */
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
    ...(step.autonomy_level === undefined ? {} : { autonomyLevel: step.autonomy_level as AutonomyLevel }),
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
