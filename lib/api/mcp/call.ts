import type { Clock } from "../../base/ports/clock.ts";
import { MAX_WAIT_SECONDS } from "./tool_fields.ts";
import type { ToolInput, ToolName, ToolOutput } from "./tools.ts";
import { present } from "../../base/schema.ts";

/** A call of a tool under way. */
export interface Call {
  /** Aborted when the client cancels the call, or is gone. */
  readonly signal: AbortSignal;
  /** Tells the client what happens meanwhile, where it wants to know. */
  readonly progress: (message: string) => void;
  /** The client's name, as it says. */
  readonly client: string | undefined;
}

/** What each tool does. */
export type ToolActs = {
  readonly [Name in ToolName]: (input: ToolInput<Name>, call: Call) => Promise<ToolOutput<Name>>;
};

/** Who acts: a model, by the client that it is in. */
export function actorOf({ client }: Call): { readonly by: "mcp"; readonly who?: string } {
  return { by: "mcp", ...present({ who: client }) };
}

/** Until when a call may wait, by the clock: so many seconds as it says, or as are usual, and no longer than any may. */
export function deadlineOf(seconds: number | undefined, { usual, clock }: { usual: number; clock: Clock }): number {
  return clock.now() + Math.min(seconds ?? usual, MAX_WAIT_SECONDS) * 1000;
}

/** What an act comes to, or undefined where it takes longer than a client waits; it continues then. */
export async function withinTime<T>(acting: Promise<T>, clock: Clock): Promise<T | undefined> {
  const over = new AbortController();
  const limit = clock.sleep(MAX_WAIT_SECONDS * 1000, over.signal).then(() => undefined, () => undefined);
  acting.catch(() => {});
  try {
    return await Promise.race([acting, limit]);
  } finally {
    over.abort();
  }
}
