import type { LoadedSettings } from "../config/load.ts";
import type { StepProgram } from "../config/pipeline_checks.ts";
import type { CheckConfig, StepConfig } from "../config/pipeline_schema.ts";
import { UsageError } from "../base/errors.ts";
import { formatTestCommand } from "../jobs/test_command.ts";
import { settingsIn } from "../config/settings_in.ts";
import type { Review } from "../journal/exec/fields.ts";
import { DEFAULT_STEP_TIME_LIMIT_SECONDS, EXEC_SETTINGS } from "../jobs/pipeline/settings.ts";
import type { Provider, ProviderId } from "../agents/provider.ts";
import { isRepository } from "./init/git_ignore.ts";
import { findTestCommand, testCommandsIn } from "./find_test_command.ts";

interface BuiltInOptions {
  readonly check?: string | undefined;
  /** As the run has begun that is resumed. @default what the settings say */
  readonly review?: Review | undefined;
  /** Whether there need be no check where the project has no tests. @default {false} */
  readonly mayBeUnchecked?: boolean | undefined;
  /** Whether it is for what the roles of a review loop have made, by their own test command. @default {false} */
  readonly isForRoles?: boolean | undefined;
  /** What is wrong with an agent's program; `undefined` where it can be run. */
  readonly findProgramProblem: (program: StepProgram) => string | undefined;
}

/** What the built-in pipeline was made of. */
export interface BuiltIn {
  readonly provider: ProviderId;
  readonly check: string;
  readonly review: Review;
}

/** What stands for a command where nothing is checked: a run that is resumed is not to find one that its agent has added. */
const UNCHECKED = "";

/** The name of the pipeline. */
export const BUILT_IN = "built-in";

const RETRY = 2;
/** Attempts that failed, or lines that were changed, after which another agent looks at the work. */
const REVIEW_IF = { failed_attempts: 2, changed_lines: 300 };
const CHECK_TIME_LIMIT_SECONDS = 600;

export function withBuiltInPipeline(
  loaded: LoadedSettings,
  options: BuiltInOptions,
): { readonly loaded: LoadedSettings; readonly builtIn: BuiltIn } {
  const { config, sources, workdir } = loaded;
  const provider = chooseProvider(loaded, options);
  const check = options.check ??
    (options.isForRoles === true && config.project_test_cmd !== undefined
      ? formatTestCommand(config.project_test_cmd)
      : options.mayBeUnchecked === true && testCommandsIn(workdir).length === 0
      ? UNCHECKED
      : findTestCommand(workdir).command);
  const review = options.review ?? settingsIn(config, EXEC_SETTINGS).review;
  const checks: readonly CheckConfig[] = check === UNCHECKED ? [] : [
    { type: "shell", command: check, expect: "pass", time_limit_seconds: CHECK_TIME_LIMIT_SECONDS },
    { type: "evidence" },
  ];
  const common = {
    prompt: "self",
    provider: provider.id,
    ...argsElsewhere(provider, loaded),
    time_limit_seconds: DEFAULT_STEP_TIME_LIMIT_SECONDS,
  };
  const work: StepConfig = {
    ...{ ...common, name: "work", retry: RETRY },
    check: checks.length === 0 ? { type: "none" } : [...checks],
  };
  // What the reviewer leaves is checked as well: it was told to change nothing.
  const reviewed: StepConfig = {
    ...{ ...common, name: "review", retry: 0, next: { fail: "work" } },
    check: [{ type: "review" }, ...checks],
    ...(review === "if_needed" ? { only_if: REVIEW_IF } : {}),
  };
  const steps = review === "never" ? [work] : [work, reviewed];
  const args = config.providers[provider.id]?.args ?? [];
  const saysHow = sources.get("sandbox")?.kind !== "default" || provider.sandbox?.findLoosening(args) !== undefined;
  const changed = { ...config, pipelines: { [BUILT_IN]: steps }, ...(saysHow ? {} : { sandbox: "auto" as const }) };
  return { loaded: { ...loaded, config: changed }, builtIn: { provider: provider.id, check, review } };
}

/** Outside of any repository a CLI may need to be told that it is to work all the same: the folder is trusted. */
function argsElsewhere({ headless, id }: Provider, { config, workdir }: LoadedSettings): Pick<StepConfig, "args"> {
  const extra = isRepository(workdir) ? [] : headless?.argsToWork?.({ isRepository: false, sandbox: true }) ?? [];
  if (extra.length === 0) return {};
  const { args = [], profile } = config.providers[id] ?? {};
  return { args: [...(profile === undefined ? [] : ["--profile", profile]), ...args, ...extra] };
}

/** The provider that the settings name; where they name none, the first whose CLI is there. */
function chooseProvider(
  { config, sources, providers, workdir }: LoadedSettings,
  { findProgramProblem, isForRoles = false }: BuiltInOptions,
): Provider {
  const able = providers.filter(({ headless, cli }) => headless !== undefined && cli !== undefined);
  const wished = able.filter(({ id }) => id === config.provider);
  // The agents of roles are named by themselves.
  const isFree = isForRoles || sources.get("provider")?.kind === "default";
  const choice = isFree ? [...wished, ...able.filter((each) => !wished.includes(each))] : wished;
  const chosen = choice.find(({ id, cli }) => {
    const { command, env } = config.providers[id] ?? {};
    const program = command?.[0] ?? cli?.program ?? id;
    return findProgramProblem({ program, workdir, searchPath: env?.["PATH"], npmPackage: undefined }) === undefined;
  });
  if (chosen !== undefined) return chosen;
  const problem = choice.length === 0
    ? `${config.provider} cannot carry out a step`
    : `${choice.map(({ label }) => label).join(" and ")} cannot be found`;
  throw new UsageError(`Cannot start an agent: ${problem}`, {
    hint: choice.flatMap(({ cli }) => cli?.installHint ?? []).join("\n"),
  });
}
