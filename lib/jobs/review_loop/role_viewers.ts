import { selfCommand } from "../../base/ports/self.ts";
import { roleDriverOf } from "../../agents/drivers.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { TmuxSession } from "../../tmux/session.ts";
import { rolesUsed } from "./machine.ts";
import { agentOf, type ReviewRunPlan } from "./plan.ts";
import type { RunParts } from "./run_parts.ts";

interface RoleViewersOptions extends Pick<RunParts, "folder" | "record" | "signal"> {
  readonly plan: Pick<ReviewRunPlan, "agents" | "loop">;
  /** The argv that starts panewright. @default {the program that runs} */
  readonly panewright?: readonly [string, ...string[]];
}

/** What the viewer may do: it reads the run's folder. */
const PERMISSIONS = ["--allow-read", "--allow-env"] as const;

/**
 * Opens a window for each role that has no pane, in which `panewright logs` shows what its agent does; it ends by itself
 * when the run is not executed any more. A window that cannot be opened is a warning: the work does not need it.
 */
export async function openRoleViewers(session: TmuxSession, options: RoleViewersOptions): Promise<void> {
  const { plan, folder, panewright = selfCommand(PERMISSIONS), record, signal } = options;
  const denoDir = Deno.build.standalone ? undefined : Deno.env.get("DENO_DIR");
  for (const role of rolesUsed(plan.loop).filter((one) => roleDriverOf(agentOf(plan, one)) !== "pane")) {
    try {
      await session.openPane({
        name: role,
        argv: [...panewright, "logs", folder.path, "--follow", "--role", role],
        env: denoDir === undefined ? {} : { DENO_DIR: denoDir },
        cwd: folder.path,
        shows: role,
        signal,
      });
    } catch (error) {
      if (signal.aborted) throw error;
      record({ type: "warning", role, message: `it has no window in which it can be watched: ${errorText(error)}` });
    }
  }
}
