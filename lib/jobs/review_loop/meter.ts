import { steadyText } from "../../base/text/steady_text.ts";
import { REVIEW_FOLDS, type ReviewFact } from "../../journal/loop/facts.ts";
import type { MeterEvent } from "../../journal/meter_event.ts";
import type { RunState } from "./state.ts";
import { evidenceOf } from "./test_evidence.ts";

export function meterLoop(fact: ReviewFact, state: RunState | undefined): MeterEvent | undefined {
  // Before the first record there is no state, and that record asks for none.
  if (fact.type !== "round_finished") return REVIEW_FOLDS.meter(fact, state as RunState);
  const { round, verdict } = fact;
  if (verdict === "PASS" || state === undefined) return undefined;
  const { output, file } = evidenceOf(state, round) ?? {};
  return { kind: "round_fails", round, output: output && steadyText(output), evidence: file };
}
