import type { DialogKind } from "../screen/dialog.ts";
import type { Driver } from "./driven_agent.ts";

/** What both CLIs call their tools to their hooks, and the Agent Client Protocol the kinds of calls. */
const TOOLS: readonly (readonly [kind: DialogKind, hook: string, acp: string])[] = [
  ["command", "Bash", "execute"],
  ["patch", "apply_patch", "edit"],
  ["file_write", "Write", "edit"],
  ["file_edit", "Edit", "edit"],
  ["plan", "ExitPlanMode", "switch_mode"],
];

/** The tool that a request of a kind usually calls; an empty text where there is none. */
export function usualTool(kind: DialogKind, driver: Driver | undefined): string {
  const [, hook = "", acp = "other"] = TOOLS.find(([known]) => known === kind) ?? [];
  return driver === "acp" ? acp : hook;
}

/** What a call of a tool is about, by its name alone. */
export function usualKind(tool: string): DialogKind {
  return TOOLS.find(([, hook]) => hook === tool)?.[0] ?? "other";
}
