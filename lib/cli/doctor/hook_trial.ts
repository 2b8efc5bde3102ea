import { systemClock } from "../../base/ports/clock.ts";
import type { HookTrial, TrialWay } from "../../agents/hook_trial.ts";
import { type CliProgram, isCliStepProvider, type Provider } from "../../agents/provider.ts";
import { rowText, type TrialReport, tryHooks } from "../../turn/hooks/trial.ts";
import type { Finding } from "../preflight/finding.ts";

export interface TrialProvider {
  readonly provider: Provider & { readonly cli: CliProgram };
  readonly trial: HookTrial;
}

interface HookTrialOptions {
  readonly version: string;
  readonly searchPath: string;
  readonly limitSeconds?: number;
  readonly signal: AbortSignal;
}

const WAYS: Readonly<Record<TrialWay, string>> = { pane: "in a pane", process: "without one" };

/** Tries a CLI's hooks in each way that a run may drive it. */
export async function findHooks({ provider, trial }: TrialProvider, options: HookTrialOptions): Promise<Finding> {
  const check = `${provider.label} hooks`;
  const ways: readonly TrialWay[] = isCliStepProvider(provider) ? ["pane", "process"] : ["pane"];
  const problems = await Promise.all(ways.map(async (way) => {
    const report = await tryHooks({ provider, trial }, { ...options, way, clock: systemClock });
    const problem = problemOf(report);
    return problem === undefined ? [] : [`${WAYS[way]}, ${problem}`];
  }));
  const found = problems.flat();
  if (found.length === 0) {
    const where = ways.map((way) => WAYS[way]).join(" and ");
    const detail = `they work, ${where}: the policy is asked before a command runs, and its word holds`;
    return { check, status: "ok", detail };
  }
  const remedy = "Update the CLI, or look with: " +
    `${provider.cli.program}; settings of your organization may switch hooks off. ` +
    "A run whose policy relies on hooks does not start so.";
  return { check, status: "warn", detail: found.join("; "), remedy };
}

function problemOf({ problem, failed }: TrialReport): string | undefined {
  if (problem !== undefined) return `they cannot be tried: ${problem}`;
  return failed.length === 0 ? undefined : `this did not hold: ${failed.map(rowText).join("; ")}`;
}
