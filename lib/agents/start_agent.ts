import { UsageError } from "../base/errors.ts";
import { systemHost } from "../base/ports/host.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { errorText } from "../base/text/error_text.ts";
import { asksBeforeAll } from "./acp/acp_provider.ts";
import type { DrivenAgent, Driver } from "./driven_agent.ts";
import { hasAcp } from "./mod.ts";
import { openCommandHooks } from "./process/command_hooks.ts";
import { notJudged, ProcessAgent } from "./process/process_agent.ts";
import type { CliStart } from "./process/start.ts";
import { awaitProgram } from "./await_program.ts";
import { requireSandbox } from "./require_sandbox.ts";
import { requireHeldInput } from "./require_held_input.ts";
import { isCliStepProvider, type Provider } from "./provider.ts";
import type { SpoolPlace } from "./spool.ts";

/** What any driver without a pane starts an agent with; of the hooks, those that have some take their part. */
interface DrivenStart extends Omit<CliStart, "provider" | "hooks"> {
  readonly provider: Provider;
  /** What the CLI's hooks are for, and where they tell it; without a place there are none. */
  readonly hookUse: Parameters<typeof openCommandHooks>[1] & { readonly place: SpoolPlace | undefined };
  readonly onTrouble: (text: string) => void;
}

/** Starts an agent without a pane: its CLI for each message, or a process that speaks the Agent Client Protocol. */
export async function startAgent(
  driver: Exclude<Driver, "pane">,
  { hookUse, onTrouble, ...start }: DrivenStart,
): Promise<DrivenAgent> {
  const { clock, launch, name, onProgramGone: tell, provider, requiresHooks, signal, worker } = start;
  const { sandbox } = launch;
  await awaitProgram({ ...launch, cli: provider.cli }, { clock, signal, tell });
  const ground = { host: systemHost(launch.env), processRunner: systemProcessRunner, signal };
  if (sandbox !== undefined) {
    const named = worker === "step" ? "the agent" : name;
    await requireSandbox(provider, { ...launch, ...ground, sandbox, name: named });
  }
  if (driver === "process" && isCliStepProvider(provider)) {
    const { place, ...use } = hookUse;
    if (requiresHooks === "to_judge") {
      const { acceptsTypedInput: isAccepted = false } = start;
      const unheld = await requireHeldInput(provider, { name, isAccepted, launch, ...ground });
      if (unheld !== undefined) onTrouble(unheld);
    }
    const hooks = place === undefined ? undefined : await openCommandHooks(place, use)
      .catch((error) => onTrouble(`the CLI's hooks cannot report commands: ${errorText(error)}`)) ?? undefined;
    if (hooks === undefined && requiresHooks === "to_judge") throw notJudged(provider, "there is no place for them");
    return new ProcessAgent({ ...start, provider }, hooks);
  }
  if (!hasAcp(provider)) throw new TypeError(`Cannot start an agent of ${provider.id}: it has no driver ${driver}`);
  if (start.worker === "step" && requiresHooks === "to_judge" && !asksBeforeAll(provider.acp)) {
    throw new UsageError(
      `Cannot keep the rules of permissions.deny and permissions.ask: ${provider.label} does not ask before all that it does`,
      { hint: "Give the step another agent, or leave out the entries that name a command or a path." },
    );
  }
  // Imported where it is used: most runs have no such agent.
  const { startAcpAgent } = await import("./acp/agent.ts");
  const { ask, launch: { env }, variables } = start;
  const path = env?.["PATH"] ?? Deno.env.get("PATH") ?? "";
  const asking = ask === undefined ? {} : { variables: { ...variables, PATH: `${ask.launcherFolder}:${path}` } };
  return await startAcpAgent({ ...start, provider, ...asking });
}
