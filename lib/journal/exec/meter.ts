import type { MeterEvent } from "../meter_event.ts";
import { newIn } from "../usage.ts";
import { steadyText } from "../../base/text/steady_text.ts";
import type { ExecFact } from "./facts.ts";
import { ATTEMPT, type ExecState, workerOf } from "./state.ts";

/** What a fact means for what the run and its steps use, and for whether it advances; `state` is the one before it. */
export function meterExec(fact: ExecFact, state: ExecState): MeterEvent | undefined {
  switch (fact.type) {
    case "run_started":
      return { kind: "process_begins" };
    case "run_resumed":
      return { kind: "process_begins", raised: fact.raised };
    case "run_finished":
      return { kind: "process_ends", seconds: fact.seconds };
    case "step_started":
      // The rounds of a step have its caps in common.
      return fact.round === undefined ? { kind: "worker_begins", worker: workerOf(state) } : undefined;
    case "step_finished":
      return { kind: "checks_begin" };
    case "check_finished": {
      const { check, passed, detail, output, files } = fact;
      if (passed) return undefined;
      const name = state.current?.steps[fact.step - 1] ?? "";
      const steady = steadyText(`${detail}\n${output}`);
      return { kind: "check_fails", check: `check ${check} of step ${name}`, output: steady, files };
    }
    case "command_repeated":
      return { kind: "command_repeats", worker: workerOf(state), command: fact.command, times: fact.times };
    case "attempt_started":
      return { kind: "turn_begins", worker: workerOf(state) };
    case "attempt_finished":
    case "question_asked": {
      const usage = newIn(state.tokens, { source: ATTEMPT, usage: fact.usage });
      return { kind: "turn_ends", seconds: fact.seconds, usage };
    }
    case "tokens_counted": {
      const usage = newIn(state.tokens, { source: ATTEMPT, usage: fact.usage });
      return { kind: "tokens_counted", worker: workerOf(state), usage };
    }
    default:
      return undefined;
  }
}
