import type { DetachOptions } from "../../lib/api/control/detach.ts";
import { type ToolName, TOOLS } from "../../lib/api/operations/mod.ts";
import type { Tool } from "../../lib/api/operations/operation.ts";
import { systemClock } from "../../lib/base/ports/clock.ts";
import { createRedactor } from "../../lib/base/redact/redactor.ts";

/** Calls tools, as a model in "a-client" does, for the runs of a folder; `detach`: how it starts them. */
export function toolsOf(workdir: string, secrets: readonly string[] = [], detach: DetachOptions = {}) {
  const context = {
    ...{ workdirs: [workdir], redactor: createRedactor(secrets), clock: systemClock },
    ...{ requireTrust: () => Promise.resolve(), detach },
    ...{ signal: new AbortController().signal, progress: () => {}, client: "a-client" },
  };
  // deno-lint-ignore no-explicit-any -- tests say what they expect
  return async (name: ToolName, input: object = {}): Promise<any> =>
    await (TOOLS[name] as unknown as Tool).act(input as never, context);
}
