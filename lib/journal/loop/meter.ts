import type { RunRecords } from "./state.ts";
import { countOf } from "./fold.ts";
import type { MeterEvent } from "../meter_event.ts";
import { newIn, NOTHING_COUNTED } from "../usage.ts";
import type { ReviewFact } from "./facts.ts";

/**
 * What a fact means for what the run and its roles use, and for whether it advances; `state` is the one before it.
 * What a failed round shows is the job's to tell.
 */
export function meterReview(
  fact: ReviewFact,
  state: Pick<RunRecords, "tokens"> | undefined,
): MeterEvent | undefined {
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
    case "message_started":
      return { kind: "turn_begins", worker: fact.role };
    case "message_resumed":
      return { kind: "turn_continues", worker: fact.role };
    case "response_received":
    case "message_answered":
      return { kind: "turn_ends", worker: fact.role, seconds: fact.seconds };
    case "message_failed":
      return fact.seconds === undefined ? undefined : { kind: "turn_ends", worker: fact.role, seconds: fact.seconds };
    case "files_seen":
      return fact.moment === "before"
        ? { kind: "work_begins", files: fact.files }
        : { kind: "work_ends", turn: fact.turnId, files: fact.files };
    case "command_repeated":
      return { kind: "command_repeats", worker: fact.role, command: fact.command, times: fact.times };
    default:
      return undefined;
  }
}
