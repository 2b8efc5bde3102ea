import type { MeterEvent } from "../../run/spending.ts";
import { newIn, NOTHING_COUNTED } from "../../run/usage.ts";
import type { ReviewFact } from "./facts.ts";
import { countOf } from "./fold.ts";
import type { RunState } from "./run_state.ts";

/** What a fact means for what the run and its roles use; `state` is the one before it. */
export function meterReview(fact: ReviewFact, state: Pick<RunState, "tokens"> | undefined): MeterEvent | undefined {
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
    case "tokens_counted": {
      const usage = newIn(state?.tokens ?? NOTHING_COUNTED, countOf(fact));
      return { kind: "tokens_counted", worker: fact.role, usage };
    }
    case "response_received":
      return { kind: "turn_ends", seconds: fact.seconds };
    default:
      return undefined;
  }
}
