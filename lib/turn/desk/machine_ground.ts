import { realPathSnapshot } from "../../base/ports/real_path.ts";
import type { PermissionContext } from "../../policy/mod.ts";

/** What the policy may know of this machine for one decision: the home folder, and where links lead now. */
export function machineGround(): Pick<PermissionContext, "home" | "realPath"> {
  const home = Deno.env.get("HOME");
  return { ...(home?.startsWith("/") ? { home } : {}), realPath: realPathSnapshot() };
}
