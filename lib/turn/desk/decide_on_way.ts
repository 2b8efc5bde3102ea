import type { Driver } from "../../agents/driven_agent.ts";
import type { Provider } from "../../agents/provider.ts";
import type { Role } from "../../base/roles.ts";
import type { PermissionVerdict } from "../../policy/mod.ts";
import type { Request } from "../../policy/request.ts";
import { decide, type DialogPlan, PLAIN_OFFERS, unaskedCalls } from "./decision.ts";

/** On which way an agent's calls come. */
interface Way {
  readonly plan: DialogPlan;
  readonly driver: Driver;
  readonly provider: Provider;
  /** Missing for the agent of a step. */
  readonly role: Role | undefined;
}

/** Tells what comes of calls on a way: before they run, where hooks tell of each, and where the agent asks. */
export function wayDecider({ plan, driver, provider, role }: Way) {
  const judgesBefore = (driver === "pane" ? provider.terminal?.hasPermissionHook === true : driver === "process") &&
    !plan.permissions.dryRun;
  const before = judgesBefore ? unaskedCalls(plan, { role, provider }) : undefined;
  const isAsked = driver !== "process" || provider.headless?.neverAsks !== true;
  return (matter: Pick<Request, "kind" | "subject" | "tool">): PermissionVerdict => {
    const call = { id: "", source: "hook", ...matter } as const;
    const ruled = before?.({ ...call, needsPermission: false });
    if (ruled !== undefined) return ruled;
    if (isAsked) return decide(call, { plan, role, provider, offers: PLAIN_OFFERS });
    const reason = `${provider.label} asks for nothing there, and runs what no entry, built-in rule or doubt stops.`;
    return { decision: "allow", rule: "left_to_cli", reason };
  };
}
