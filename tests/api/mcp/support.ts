import { TOOLS, type Tools } from "../../../lib/api/operations/mod.ts";
import type { McpServerOptions } from "../../../lib/api/mcp/server.ts";
import type { Clock } from "../../../lib/base/ports/clock.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";

/** What tools do, by their names. */
// deno-lint-ignore no-explicit-any -- tests say what they are given
export type Acts = { readonly [Name in keyof Tools]?: (input: any, call: any) => Promise<any> };

/** A server whose tools do what the test says; all others fail. */
export function serverOf(
  acts: Acts,
  { clock, secret = "never-said-by-anybody" }: { clock: Clock; secret?: string },
): McpServerOptions {
  const unexpected = () => Promise.reject(new Error("unexpected"));
  const tools = Object.entries(TOOLS).map(([name, tool]) =>
    [name, { ...tool, act: acts[name as keyof Tools] ?? unexpected }] as const
  );
  return {
    ...{ tools: Object.fromEntries(tools) as unknown as Tools, workdirs: [], clock },
    ...{ redactor: createRedactor([secret]), requireTrust: () => Promise.resolve() },
  };
}
