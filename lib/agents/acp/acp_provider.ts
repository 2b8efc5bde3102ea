import type { AgentLaunch, LaunchPlan } from "../launch_plan.ts";
import type { Pack } from "../packs/pack.ts";
import type { SetupLook } from "../setup.ts";
import { ACP_ACTING_KINDS } from "./tool_kinds.ts";

/** What is known of an agent over the Agent Client Protocol: its pack, and what follows from that. */
export interface AcpProvider extends Pack {
  launch(request: AgentLaunch): LaunchPlan;
  authMethod(look: Pick<SetupLook, "env" | "readText" | "kindOf">): string | undefined;
  readonly tellsTokens: boolean;
}

/**
 * Whether an agent asks before it does anything that changes something or runs something: only then can each of its
 * calls be judged.
 */
export function asksBeforeAll({ ask_mode: mode }: Pick<AcpProvider, "ask_mode">): boolean {
  return ACP_ACTING_KINDS.every((kind) => mode?.asks_before.includes(kind));
}
