import { resolve } from "@std/path/posix";
import type { CheckPlan, ExecPlan, StepPlan } from "../jobs/pipeline/plan.ts";
import { REPETITION_SETTINGS } from "../run/no_progress.ts";
import { EXEC_SETTINGS } from "../jobs/pipeline/settings.ts";
import { present } from "../base/schema.ts";
import { inOrder } from "../jobs/flow.ts";
import type { LoadedSettings } from "./load.ts";
import type { CheckConfig, StepConfig } from "./pipeline_schema.ts";
import { attemptAgents, stepAgent } from "./agent_plans.ts";
import { commonPlan } from "./common_plan.ts";
import { settingsIn } from "./settings_in.ts";

export function toExecPlan(loaded: LoadedSettings, { cwd }: { readonly cwd: string }): ExecPlan {
  const { config, file } = loaded;
  const folder = file === undefined ? cwd : resolve(cwd, file, "..");
  const checks = Object.values(config.pipelines).flat().flatMap(({ check }) => [check].flat());
  const commands = checks.flatMap((check) => check.type === "shell" ? [check.command] : []);
  return {
    ...commonPlan(loaded, { commands }),
    pipelines: Object.fromEntries(
      Object.entries(config.pipelines).map(([name, steps]) => {
        return [name, inOrder(steps.map((step) => stepPlan(step, { loaded, folder })))];
      }),
    ),
    defaultPipeline: config.default_pipeline,
    settings: settingsIn(config, EXEC_SETTINGS),
    noProgress: settingsIn(config, REPETITION_SETTINGS),
  };
}

function stepPlan(step: StepConfig, { loaded, folder }: { loaded: LoadedSettings; folder: string }): StepPlan {
  return {
    ...stepAgent(step, loaded),
    name: step.name,
    prompt: step.prompt === "self" ? { kind: "self" } : promptFile(resolve(folder, step.prompt), loaded),
    checks: [step.check].flat().map(checkPlan),
    retry: step.retry,
    timeLimitSeconds: step.time_limit_seconds,
    ...present({
      attempts: attemptAgents(step, loaded),
      allowWrite: step.file_access?.allow_write,
      autonomyLevel: step.autonomy_level,
      needs: step.needs,
      onlyIf: step.only_if && present({
        failedAttempts: step.only_if.failed_attempts,
        changedLines: step.only_if.changed_lines,
      }),
      next: step.next && present(step.next),
    }),
  };
}

function promptFile(path: string, { files }: LoadedSettings): StepPlan["prompt"] {
  return { kind: "file", path, ...present({ text: files.get(path)?.text }) };
}

function checkPlan(check: CheckConfig): CheckPlan {
  if (check.type === "fileExists") return { type: "fileExists", paths: [check.path].flat() };
  if (check.type === "none" || check.type === "review" || check.type === "evidence") return check;
  const { time_limit_seconds: timeLimitSeconds, ...shell } = check;
  return { ...shell, timeLimitSeconds };
}
