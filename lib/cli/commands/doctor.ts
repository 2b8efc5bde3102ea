import { toExecPlan } from "../../config/exec_plan.ts";
import { DEFAULT_CONFIG_FILE, defaultConfigFile } from "../../config/default_file.ts";
import { ConfigError, loadAnyConfig, type LoadConfigOptions } from "../../config/load.ts";
import { checkPipelines, type PipelineCheckOptions } from "../../config/pipeline_checks.ts";
import { toRunPlan } from "../../config/plan.ts";
import { UsageError } from "../../base/errors.ts";
import { systemProcessRunner } from "../../base/ports/process.ts";
import { hasAcp } from "../../agents/mod.ts";
import type { Provider } from "../../agents/provider.ts";
import type { StepPlan } from "../../jobs/pipeline/plan.ts";
import { rolesUsed } from "../../jobs/review_loop/machine.ts";
import { defineCommand, numberFlag, switchFlag } from "../console/command.ts";
import { checkRules } from "../doctor_rules.ts";
import { environmentOf } from "../environment.ts";
import { type TrialProvider, tryHooks } from "../hook_trial.ts";
import { outputLine } from "../../api/output/line.ts";
import { checkAgent, checkNamedProgram, checkTrust } from "../preflight/agent.ts";
import { hasCli } from "../preflight/agent_cli.ts";
import { lookAtConfig } from "../preflight/config.ts";
import type { Finding } from "../preflight/finding.ts";
import type { LookContext } from "../preflight/look_context.ts";
import {
  checkHome,
  checkTerminal,
  checkTmux,
  checkTools,
  checkWorkdir,
  lookAtTmuxPlace,
  type TmuxPlace,
} from "../preflight/machine.ts";
import { checkSandbox } from "../preflight/sandbox.ts";
import { renderFinding } from "../show/render_finding.ts";
import { findProgram } from "../../jobs/programs.ts";
import { VERSION } from "../../base/version.ts";
import { present } from "../../base/schema.ts";

export const command = defineCommand({
  arguments: [{
    name: "CONFIG",
    description: "the config file; panewright.jsonc of the working directory if left out",
  }],
  flags: {
    hooks: switchFlag("start each installed agent CLI with a scripted model, and show whether its hooks work"),
    "hooks-limit": numberFlag("SECONDS", "how long each trial may take (default: 20)"),
  },
  async run(parsed, io) {
    const { cwd, signal } = io;
    const { hooks: triesHooks = false, "hooks-limit": hooksLimitSeconds = 20 } = parsed.flags;
    const context = {
      processRunner: systemProcessRunner,
      signal,
      ...environmentOf(io),
      cwd,
      ...await checkRules(io),
      triesHooks,
      hooksLimitSeconds,
    };
    const { global: { json, quiet, color } } = parsed;
    const look = { color: color.stdout, width: io.isTerminal.stdout ? io.columns() : Infinity };
    let failed = false;
    for await (const finding of examine(parsed.positionals[0], context)) {
      io.signal.throwIfAborted();
      failed ||= finding.status === "fail";
      if (json) io.stdout(outputLine("finding", finding));
      else if (!quiet || finding.status !== "ok") io.stdout(renderFinding(finding, look));
    }
    return failed ? 1 : 0;
  },
});

export interface ExamineContext extends LookContext, Pick<LoadConfigOptions, "envNames" | "onWarning"> {
  readonly cwd: string;
  readonly providers: readonly Provider[];
  readonly rulesFindings?: readonly Finding[];
  readonly triesHooks?: boolean;
  readonly hooksLimitSeconds?: number;
}

export async function* examine(path: string | undefined, context: ExamineContext): AsyncGenerator<Finding> {
  yield { check: "panewright", status: "ok", detail: `${VERSION}, deno ${Deno.version.deno}, ${Deno.build.target}` };
  yield checkTools(context);
  const tmux = await checkTmux(context);
  const { findings, workdir = context.cwd, agents, sandbox, tmuxPlace = {} } = await checkConfig(path, context);
  const needsTmux = agents === undefined || agents.some(({ isInPane }) => isInPane);
  yield needsTmux || tmux.status !== "fail" ? tmux : { ...tmux, status: "warn" };
  if (tmux.status === "ok") yield* await lookAtTmuxPlace(tmuxPlace, context);
  yield* checkAgents(agents, { ...context, workdir, sandbox });
  yield* context.rulesFindings ?? [];
  yield checkHome(context);
  yield* checkTerminal(context);
  yield await checkWorkdir(workdir);
  yield* findings;
}

type AnyConfig = Awaited<ReturnType<typeof loadAnyConfig>>;

type NamedAgent = Pick<StepPlan, "command" | "env"> & {
  readonly provider: Provider;
  readonly isInPane: boolean;
};

interface CheckedConfig {
  readonly findings: readonly Finding[];
  readonly workdir?: string;
  readonly agents?: readonly NamedAgent[];
  readonly tmuxPlace?: TmuxPlace;
  readonly sandbox?: AnyConfig["config"]["sandbox"];
}

