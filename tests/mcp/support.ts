import type { ToolActs } from "../../lib/mcp/call.ts";
import { TOOLS } from "../../lib/mcp/tools.ts";

/** Tools that do what the test says; all others fail. */
export function actsOf(acts: Partial<ToolActs>): ToolActs {
  const unexpected = () => Promise.reject(new Error("unexpected"));
  return { ...Object.fromEntries(Object.keys(TOOLS).map((name) => [name, unexpected])), ...acts } as ToolActs;
}
