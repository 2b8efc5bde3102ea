import { plannedAgents } from "../../jobs/pipeline/plan.ts";
import { DEFAULT_CONFIG_FILE, defaultConfigFile } from "../../config/default_file.ts";
import { toExecPlan } from "../../config/exec_plan.ts";
import { ConfigError, loadAnyConfig, type LoadConfigOptions } from "../../config/load.ts";
import { checkPipelines } from "../../config/pipeline_checks.ts";
import { toRunPlan } from "../../config/plan.ts";
import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { VERSION } from "../../base/version.ts";
import { hasAcp } from "../../agents/mod.ts";
import type { Provider } from "../../agents/provider.ts";
import type { Finding } from "../preflight/finding.ts";
import { lookAtConfig } from "../preflight/look_at_needs.ts";
import { checkHome, checkTerminal, checkWorkdir, lookAtTmuxPlace, type TmuxPlace } from "../preflight/machine.ts";
import { lookAtMachine, type Machine } from "../preflight/machine_look.ts";
import { checkWholeSandbox } from "../preflight/sandbox.ts";
import { checkAgents, type NamedAgent } from "./agents.ts";
import { checkObeyed } from "./obeyed.ts";
import { usedAgents } from "../../jobs/review_loop/used_agents.ts";

type ExamineContext = Parameters<typeof lookAtMachine>[0] & Pick<LoadConfigOptions, "envNames" | "onWarning"> & {
  readonly cwd: string;
  readonly providers: readonly Provider[];
  readonly rulesFindings?: readonly Finding[];
  readonly triesHooks?: boolean;
  readonly hooksLimitSeconds?: number | undefined;
};

export async function* examine(path: string | undefined, context: ExamineContext): AsyncGenerator<Finding> {
  const machine = lookAtMachine(context);
  yield { check: "panewright", status: "ok", detail: `${VERSION}, deno ${Deno.version.deno}, ${Deno.build.target}` };
  yield machine.tools();
  const tmux = await machine.tmux();
  const { findings, workdir = context.cwd, agents, sandbox, tmuxPlace = {} } = await checkConfig(path, {
    ...context,
    machine,
  });
  const needsTmux = agents === undefined || agents.some(({ isInPane }) => isInPane);
  yield needsTmux || tmux.status !== "fail" ? tmux : { ...tmux, status: "warn" };
  if (tmux.status === "ok") yield* await lookAtTmuxPlace(tmuxPlace, machine);
  yield* checkAgents(agents, { ...context, machine, workdir, sandbox });
  yield await checkWholeSandbox(machine, { needed: sandbox === "agent" });
  yield* context.rulesFindings ?? [];
  yield checkHome(context);
  yield* checkTerminal(context);
  yield await checkWorkdir(workdir);
  const obedient = agents === undefined
    ? context.providers.filter(({ obeys }) => typeof obeys === "object")
    : agents.map(({ provider }) => provider);
  yield* checkObeyed(obedient, { workdir, home: context.env("HOME") });
  yield* findings;
}

interface CheckedConfig {
  readonly findings: readonly Finding[];
  readonly workdir?: string;
  readonly agents?: readonly NamedAgent[];
  readonly tmuxPlace?: TmuxPlace;
  readonly sandbox?: Awaited<ReturnType<typeof loadAnyConfig>>["config"]["sandbox"];
}

async function checkConfig(
  path: string | undefined,
  { cwd, env, envNames = [], onWarning = () => {}, providers, machine }: ExamineContext & { readonly machine: Machine },
): Promise<CheckedConfig> {
  const check = "config";
  try {
    const given = { cwd, env, envNames, onWarning, providers, ...present({ path }) };
    const loaded = await loadAnyConfig(given, (each) =>
      checkPipelines(each, {
        pipelineNeeded: false,
        // Each agent's program has a finding of its own.
        findProgramProblem: () => undefined,
        findProgramVersion: () => undefined,
        onWarning: () => {},
      }));
    const { file = "from the environment", workdir, config: { sandbox }, job } = loaded;
    const plan = toExecPlan(loaded, { cwd });
    const review = job === undefined ? undefined : toRunPlan({ ...loaded, job });
    const roles = review === undefined ? [] : usedAgents(review).flatMap(([, agents]) => agents);
    const found = await lookAtConfig({ plan, loaded, programs: "none" }, machine);
    return {
      findings: [
        { check, status: "ok", detail: file },
        ...found.map(({ needsPerson: _needs, isOfMachine: _is, ...finding }) => finding),
      ],
      workdir,
      agents: [
        ...roles.map((role) => ({ ...role, isInPane: !hasAcp(role.provider) })),
        ...plannedAgents(plan).map((step) => ({ ...step, isInPane: false })),
      ],
      ...(review === undefined ? {} : { tmuxPlace: review.tmux }),
      sandbox,
    };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    // A wrong variable has a place; a job that was never named has none: it is in no file.
    const hasPlace = error instanceof ConfigError && error.problems.some(({ where }) => where !== "");
    const absent = !hasPlace && path === undefined && await defaultConfigFile(cwd) === undefined;
    if (!absent) {
      return { findings: [{ check, status: "fail", detail: error.message, ...present({ remedy: error.hint }) }] };
    }
    const detail = `there is no ${DEFAULT_CONFIG_FILE} in ${cwd}`;
    return { findings: [{ check, status: "warn", detail, remedy: 'Run "panewright init" to write one.' }] };
  }
}
