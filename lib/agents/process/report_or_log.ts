import type { AgentEvent } from "../agent.ts";

type Teller = "report" | "log";

/**
 * Makes one stream of what a CLI's report and its session log tell: both tell what the agent said and did, and the log
 * is the fuller one. What the report told is held until it is known whether there is a log.
 */
export class ReportOrLog {
  #held: AgentEvent[] | undefined;
  #teller: Teller;

  constructor(hasLog: boolean, readonly tell: (events: readonly AgentEvent[]) => void) {
    this.#held = hasLog ? [] : undefined;
    this.#teller = hasLog ? "log" : "report";
  }

  take(events: readonly AgentEvent[], teller: Teller): void {
    for (const event of events) {
      const isToldTwice = ["said", "reasoned", "ran", "saw"].includes(event.type);
      if (isToldTwice && this.#held !== undefined && teller === "report") this.#held.push(event);
      else if (!isToldTwice || this.#teller === teller) this.tell([event]);
    }
  }

  decide(teller: Teller): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#held = undefined;
    this.#teller = teller;
    if (teller === "report") this.tell(held);
  }
}
