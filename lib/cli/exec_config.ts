import type { ExecOverrides, Review } from "../journal/exec/fields.ts";
import type { Job } from "../journal/loop/fields.ts";
import { resolve } from "@std/path/posix";
import { toExecPlan } from "../config/exec_plan.ts";
import type { Problem } from "../config/layers.ts";
import { loadAnyConfig, type LoadedSettings, loadSettings } from "../config/load.ts";
import { checkPipelines, type StepProgram } from "../config/pipeline_checks.ts";
import type { ExecPlan } from "../jobs/pipeline/plan.ts";
import { type BuiltIn, withBuiltInPipeline } from "./built_in_pipeline.ts";
import { UsageError } from "../base/errors.ts";
import type { CliIo } from "./console/command.ts";
import { findProgram, type ProgramPlace, programProblem } from "../run/programs.ts";
import { configSource } from "./environment.ts";
import { packageVersion } from "./package_version.ts";

export interface ExecConfigOptions {
  readonly path?: string;
  readonly flags?: Readonly<Record<string, unknown>>;
  /** @default {true} whether there must be a pipeline */
  readonly pipelineNeeded?: boolean;
  /** Whether the job of a review loop is read, too; without a pipeline there must be one. @default {false} */
  readonly withJob?: boolean;
  /** As in `PipelineCheckOptions`. @default {true} */
  readonly programsNeeded?: boolean;
  /** For a task that needs no pipeline of the configuration: what the built-in one checks. @default there is none */
  readonly builtIn?: BuiltInCheck | undefined;
}

interface BuiltInCheck {
  /** @default the project's test command */
  readonly check?: string | undefined;
  /** As the run has begun that is resumed. @default what the settings say */
  readonly review?: Review;
  /** Whether there need be none where the project has no tests. @default {false} */
  readonly mayBeUnchecked?: boolean;
  /** Whether it takes the place of pipelines that are configured. @default {false} */
  readonly isForRoles?: boolean;
  /** Whether the person has named it now; otherwise it comes from the project, or from a journal. */
  readonly isOwn: boolean;
}

export interface ExecConfig {
  readonly plan: ExecPlan;
  /** Absolute; null where there is no config file. */
  readonly file: string | null;
  readonly loaded: LoadedSettings & { readonly job?: Job };
  readonly builtIn?: BuiltIn & Pick<BuiltInCheck, "isOwn">;
}

/**
 * @param onWarning told what is not a mistake, but worth knowing; also when the configuration cannot be used
 * @throws {ConfigError} that lists everything that is wrong with it, each with its place
 */
export async function loadExecConfig(
  io: CliIo,
  options: ExecConfigOptions,
  onWarning: (warning: Problem) => void,
): Promise<ExecConfig> {
  const { path, flags = {}, builtIn, withJob = false, programsNeeded = true } = options;
  const { pipelineNeeded = builtIn === undefined && !withJob } = options;
  const findProgramProblem = (step: StepProgram) => stepProgramProblem(step, io);
  const given = await (withJob ? loadAnyConfig : loadSettings)(
    await configSource(io, { onWarning, flags, path }),
    (context) =>
      checkPipelines(context, {
        pipelineNeeded,
        findProgramProblem,
        programsNeeded,
        findProgramVersion: (step) => programVersion(step, io),
        onWarning,
      }),
  );
  const isBuiltIn = builtIn !== undefined &&
    (builtIn.isForRoles === true || Object.keys(given.config.pipelines).length === 0);
  if (builtIn?.isOwn === true && !isBuiltIn) {
    throw new UsageError(`Cannot use --check: ${given.file} has pipelines, and their steps have checks`);
  }
  const made = isBuiltIn ? withBuiltInPipeline(given, { ...builtIn, findProgramProblem }) : undefined;
  const loaded = made?.loaded ?? given;
  return {
    ...(made === undefined ? {} : { builtIn: { ...made.builtIn, isOwn: builtIn?.isOwn === true } }),
    plan: toExecPlan(loaded, { cwd: io.cwd }),
    file: loaded.file === undefined ? null : resolve(io.cwd, loaded.file),
    loaded,
  };
}

/** What the agent does, or a person to the configuration, could change these: a run that is resumed keeps its own. */
export function keptOf({ builtIn }: ExecConfig): Pick<ExecOverrides, "provider" | "check" | "review"> {
  if (builtIn === undefined) return {};
  const { check, provider, review } = builtIn;
  return { check, provider, review };
}

function stepProgramProblem(step: StepProgram, io: CliIo): string | undefined {
  const problem = programProblem(step.program, placeOf(step, io));
  return problem === undefined ? undefined : `cannot be run: ${problem}`;
}

function programVersion(step: StepProgram, io: CliIo): string | undefined {
  const { npmPackage } = step;
  const file = npmPackage === undefined ? undefined : findProgram(step.program, placeOf(step, io));
  return file === undefined || npmPackage === undefined ? undefined : packageVersion(file, npmPackage);
}

function placeOf({ searchPath, workdir }: StepProgram, io: CliIo): ProgramPlace {
  return { folder: workdir, searchPath: searchPath ?? io.env("PATH") ?? "" };
}
