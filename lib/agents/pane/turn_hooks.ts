import type { Spool, SpooledMessage } from "../spool.ts";
import type { HookCommand } from "../hook_command.ts";
import { readHookEvent } from "./hook_events.ts";
import type { HookMail } from "./hook_witness.ts";

const TIMEOUT_SECONDS = 5;

export function turnHooksOf(spool: Pick<Spool, "commandFor" | "take" | "onArrival">, agent: string): {
  readonly turnHook: HookCommand;
  readonly hookMail: HookMail;
} {
  const listeners = new Set<() => void>();
  let come: readonly SpooledMessage[] = [];
  const collect = () => {
    const fresh = spool.take(agent);
    come = [...come, ...fresh];
    const isEnd = fresh.some(({ text }) => (readHookEvent(text)?.type ?? "taken") !== "taken");
    if (isEnd) { for (const listener of listeners) listener(); }
  };
  return {
    turnHook: { command: spool.commandFor(agent), timeoutSeconds: TIMEOUT_SECONDS },
    hookMail: {
      take() {
        collect();
        const all = come;
        come = [];
        return all;
      },
      onEnd(listener) {
        listeners.add(listener);
        const arrivals = spool.onArrival(agent, collect);
        return {
          [Symbol.dispose]() {
            listeners.delete(listener);
            arrivals[Symbol.dispose]();
          },
        };
      },
    },
  };
}
