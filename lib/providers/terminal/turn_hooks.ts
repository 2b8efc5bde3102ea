import type { Spool } from "../../session_log/spool.ts";
import type { HookCommand } from "../provider.ts";
import type { HookMail } from "./hook_witness.ts";

/** What an agent is started with so that its CLI tells of its turns, and where that comes in. */
export interface TurnHooks {
  readonly turnHook: HookCommand;
  readonly hookMail: HookMail;
}

/** How long a CLI waits for the hook, which takes a few milliseconds. */
const TIMEOUT_SECONDS = 5;

/** Lets an agent's CLI tell of its turns by way of a spool. */
export function turnHooksOf(spool: Spool, agent: string): TurnHooks {
  return {
    turnHook: { command: spool.commandFor(agent), timeoutSeconds: TIMEOUT_SECONDS },
    hookMail: { take: () => spool.take(agent), onArrival: (listener) => spool.onArrival(agent, listener) },
  };
}
