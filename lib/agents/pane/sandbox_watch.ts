import { UsageError } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Decision } from "../../screen/classify.ts";
import type { Provider } from "../provider.ts";
import type { StatusSource } from "./status_source.ts";

/** Reads back that each turn of an agent is in the sandbox. */
export interface SandboxWatch {
  /** Told right before a prompt is submitted: from now on there is a turn to be read back. */
  noteSubmission(): void;
  /**
   * As long as no turn was read back, none has an end: it is `unknown` what the agent does.
   *
   * @throws {UsageError} when a turn is not in the sandbox, or its record does not tell in time
   */
  judge(decision: Decision): Decision;
}

/** How long an agent may be at rest after a prompt before its record tells of the turn. */
const READ_BACK_MS = 15_000;

/** Watches an agent that was started with a sandbox by its own record. */
export function createSandboxWatch(
  { name, provider, source, clock }: {
    readonly name: string;
    readonly provider: Pick<Provider, "label" | "sandbox">;
    readonly source: Pick<StatusSource, "sandboxReport" | "doubt">;
    readonly clock: Clock;
  },
): SandboxWatch {
  let isNeeded = false;
  let restsSinceMs: number | undefined;
  const refuse = (problem: string): never => {
    const { label, sandbox } = provider;
    throw new UsageError(`Cannot leave ${name} at work: the sandbox of ${label} is not on: ${problem}`, {
      ...(sandbox === undefined ? {} : { hint: sandbox.remedy }),
    });
  };
  return {
    noteSubmission() {
      isNeeded = true;
      restsSinceMs = undefined;
    },
    judge(decision) {
      const { turns = 0, problem } = source.sandboxReport?.() ?? {};
      if (problem !== undefined) return refuse(problem);
      const isAtRest = decision.status === "idle" || decision.status === "completed";
      if (!isAtRest || turns > 0 || !isNeeded) {
        restsSinceMs = undefined;
        return decision;
      }
      source.doubt();
      restsSinceMs ??= clock.now();
      if (clock.now() - restsSinceMs >= READ_BACK_MS) return refuse("its record tells nothing of the turn");
      return { status: "unknown", rule: "sandbox-not-read-back", evidence: [] };
    },
  };
}
