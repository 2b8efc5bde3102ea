import { assertEquals, assertStringIncludes } from "@std/assert";
import { continueTurn } from "../../../lib/jobs/review_loop/continued_turn.ts";
import { newTurn } from "../../../lib/journal/loop/state.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";

const PROMPT = "Repair the cart.";

/** What an agent gets that was ended in its turn. */
async function continued(
  { taken, hasMemory = true, protocol }: {
    readonly taken: boolean;
    readonly hasMemory?: boolean;
    readonly protocol?: "acp";
  },
) {
  const turn = newTurn({ turnId: "r1-tester", role: "tester" }, 0);
  const agent = {
    ...{ provider: "codex", pane: undefined, sessionId: "s", seenRules: [], hasMemory },
    ...(protocol === undefined ? {} : { protocol }),
  };
  const { message, messageKind } = await continueTurn({ ...turn, interrupted: true, taken }, {
    ...{ prompt: PROMPT, expectsResponse: true, workdir: "/w" },
    folder: runFolderAt("/w", "20261120-000000-0000"),
    agents: { tester: agent },
  });
  return { message, messageKind };
}

Deno.test("an agent that has taken its prompt is told to continue, and not what", async () => {
  const { message, messageKind } = await continued({ taken: true });
  assertEquals([messageKind, message.includes(PROMPT)], ["continuation", false]);
  assertStringIncludes(message, "Continue the task of the previous prompt");
});

Deno.test("one whose prompt nobody knows to be taken gets it once more, with that said, in a pane and over a protocol", async () => {
  for (const how of [{}, { protocol: "acp" }] as const) {
    const { message, messageKind } = await continued({ taken: false, ...how });
    assertEquals(messageKind, "continuation");
    assertStringIncludes(message, "ended right when you got the prompt below");
    assertStringIncludes(message, PROMPT);
  }
});

Deno.test("one with a new session gets the task of another agent", async () => {
  const { message, messageKind } = await continued({ taken: true, hasMemory: false });
  assertEquals(messageKind, "prompt");
  assertStringIncludes(message, `Another agent was ended while it worked on the task below`);
  assertStringIncludes(message, PROMPT);
});
