import { assertEquals, assertMatch } from "@std/assert";
import { PasteLostError } from "../../lib/base/errors.ts";
import { AgentGivenUpError } from "../../lib/turn/failure.ts";
import { playTurn } from "../../lib/turn/play_turn.ts";
import type { Terminal } from "../../lib/turn/terminal.ts";
import { createBench } from "./support.ts";

/** How a turn ends whose prompt is lost by the agent's composer, and what is done about that. */
async function lost({ mayReplace = true }: { readonly mayReplace?: boolean }) {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  const recoveries: (string | undefined)[] = [];
  let pastes = 0;
  const terminal: Terminal = {
    id: "%1",
    status: () => Promise.resolve({ status: "idle" }),
    async submit(_text, options) {
      await options?.onStep?.("paste");
      pastes++;
      throw new PasteLostError("Cannot submit to tester: the pasted text does not show in its composer");
    },
    holdsText: () => Promise.resolve(false),
    hasDraft: () => Promise.resolve(false),
    lastOutput: () => Promise.resolve(""),
    describeEnd: () => Promise.resolve(undefined),
  };
  const played = playTurn(terminal, {
    ...bench.options({ maxErrorRetries: 8 }),
    ...{ role: "tester", message: "Test it.", mayReplace },
    emit(event) {
      if (event.type === "failure") recoveries.push(event.retry?.recovery);
    },
  });
  const error = await bench.clock.runUntilSettled(played.catch((error: Error) => error));
  return { error, pastes, recoveries };
}

Deno.test("a composer that has lost what was pasted gets it no second time: its agent is started again", async () => {
  const { error, pastes, recoveries } = await lost({});
  assertEquals([pastes, recoveries, error instanceof AgentGivenUpError], [1, ["restart"], true]);
  const left = await lost({ mayReplace: false });
  assertEquals([left.pastes, left.recoveries, left.error instanceof AgentGivenUpError], [1, [], false]);
  assertMatch(String(left.error), /sending the prompt failed: .*does not show in its composer/);
});
