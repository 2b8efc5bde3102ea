import type { AgentEvent, CallSource } from "../agent.ts";

/**
 * Compares what report and session log tell of an agent's calls with what hooks have told of before: a CLI may run
 * none, and an agent may switch them off while it works (`disableAllHooks`, Claude Code 2.1.328).
 */
export class ToldCalls {
  readonly #told = new Set<string>();
  #isHeard = false;
  readonly #expected = new Set<string>();
  readonly #sameIds = new Set<CallSource>();

  heard(id: string | undefined): void {
    this.#isHeard = true;
    if (id !== undefined) this.#told.add(id);
  }

  lacks(observation: Extract<AgentEvent, { type: "called" | "ended" }>): boolean {
    const { source, id } = observation;
    const isTold = this.#told.has(id);
    if (isTold) this.#sameIds.add(source);
    if (observation.type === "called") {
      const { commands, writesFiles } = observation;
      if (writesFiles || commands.some(({ isCertain }) => isCertain)) this.#expected.add(`${source} ${id}`);
      return false;
    }
    // One that did not come to run, such as one with wrong arguments, has no exit code.
    if ((observation.exitCode ?? -1) < 0 || !this.#expected.has(`${source} ${id}`)) return false;
    return !isTold && !(this.#isHeard && !this.#sameIds.has(source));
  }
}
