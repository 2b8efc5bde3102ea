import { UsageError } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { type Host, systemHost } from "../../base/ports/host.ts";
import { type ProcessRunner, systemProcessRunner } from "../../base/ports/process.ts";
import { errorText } from "../../base/text/error_text.ts";
import { present } from "../../base/schema.ts";
import type { TrialWay } from "../../agents/hook_trial.ts";
import type { Provider } from "../../agents/provider.ts";
import type { AgentLaunch } from "../../agents/launch_plan.ts";
import { isProven, noteProven, type Proof, proofOf } from "./proofs.ts";
import type { PermissionPlan } from "../desk/decision.ts";
import { untriedWarning } from "./reliance.ts";
import { rowText, tryHooks } from "./trial.ts";

/** An agent of a run whose policy its hooks have to keep. */
export interface HookUse extends Pick<AgentLaunch, "workdir" | "command" | "args" | "env"> {
  /** Whose agent it is. */
  readonly name: string;
  readonly provider: Provider;
  readonly way: TrialWay;
}

interface RequireOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** @default {systemProcessRunner} */
  readonly processRunner?: ProcessRunner;
  /** @default {60} seconds that a trial may take */
  readonly limitSeconds?: number;
}

/**
 * {@linkcode requireHooks}, unless the person's `setting` says otherwise.
 *
 * @returns what is told at the start
 */
export async function proveHooks(
  uses: readonly HookUse[],
  { setting, ...options }: RequireOptions & { readonly setting: PermissionPlan["hookTrial"] },
): Promise<readonly string[]> {
  if (setting === "required") await requireHooks(uses, options);
  const warning = setting === "off" ? untriedWarning(uses) : undefined;
  return warning === undefined ? [] : [warning];
}

/**
 * Makes sure, before anything of a run starts, that the hooks of its agents do what its policy relies on: each CLI is
 * tried, unless this very one was before, and tells the settings that hold where the agent is to work.
 *
 * @throws {UsageError} that names the agent, the version, and what does not hold
 */
export async function requireHooks(uses: readonly HookUse[], options: RequireOptions): Promise<void> {
  const each = new Map(
    uses.map((use) => [JSON.stringify([use.provider.id, use.way, use.command, use.args, use.env]), use]),
  );
  await Promise.all([...each.values()].map((use) => requireOf(use, options)));
}

async function requireOf(use: HookUse, options: RequireOptions): Promise<void> {
  const { provider, way, command, env = {} } = use;
  const trial = provider.terminal?.hookTrial;
  const { cli } = provider;
  if (trial === undefined || cli === undefined) return;
  const { processRunner = systemProcessRunner, signal, clock, limitSeconds } = options;
  const host = systemHost(env);
  const argv = command ?? [cli.nativeProgram?.(host) ?? cli.program] as const;
  const proof = await proofOf({ provider, trial, way, argv, host, env, processRunner, signal });
  if (typeof proof === "string") throw refusal(use, "", proof);
  const [problem, tried] = await Promise.all([
    trial.findProblem({ ...use, host, processRunner, signal }).catch((error) => {
      signal.throwIfAborted();
      return errorText(error);
    }),
    isProven(host, proof) ? undefined : tryHooks({ provider, trial }, {
      ...{ way, command: argv, version: proof.version, searchPath: host.path.join(":"), clock, signal },
      ...present({ limitSeconds }),
    }),
  ]);
  if (problem !== undefined) throw refusal(use, proof.version, problem);
  if (tried === undefined) return;
  if (tried.problem !== undefined) throw refusal(use, proof.version, `they cannot be tried: ${tried.problem}`);
  const [failed] = tried.failed;
  if (failed !== undefined) {
    throw refusal(use, proof.version, `in a trial this did not hold: ${tried.failed.map(rowText).join("; ")}`);
  }
  keep(host, proof);
}

/** What cannot be kept is tried again the next time. */
function keep(host: Host, proof: Proof): void {
  try {
    noteProven(host, proof);
  } catch { /* a folder that cannot be written */ }
}

function refusal({ name, provider: { label } }: HookUse, version: string, problem: string): UsageError {
  const of = version === "" ? label : `${label} ${version}`;
  return new UsageError(`Cannot rely on the hooks of ${of}, which keep the policy of ${name}: ${problem}`, {
    hint: "Correct that, or take another version of the CLI: docs/permissions.md has those that were tried. " +
      '"permissions": { "hook_trial": "off" } starts without having seen that the hooks work.',
  });
}
