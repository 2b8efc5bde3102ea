import type { SandboxRefusal } from "../sandbox/open_sandbox.ts";

type Reach = (target: { readonly host: string; readonly port: number }) => Promise<boolean>;

/**
 * What the CLIs of agents try by themselves whenever they start: it is refused as anything else is, but nobody is told or
 * asked; for a host once for each start, as what an agent's command wants to reach later is another matter.
 */
export function openOwnTries(of: (worker: string) => readonly string[]) {
  const told = new Map<string, Set<string>>();
  const asked = new Map<string, number>();
  return {
    begin(worker: string): void {
      told.set(worker, new Set(of(worker)));
      for (const what of of(worker)) asked.set(what, (asked.get(what) ?? 0) + 1);
    },
    isOwn({ by, what }: SandboxRefusal): boolean {
      const own = told.get(by);
      // A folder is tried again and again, and holds nothing by itself; a host may be what a command wants next time.
      return what.startsWith("write ") ? own?.has(what) === true : own?.delete(what) === true;
    },
    reaching: (mayReach: Reach): Reach => async (target) => {
      const what = `connect ${target.host}:${target.port}`;
      const left = asked.get(what) ?? 0;
      if (left === 0) return await mayReach(target);
      asked.set(what, left - 1);
      return false;
    },
  };
}