async function checkConfig(
  path: string | undefined,
  context: ExamineContext,
): Promise<CheckedConfig> {
  const { cwd, env, envNames = [], onWarning = () => {}, providers } = context;
  const check = "config";
  try {
    const given = { cwd, env, envNames, onWarning, providers, ...present({ path }) };
    const loaded = await loadAnyConfig(given, (each) => checkPipelines(each, PROGRAMS_ARE_FINDINGS));
    const { file = "from the environment", workdir, config: { sandbox }, job } = loaded;
    const plan = toExecPlan(loaded, { cwd });
    const review = job === undefined ? undefined : toRunPlan({ ...loaded, job });
    const roles = review === undefined ? [] : rolesUsed(review.loop).map((role) => review.agents[role]);
    const found = await lookAtConfig({ plan, loaded, programs: "none" }, context);
    return {
      findings: [
        { check, status: "ok", detail: file },
        ...found.map(({ needsPerson: _needs, isOfMachine: _is, ...finding }) => finding),
      ],
      workdir,
      agents: [
        ...roles.map((role) => ({ ...role, isInPane: !hasAcp(role.provider) })),
        ...Object.values(plan.pipelines).flat().map((step) => ({ ...step, isInPane: false })),
      ],
      ...(review === undefined ? {} : { tmuxPlace: review.tmux }),
      sandbox,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // A wrong variable has a place; a job that was never named has none: it is in no file.
    const hasPlace = error instanceof ConfigError && error.problems.some(({ where }) => where !== "");
    const absent = !hasPlace && path === undefined && await defaultConfigFile(cwd) === undefined;
    const finding = absent
      ? {
        check,
        status: "warn",
        detail: `there is no ${DEFAULT_CONFIG_FILE} in ${cwd}`,
        remedy: 'Run "panewright init" to write one.',
      } as const
      : {
        check,
        status: "fail",
        detail: error.message,
        ...present({ remedy: error.hint }),
      } as const;
    return { findings: [finding] };
  }
}

/** What the checks of pipelines leave out here: each agent's program has a finding of its own. */
const PROGRAMS_ARE_FINDINGS: PipelineCheckOptions = {
  pipelineNeeded: false,
  findProgramProblem: () => undefined,
  findProgramVersion: () => undefined,
  onWarning: () => {},
};

/**
 * Without a configuration one agent CLI is enough; with one, those that it names are needed, and no others looked at.
 */
async function* checkAgents(
  named: readonly NamedAgent[] | undefined,
  context: ExamineContext & { readonly workdir: string; readonly sandbox: CheckedConfig["sandbox"] },
): AsyncGenerator<Finding> {
  const agents = named ?? [];
  let anyInstalled = false;
  const added = agents.map(({ provider }) => provider).filter(({ isOfConfig }) => isOfConfig === true);
  for (const provider of new Set([...context.providers, ...added])) {
    const roles = agents.filter((agent) => agent.provider.id === provider.id);
    if (agents.length > 0 ? roles.length === 0 : !isOffered(provider, context)) continue;
    const commands = new Map(roles.map(({ command }) => [JSON.stringify(command), command]));
    if (commands.size === 0) commands.set("", undefined);
    for (const command of commands.values()) {
      const own = provider.cli?.program;
      const named = command ?? (provider.isOfConfig === true && own !== undefined ? [own] as const : undefined);
      if (named !== undefined) {
        if (hasCli(provider) || hasAcp(provider)) {
          yield checkNamedProgram(provider.label, named, { folder: context.workdir, env: context.env });
        }
        continue;
      }
      // That a command is missing is found with the configuration.
      if (!hasCli(provider)) continue;
      const agent = { provider, workdir: context.workdir, asksPerson: roles.every((role) => role.isInPane) };
      const hasOwnVariables = roles.some(({ env }) => Object.keys(env).length > 0);
      const needs = { needed: roles.length > 0, loginNeeded: roles.length > 0 && !hasOwnVariables };
      const { installed, ...finding } = await checkAgent(agent, context, needs);
      anyInstalled ||= installed;
      yield finding;
      const isInPane = roles.some((role) => role.isInPane) && !hasOwnVariables;
      const trust = installed && isInPane ? await checkTrust({ ...agent, asksPerson: true }, context) : undefined;
      if (trust !== undefined) yield trust;
      if (installed && provider.sandbox !== undefined) {
        const needed = context.sandbox === "cli" && roles.length > 0 && !hasOwnVariables;
        yield await checkSandbox(provider, context, { needed });
      }
      if (installed && context.triesHooks && isTrialProvider(provider)) {
        const version = /\d+(?:\.\d+)+/.exec(finding.detail)?.[0] ?? "";
        const { signal, hooksLimitSeconds: limitSeconds = 20 } = context;
        yield await tryHooks(provider, { version, searchPath: context.env("PATH") ?? "", limitSeconds, signal });
      }
    }
  }
  if (named === undefined && !anyInstalled) {
    yield {
      check: "agents",
      status: "fail",
      detail: "no agent CLI was found",
      remedy: 'Install one of them: "panewright agents" lists all. "panewright demo" works without.',
    };
  }
}

/**
 * Whether an agent is looked at where no configuration names one: those that work in panes, and of the others those that
 * are there.
 */
function isOffered(provider: Provider, { env, cwd }: ExamineContext): boolean {
  if (!hasCli(provider)) return false;
  return !hasAcp(provider) ||
    findProgram(provider.cli.program, { folder: cwd, searchPath: env("PATH") ?? "" }) !== undefined;
}

function isTrialProvider(provider: Provider): provider is TrialProvider {
  return provider.terminal?.hookTrial !== undefined && hasCli(provider);
}
