import type { MeterEvent } from "../../run/spending.ts";
import type { ReviewFact } from "./facts.ts";

/** What a fact means for what the run and its roles use. */
export function meterReview(fact: ReviewFact): MeterEvent | undefined {
  switch (fact.type) {
    case "run_started":
      return { kind: "process_begins" };
    case "run_resumed":
      return { kind: "process_begins", raised: fact.raised };
    case "run_finished":
      return { kind: "process_ends", seconds: fact.seconds };
    case "turn_started":
      return { kind: "turn_begins", worker: fact.role };
    case "turn_resumed":
      return { kind: "turn_continues", worker: fact.role };
    case "response_received":
      return { kind: "turn_ends", seconds: fact.seconds };
    default:
      return undefined;
  }
}
