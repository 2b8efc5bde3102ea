import type { AgentEvent } from "../agent.ts";

type Teller = "report" | "log";

type ToldTwice = Extract<AgentEvent, { type: "said" | "reasoned" | "ran" | "saw" }>;

/**
 * Makes one stream of what a CLI's report and its session log tell: both tell what the agent said and did, and the log
 * is the fuller one. What the report told is held until it is known whether there is a log. A log that is found later
 * than that has told what the report did not: from then on it tells all that was not told.
 */
export class ReportOrLog {
  #held: AgentEvent[] | undefined;
  #teller: Teller;
  /** What the report has told, and how often. */
  readonly #told = new Map<string, number>();

  constructor(hasLog: boolean, readonly tell: (events: readonly AgentEvent[]) => void) {
    this.#held = hasLog ? [] : undefined;
    this.#teller = hasLog ? "log" : "report";
  }

  take(events: readonly AgentEvent[], teller: Teller): void {
    for (const event of events) {
      if (!isToldTwice(event)) this.tell([event]);
      else if (this.#held !== undefined && teller === "report") this.#held.push(event);
      else if (this.#teller === teller) this.#tellOnce(event, teller);
    }
  }

  decide(teller: Teller): void {
    const held = this.#held;
    if (held === undefined && teller === "report") return;
    this.#held = undefined;
    this.#teller = teller;
    if (teller === "report") this.take(held ?? [], teller);
  }

  #tellOnce(event: ToldTwice, teller: Teller): void {
    const of = keyOf(event);
    const times = this.#told.get(of) ?? 0;
    if (teller === "log" && times > 0) return void this.#told.set(of, times - 1);
    if (teller === "report") this.#told.set(of, times + 1);
    this.tell([event]);
  }
}

function isToldTwice(event: AgentEvent): event is ToldTwice {
  return event.type === "said" || event.type === "reasoned" || event.type === "ran" || event.type === "saw";
}

/** The same in both; what a command has put out need not be. */
function keyOf(event: ToldTwice): string {
  return `${event.type} ${event.type === "ran" || event.type === "saw" ? event.command : event.text}`;
}
