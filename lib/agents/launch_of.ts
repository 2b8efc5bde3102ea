import { systemHost } from "../base/ports/host.ts";
import { present } from "../base/schema.ts";
import type { Driver } from "./driven_agent.ts";
import type { AgentLaunch } from "./launch_plan.ts";
import { findPaneProvider, hasAcp } from "./mod.ts";
import type { AskLaunchers } from "./process/cli.ts";
import { isCliStepProvider, type Provider } from "./provider.ts";

interface LaunchOf extends AgentLaunch {
  readonly provider: Provider;
  readonly profile?: string;
  readonly name: string;
  readonly path?: string;
  readonly ask?: AskLaunchers;
}

/** The argv with which a driver starts an agent, without what is of one run. @throws {UsageError} where it cannot */
export async function argvOf(driver: Driver, launch: LaunchOf): Promise<readonly string[]> {
  const { provider, name: role, env = {}, path = env["PATH"] ?? "", ask, ...request } = launch;
  const host = systemHost(env);
  const start = { ...request, env };
  if (driver === "process" && isCliStepProvider(provider)) {
    return (await provider.headless.plan(start, { host, path, variables: {}, ...present({ ask }) })).argv;
  }
  if (driver === "acp" && hasAcp(provider)) return provider.acp.launch(start).argv;
  const { terminal } = findPaneProvider(provider.id, [provider]);
  return (await terminal.launch({ ...start, role }, host)).argv;
}
