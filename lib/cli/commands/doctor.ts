import { toExecPlan } from "../../config/exec_plan.ts";
import { DEFAULT_CONFIG_FILE, defaultConfigFile } from "../../config/default_file.ts";
import { loadAnyConfig } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { UsageError } from "../../errors.ts";
import { systemProcessRunner } from "../../ports/process.ts";
import type { CliProgram, Provider } from "../../providers/provider.ts";
import type { StepPlan } from "../../jobs/pipeline/plan.ts";
import { defineCommand } from "../console/command.ts";
import {
  checkAgent,
  checkFolder,
  checkNamedProgram,
  checkTerminal,
  checkTmux,
  type DoctorContext,
  type Finding,
} from "../doctor_checks.ts";
import { checkSandbox } from "../doctor_sandbox.ts";
import { checkRules } from "../doctor_rules.ts";
import { type TrialProvider, tryHooks } from "../hook_trial.ts";
import { jsonLine, sanitizeText } from "../../text/sanitize.ts";
import { VERSION } from "../../version.ts";

/** `panewright doctor`. */
export const command = defineCommand({
  description:
    `Looks at everything that a run needs: tmux, the agent CLIs with their versions, logins and sandboxes, the terminal, the folders ` +
    `that are written to, and the configuration. Each finding that is not well comes with its remedy. Programs that the configuration names are looked for, not run. Logins and keys are what each CLI says of them: whether its server takes them, only a run shows.

With --hooks each agent CLI that is there is started as in a run, with a temporary home and no key, against a model of panewright's own on 127.0.0.1: that shows whether the hooks of this version work.

The exit code is 1 if something that is needed is missing. Your settings and files stay as they are.`,
  arguments: [{
    name: "CONFIG",
    description: "the config file; panewright.jsonc of the working directory if left out",
  }],
  flags: [
    {
      name: "hooks",
      type: "switch",
      description:
        "start each agent CLI that is there, with a model of panewright's own, and tell whether its hooks work",
    },
    {
      name: "hooks-limit",
      type: "number",
      placeholder: "SECONDS",
      description: "how long the trial of each may take; 20 if left out",
    },
  ],
  examples: [{ command: "doctor --json", description: "one JSON object a finding" }],
  async run(parsed, io) {
    const { cwd, env, signal } = io;
    const { hooks: triesHooks = false, "hooks-limit": hooksLimitSeconds = 20 } = parsed.flags;
    const context = {
      processRunner: systemProcessRunner,
      signal,
      env,
      cwd,
      ...await checkRules(io),
      triesHooks,
      hooksLimitSeconds,
    };
    let failed = false;
    for await (const finding of examine(parsed.positionals[0], context)) {
      io.signal.throwIfAborted();
      failed ||= finding.status === "fail";
      if (parsed.global.json) io.stdout(jsonLine(finding));
      else if (!parsed.global.quiet || finding.status !== "ok") io.stdout(renderFinding(finding));
    }
    return failed ? 1 : 0;
  },
});

/**
 * One finding as lines for a person.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(renderFinding({ check: "tmux", status: "ok", detail: "tmux 3.3a" }), "ok    tmux: tmux 3.3a\n");
 * ```
 */
export function renderFinding(finding: Finding): string {
  const head = `${finding.status.padEnd(4)}  ${finding.check}: ${finding.detail}`;
  const lines = [head, ...(finding.remedy === undefined ? [] : [finding.remedy])].join("\n").split("\n");
  return lines.map((line, index) => `${index === 0 ? "" : "      "}${sanitizeText(line)}\n`).join("");
}

/** What {@linkcode examine} looks at besides the config file. */
export interface ExamineContext extends DoctorContext {
  /** Absolute path of the working directory. */
  readonly cwd: string;
  readonly providers: readonly Provider[];
  /** What was found about the rules. @default {[]} */
  readonly rulesFindings?: readonly Finding[];
  /** Whether the hooks of the CLIs that are there are tried. @default {false} */
  readonly triesHooks?: boolean;
  /** How long each trial may take. @default {20} */
  readonly hooksLimitSeconds?: number;
}

