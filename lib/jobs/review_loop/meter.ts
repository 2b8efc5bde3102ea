import type { MeterEvent } from "../../run/spending.ts";
import { newIn, NOTHING_COUNTED } from "../../run/usage.ts";
import { steadyText } from "../../base/text/steady_text.ts";
import type { ReviewFact } from "./facts.ts";
import { countOf } from "./fold.ts";
import type { RunState } from "./run_state.ts";
import { evidenceOf } from "./test_evidence.ts";

/** What a fact means for what the run and its roles use, and for whether it advances; `state` is the one before it. */
export function meterReview(
  fact: ReviewFact,
  state: Pick<RunState, "tokens" | "loop" | "responses"> | undefined,
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
    case "round_finished": {
      const { round, verdict } = fact;
      if (verdict === "PASS" || state === undefined) return undefined;
      const { output, file } = evidenceOf(state, round) ?? {};
      return { kind: "round_fails", round, output: output && steadyText(output), evidence: file };
    }
    default:
      return undefined;
  }
}
