import { assertEquals, assertStringIncludes } from "@std/assert";
import type { TurnEvent } from "../../lib/turn/events.ts";
import { playTurn } from "../../lib/turn/play_turn.ts";
import type { Terminal } from "../../lib/turn/terminal.ts";
import { createBench } from "./support.ts";

const TASK = "Test it. The scenario test is: it prints 6.69.";

/** Plays a turn whose agent forgets its response once, and tells what was sent to it, and what was told. */
async function played(compactionsAt: (second: number) => number, before = 0) {
  await using bench = await createBench({ statuses: [[0, "completed"]] });
  const { clock } = bench;
  const sent: string[] = [];
  const times: number[] = [];
  const terminal: Terminal = {
    id: "%1",
    status: () => Promise.resolve({ status: "completed" }),
    async submit(text) {
      sent.push(text);
      if (sent.length === 2) await bench.respond("tester", "RESULT: PASS");
    },
    holdsText: () => Promise.resolve(false),
    hasDraft: () => Promise.resolve(false),
    lastOutput: () => Promise.resolve(""),
    describeEnd: () => Promise.resolve(undefined),
    compactions: () => Promise.resolve(compactionsAt(clock.elapsedSeconds())),
  };
  const emit = (event: TurnEvent) => void (event.type === "compacted" && times.push(event.times));
  const turn = playTurn(terminal, {
    ...bench.options({ maxFileReminders: 1 }),
    ...{ role: "tester", message: "Test it.", compactions: before, restate: () => TASK, emit },
  });
  await clock.runUntilSettled(turn);
  return { sent, times };
}

Deno.test("an agent whose conversation was made shorter in its turn gets the turn's prompt again with the next message", async () => {
  const { sent: [prompt, reminder = ""], times } = await played((second) => second < 5 ? 1 : 2, 1);
  assertEquals([prompt, times], ["Test it.", [2]]);
  assertStringIncludes(
    reminder,
    `--- PREVIOUS PROMPT ---\n${TASK}\n--- END OF PREVIOUS PROMPT ---\n\nYour turn is not`,
  );
});

Deno.test("one whose conversation is as it was gets the message alone; what was told of earlier turns counts not again", async () => {
  const { sent: [, reminder = ""], times } = await played(() => 3, 3);
  assertEquals([reminder.startsWith("Your turn is not finished"), times], [true, []]);
});
