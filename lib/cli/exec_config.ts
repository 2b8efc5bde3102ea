import { resolve } from "@std/path/posix";
import { toExecPlan } from "../config/exec_plan.ts";
import type { Problem } from "../config/layers.ts";
import { type LoadedSettings, loadSettings } from "../config/load.ts";
import { checkPipelines, type StepProgram } from "../config/pipeline_checks.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import type { CliIo } from "./console/command.ts";
import { findProgram } from "./doctor_checks.ts";
import { installedProviders } from "./installed_rules.ts";
import { packageVersion } from "./package_version.ts";

/** How the configuration of steps is read. */
export interface ExecConfigOptions {
  /** The config file; `panewright.jsonc` of the working directory, if it is there, where none is named. */
  readonly path?: string;
  readonly flags?: Readonly<Record<string, unknown>>;
  /** @default {true} whether there must be a pipeline */
  readonly pipelineNeeded?: boolean;
}

/** A valid configuration of steps. */
export interface ExecConfig {
  readonly plan: ExecPlan;
  /** Absolute; null where there is no config file. */
  readonly file: string | null;
  /** What was read. */
  readonly loaded: LoadedSettings;
}

/**
 * Reads and checks the configuration of steps.
 *
 * @param onWarning told what is not a mistake, but worth knowing; also when the configuration cannot be used
 * @throws {ConfigError} that lists everything that is wrong with it, each with its place
 */
export async function loadExecConfig(
  io: CliIo,
  options: ExecConfigOptions,
  onWarning: (warning: Problem) => void,
): Promise<ExecConfig> {
  const { path, flags = {}, pipelineNeeded = true } = options;
  const loaded = await loadSettings(
    {
      cwd: io.cwd,
      env: io.env,
      providers: await installedProviders(io),
      flags,
      ...(path === undefined ? {} : { path }),
    },
    (context) =>
      checkPipelines(context, {
        pipelineNeeded,
        findProgramProblem: (step) => programProblem(step, io),
        findProgramVersion: (step) => programVersion(step, io),
        onWarning,
      }),
  );
  return {
    plan: toExecPlan(loaded, { cwd: io.cwd }),
    file: loaded.file === undefined ? null : resolve(io.cwd, loaded.file),
    loaded,
  };
}

function programProblem(step: StepProgram, io: CliIo): string | undefined {
  const { program: name } = step;
  if (programFile(step, io) !== undefined) return undefined;
  return `cannot be run: there is no program "${name}"${name.includes("/") ? "" : " on PATH"}`;
}

function programVersion(step: StepProgram, io: CliIo): string | undefined {
  const { npmPackage } = step;
  const file = npmPackage === undefined ? undefined : programFile(step, io);
  return file === undefined || npmPackage === undefined ? undefined : packageVersion(file, npmPackage);
}

function programFile({ program, searchPath, workdir }: StepProgram, io: CliIo): string | undefined {
  return findProgram(program, { folder: workdir, searchPath: searchPath ?? io.env("PATH") ?? "" });
}
