import { driversOf, stepDriverOf } from "../agents/drivers.ts";
import { DRIVERS } from "../agents/driven_agent.ts";
import { usualTool } from "../agents/usual_tools.ts";
import { findProvider } from "../agents/mod.ts";
import { UsageError } from "../base/errors.ts";
import { realPathSnapshot } from "../base/ports/real_path.ts";
import { mayHoldRepository } from "../base/ports/repositories.ts";
import type { Role } from "../base/roles.ts";
import { present } from "../base/schema.ts";
import type { LoadedSettings } from "../config/load.ts";
import { permissionPlan, toPermissionPolicy } from "../config/common_plan.ts";
import { permissionDecider, type PermissionVerdict } from "../policy/mod.ts";
import { wayDecider } from "../turn/desk/decide_on_way.ts";
import type { PermissionSubject } from "./policy_subjects.ts";
import { roleOf } from "../api/show/roles_of_run.ts";
import { allRoles } from "../config/roles_schema.ts";

export const WAYS = ["step", ...DRIVERS] as const;

export interface Whose {
  /** Missing for a step. */
  readonly role: Role | undefined;
  readonly provider: string;
  readonly as: typeof WAYS[number] | undefined;
}

/** Whose calls are meant. */
export function whoseOf(
  { as, role, provider }: Partial<Whose>,
  { config }: LoadedSettings,
): Whose {
  if (as === "step") {
    if (role === undefined) return { as, role, provider: provider ?? config.provider };
    throw new UsageError("Cannot answer as a step for a role: a step has none");
  }
  const whose = roleOf({ roles: allRoles(config.roles) }, role ?? "programmer", "--role");
  return { as, role: whose, provider: provider ?? config.roles[whose]?.provider ?? config.provider };
}

/** Decides as the policy alone, or as a way of its calls. */
export function policyDecider(
  { as, role, provider: id }: Whose,
  { loaded, home }: { readonly loaded: LoadedSettings; readonly home: string | undefined },
): (request: PermissionSubject) => PermissionVerdict {
  const { config, workdir, providers } = loaded;
  const policy = toPermissionPolicy(config.permissions);
  const provider = findProvider(id, providers);
  const drivers = driversOf(provider);
  if (as === undefined) {
    const decide = permissionDecider({
      ...{ policy, workdir, role, provider: id, realPath: realPathSnapshot(), mayHoldRepository },
      ...present({ home }),
    });
    return (request) => decide({ tool: usualTool(request.kind, drivers[0]), ...request });
  }
  const driver = as === "step" ? stepDriverOf({ provider }) : as;
  if (!drivers.includes(driver)) {
    throw new UsageError(`Cannot answer as ${as}: ${id} is driven by ${drivers.join(" or ")}`, {
      hint: "Name another --provider, or another way with --as.",
    });
  }
  const { auto_accept: autoAcceptPermissions } = config.permissions;
  const inside = config.sandbox === "agent" ? { sandboxOfCommands: {} } : {};
  const plan = { workdir, handoff: { autoAcceptPermissions }, permissions: permissionPlan(config), ...inside };
  const decide = wayDecider({ plan, driver, provider, role });
  return (request) => decide({ tool: usualTool(request.kind, driver), ...request });
}
