import type { Role } from "../../base/roles.ts";
import { auditEntry } from "../../turn/desk/asked.ts";
import { unaskedCalls } from "../../turn/desk/decision.ts";
import { agentOf } from "./plan.ts";
import type { RunParts } from "./run_parts.ts";

/** Tells which calls that need no permission are put to the desk: all but those that the policy leaves to the CLI.
 * In a dry run they run. */
export function whatIsPut(role: Role, { plan, audit }: Pick<RunParts, "plan" | "audit">) {
  const { permissions: { dryRun } } = plan;
  const { provider } = agentOf(plan, role);
  const named = unaskedCalls(plan, { role, provider });
  return named && (async (request: Parameters<typeof named>[0], terminal: string): Promise<boolean> => {
    const verdict = named(request);
    if (verdict === undefined || !dryRun) return verdict !== undefined;
    const whose = { role, terminal, provider: provider.id };
    await audit.note(auditEntry(whose, { request, shown: request, before: [] }, verdict));
    return false;
  });
}
