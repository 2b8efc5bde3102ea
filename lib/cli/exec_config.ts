import { resolve } from "@std/path/posix";
import { toExecPlan } from "../config/exec_plan.ts";
import type { Problem } from "../config/layers.ts";
import { type LoadedSettings, loadSettings } from "../config/load.ts";
import { checkPipelines, type StepProgram } from "../config/pipeline_checks.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import { withBuiltInPipeline } from "./built_in_pipeline.ts";
import { UsageError } from "../errors.ts";
import type { ProviderId } from "../providers/provider.ts";
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
  /** For a task that needs no pipeline of the configuration: what the built-in one checks. @default there is none */
  readonly builtIn?: BuiltInCheck | undefined;
}

/** The command that must pass after the step of the built-in pipeline. */
export interface BuiltInCheck {
  /** @default the project's test command */
  readonly check?: string | undefined;
  /** Whether the person has named it now; otherwise it comes from the project, or from a journal. */
  readonly isOwn: boolean;
}

/** A valid configuration of steps. */
export interface ExecConfig {
  readonly plan: ExecPlan;
  /** Absolute; null where there is no config file. */
  readonly file: string | null;
  /** What was read. */
  readonly loaded: LoadedSettings;
  /** The check of the built-in pipeline, where that is used. */
  readonly builtIn?: BuiltIn;
}

/** The built-in pipeline of one step. */
export interface BuiltIn {
  /** Who carries it out. */
  readonly provider: ProviderId;
  /** The command of its check, for `sh -c`. */
  readonly check: string;
  /** Whether the person has named the command now. */
  readonly isOwn: boolean;
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
  const { path, flags = {}, builtIn, pipelineNeeded = builtIn === undefined } = options;
  const findProgramProblem = (step: StepProgram) => programProblem(step, io);
  const given = await loadSettings(
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
        findProgramProblem,
        findProgramVersion: (step) => programVersion(step, io),
        onWarning,
      }),
  );
  const isBuiltIn = builtIn !== undefined && Object.keys(given.config.pipelines).length === 0;
  if (builtIn?.isOwn === true && !isBuiltIn) {
    throw new UsageError(`Cannot use --check: ${given.file} has pipelines, and their steps have checks`);
  }
  const made = isBuiltIn ? withBuiltInPipeline(given, { check: builtIn.check, findProgramProblem }) : undefined;
  const loaded = made?.loaded ?? given;
  return {
    ...(made === undefined ? {} : { builtIn: { ...made.builtIn, isOwn: builtIn?.isOwn === true } }),
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
