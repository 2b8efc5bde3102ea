import type { TerminalApi } from "../../lib/turn/terminal_api.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
import type { FakeClock } from "./fake_clock.ts";

/** From when on, in seconds of the clock, a terminal shows a status; an Error is what reading it fails with. */
export type StatusAt = readonly [fromSecond: number, status: TerminalStatus | Error];

/** What a scripted terminal does. */
export interface TerminalScript {
  /** In the order of time; the first starts at 0. */
  readonly statuses: readonly StatusAt[];
  readonly output?: string | Error;
  /** Done when input arrives; may throw. */
  readonly onInput?: (text: string) => void | Promise<void>;
}

/** A terminal that plays a script, and remembers how it was used. */
export interface ScriptedTerminal extends TerminalApi {
  readonly inputs: { readonly text: string; readonly atSecond: number }[];
  /** When the status was read. */
  readonly pollSeconds: number[];
}

/** Makes a terminal whose status depends on the clock alone. */
export function scriptedTerminal(clock: FakeClock, script: TerminalScript): ScriptedTerminal {
  const inputs: { text: string; atSecond: number }[] = [];
  const pollSeconds: number[] = [];
  return {
    inputs,
    pollSeconds,
    getStatus() {
      const now = clock.elapsedSeconds();
      pollSeconds.push(now);
      const status = script.statuses.findLast(([from]) => from <= now)?.[1] ?? "unknown";
      return status instanceof Error ? Promise.reject(status) : Promise.resolve(status);
    },
    async sendInput(_terminalId, text) {
      inputs.push({ text, atSecond: clock.elapsedSeconds() });
      await script.onInput?.(text);
    },
    getLastOutput() {
      return script.output instanceof Error ? Promise.reject(script.output) : Promise.resolve(script.output ?? "");
    },
  };
}