/** Looks at everything that a run needs, one finding after the other. */
export async function* examine(path: string | undefined, context: ExamineContext): AsyncGenerator<Finding> {
  yield { check: "panewright", status: "ok", detail: `${VERSION}, deno ${Deno.version.deno}, ${Deno.build.target}` };
  yield await checkTmux(context);
  const { finding, workdir = context.cwd, agents, sandbox } = await checkConfig(path, context);
  yield* checkAgents(agents, { ...context, workdir, sandbox });
  yield* context.rulesFindings ?? [];
  yield* checkTerminal(context);
  yield await checkFolder("working directory", workdir);
  yield finding;
}

type AnyConfig = Awaited<ReturnType<typeof loadAnyConfig>>;

/** An agent that the configuration names: of a role or of a step. */
type NamedAgent = Pick<StepPlan, "command"> & { readonly provider: Provider };

function agentsOf(loaded: AnyConfig, cwd: string): NamedAgent[] {
  const { job } = loaded;
  const roles = job === undefined ? [] : Object.values(toRunPlan({ ...loaded, job }).agents);
  return [...roles, ...Object.values(toExecPlan(loaded, { cwd }).pipelines).flat()];
}

/** What the configuration comes to, and what it names. */
interface CheckedConfig {
  readonly finding: Finding;
  readonly workdir?: string;
  readonly agents?: readonly NamedAgent[];
  readonly sandbox?: AnyConfig["config"]["sandbox"];
}

async function checkConfig(
  path: string | undefined,
  { cwd, env, providers }: ExamineContext,
): Promise<CheckedConfig> {
  const check = "config";
  try {
    const loaded = await loadAnyConfig({ cwd, env, providers, ...(path === undefined ? {} : { path }) });
    const { file = "from the environment", workdir, config: { sandbox } } = loaded;
    return { finding: { check, status: "ok", detail: file }, workdir, agents: agentsOf(loaded, cwd), sandbox };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const absent = path === undefined && await defaultConfigFile(cwd) === undefined;
    return {
      finding: absent
        ? {
          check,
          status: "warn",
          detail: `there is no ${DEFAULT_CONFIG_FILE} in ${cwd}`,
          remedy: 'Run "panewright init" to write one.',
        }
        : { check, status: "fail", detail: error.message, ...(error.hint === undefined ? {} : { remedy: error.hint }) },
    };
  }
}

/**
 * Without a configuration one agent CLI is enough; with one, those that it names are needed, and no others looked at.
 */
async function* checkAgents(
  named: readonly NamedAgent[] | undefined,
  context: ExamineContext & { readonly workdir: string; readonly sandbox: CheckedConfig["sandbox"] },
): AsyncGenerator<Finding> {
  const agents = named ?? [];
  let anyInstalled = false;
  for (const provider of context.providers.filter(hasCli)) {
    const roles = agents.filter((agent) => agent.provider.id === provider.id);
    if (agents.length > 0 && roles.length === 0) continue;
    const commands = new Map(roles.map(({ command }) => [JSON.stringify(command), command]));
    if (commands.size === 0) commands.set("", undefined);
    for (const command of commands.values()) {
      if (command !== undefined) {
        yield checkNamedProgram(provider.label, command, { folder: context.workdir, env: context.env });
        continue;
      }
      const { installed, ...finding } = await checkAgent(provider, context, { needed: roles.length > 0 });
      anyInstalled ||= installed;
      yield finding;
      if (installed && provider.sandbox !== undefined) {
        yield await checkSandbox(provider, context, { needed: context.sandbox === "cli" && roles.length > 0 });
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
      remedy: 'Install one of them. "panewright demo" works without.',
    };
  }
}

function isTrialProvider(provider: Provider): provider is TrialProvider {
  return provider.terminal?.hookTrial !== undefined && hasCli(provider);
}

function hasCli(provider: Provider): provider is Provider & { readonly cli: CliProgram } {
  return provider.cli !== undefined;
}
