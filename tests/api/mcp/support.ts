import type { ToolActs } from "../../../lib/api/operations/mod.ts";
import { TOOLS } from "../../../lib/api/operations/mod.ts";

/** Tools that do what the test says; all others fail. */
export function actsOf(acts: Partial<ToolActs>): ToolActs {
  const unexpected = () => Promise.reject(new Error("unexpected"));
  return { ...Object.fromEntries(Object.keys(TOOLS).map((name) => [name, unexpected])), ...acts } as ToolActs;
}
