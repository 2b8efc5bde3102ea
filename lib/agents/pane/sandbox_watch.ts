import { present } from "../../base/schema.ts";
import { UsageError } from "../../base/errors.ts";
import type { Clock } from "../../base/ports/clock.ts";
import type { Decision } from "../../screen/classify.ts";
import type { Provider } from "../provider.ts";
import type { StatusSource } from "./status_source.ts";

export type SandboxWatch = ReturnType<typeof createSandboxWatch>;

const READ_BACK_MS = 15_000;

export function createSandboxWatch(
  { name, provider, source, clock }: {
    readonly name: string;
    readonly provider: Pick<Provider, "label" | "sandbox">;
    readonly source: Pick<StatusSource, "sandboxReport" | "doubt">;
    readonly clock: Clock;
  },
) {
  let isNeeded = false;
  let restsSinceMs: number | undefined;
  const refuse = (problem: string): never => {
    const { label, sandbox } = provider;
    throw new UsageError(`Cannot leave ${name} at work: the sandbox of ${label} is not on: ${problem}`, {
      ...present({ hint: sandbox?.remedy }),
    });
  };
  return {
    /** Told right before a prompt is submitted: from now on there is a turn to be read back. */
    noteSubmission(): void {
      isNeeded = true;
      restsSinceMs = undefined;
    },
    /** As long as no turn was read back, none has an end: it is `unknown` what the agent does. */
    judge(decision: Decision): Decision {
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
