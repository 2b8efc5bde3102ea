/**
 * What `panewright run` and `panewright doctor` do, with the toy agent beside the providers that are built in. Takes
 * the config file; prints the findings of the doctor and the end of the run, one JSON object a line.
 */
import { examine } from "../../../lib/cli/doctor/examine.ts";
import { loadConfig } from "../../../lib/config/load.ts";
import { toRunPlan } from "../../../lib/config/plan.ts";
import { executeReviewRun } from "../../../lib/jobs/review_loop/execute.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { PROVIDERS } from "../../../lib/agents/mod.ts";
import { toyProvider } from "./provider.ts";

const providers = [...PROVIDERS, toyProvider];
const [configFile = ""] = Deno.args;
const cwd = Deno.cwd();
const print = (value: unknown) => Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(value)}\n`));

const env = (name: string) => Deno.env.get(name);
const { signal } = new AbortController();
for await (
  const { check, status, detail } of examine(configFile, {
    cwd,
    env,
    signal,
    providers,
    processRunner: systemProcessRunner,
  })
) {
  print({ check, status, detail });
}

const plan = toRunPlan(await loadConfig({ path: configFile, cwd, env, providers }));
const { outcome, reason } = await executeReviewRun({ configFile, cwd, flags: {} }, { plan });
print({ outcome, reason, agents: Object.values(plan.agents).map(({ provider }) => provider.id) });
