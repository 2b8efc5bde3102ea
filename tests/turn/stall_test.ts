import { assertEquals, assertStringIncludes } from "@std/assert";
import { playTurn } from "../../lib/turn/play_turn.ts";
import type { Terminal } from "../../lib/turn/terminal.ts";
import { createBench } from "./support.ts";

interface Stalling {
  /** What shows of its work, after so many seconds. */
  readonly mark: (second: number) => string | undefined;
  readonly mayReplace?: boolean;
  readonly stallMinutes?: number;
  /** Whether it comes to rest when it is interrupted, and responds to the next message. @default {false} */
  readonly rests?: boolean;
  readonly hasDraft?: boolean;
  /** Whether it writes its response with its first message, and works on. @default {false} */
  readonly responds?: boolean;
}

/** Plays a turn whose agent is at work for ever, and tells how and after how many seconds it ends, and what was told. */
async function stalled(
  { mark, mayReplace = true, stallMinutes = 20, rests = false, hasDraft = false, responds = false }: Stalling,
) {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const { clock } = bench;
  const failures: (string | undefined)[] = [];
  const sent: string[] = [];
  let looks = 0;
  let isAtRest = false;
  const terminal: Terminal = {
    id: "%1",
    status: () => Promise.resolve({ status: isAtRest ? "completed" : "processing" }),
    async submit(text) {
      sent.push(text);
      if (isAtRest || responds) await bench.respond("tester", "RESULT: PASS");
    },
    interrupt() {
      isAtRest = rests;
      return Promise.resolve();
    },
    holdsText: () => Promise.resolve(false),
    hasDraft: () => Promise.resolve(hasDraft),
    lastOutput: () => Promise.resolve(""),
    describeEnd: () => Promise.resolve(undefined),
    workMark() {
      looks++;
      return Promise.resolve(mark(clock.elapsedSeconds()));
    },
  };
  const played = playTurn(terminal, {
    ...bench.options({ maxErrorRetries: 8, responseTimeoutSeconds: 2 * 3600, stallMinutes }),
    ...{ role: "tester", message: "Test it.", mayReplace },
    emit(event) {
      if (event.type === "failure") failures.push(event.retry?.recovery);
    },
  });
  const end = await clock.runUntilSettled(played.catch((error: Error) => error.message));
  return { end, failures, sent, looks, minutes: Math.round(clock.elapsedSeconds() / 60) };
}

Deno.test("an agent at work of which nothing changes for the set time is given up, and told so", async () => {
  const { end, failures, looks, minutes } = await stalled({ mark: () => "the same" });
  assertStringIncludes(end, "nothing has changed for 20 minutes");
  assertEquals([failures, minutes, looks], [["interrupt", "restart"], 20, 21]);
});

Deno.test("one that comes to rest when it is interrupted continues its turn; with a draft in its composer it is started again", async () => {
  for (const hasDraft of [false, true]) {
    const { end, failures, sent } = await stalled({ mark: () => "the same", rests: true, hasDraft });
    if (hasDraft) {
      assertEquals([failures, sent.length], [["interrupt", "restart"], 1]);
      continue;
    }
    assertEquals([end, failures, sent.length], ["RESULT: PASS", ["interrupt"], 2]);
    assertStringIncludes(sent[1] ?? "", "Nothing happened for a while, so your turn was interrupted while you worked");
  }
});

Deno.test("an agent that works on after its complete response is interrupted when it stalls, or its time is up, and the response counts", async () => {
  const told = { rests: true, responds: true } as const;
  const stalls = await stalled({ mark: () => "the same", ...told });
  assertEquals([stalls.end, stalls.failures, stalls.minutes, stalls.sent.length], ["RESULT: PASS", [], 20, 1]);
  const late = await stalled({ mark: String, ...told });
  assertEquals([late.end, late.failures, late.minutes], ["RESULT: PASS", [], 120]);
  // One that does not hear it is ended: the agent in its place takes the response.
  const deaf = await stalled({ mark: String, responds: true });
  assertEquals([deaf.failures, deaf.minutes], [["restart"], 120]);
  const only = await stalled({ mark: String, responds: true, mayReplace: false });
  assertStringIncludes(only.end, "the limit of 7200 s passed");
});

Deno.test("what changes, what cannot be told and a command that runs are no standstill", async () => {
  // Each minute another mark; each half an hour one, with a command that runs in between.
  for (
    const mark of [
      (second: number) => String(Math.floor(second / 60)),
      (second: number) => Math.floor(second / 600) % 2 === 0 ? "the same" : undefined,
    ]
  ) {
    const { end, failures } = await stalled({ mark });
    assertStringIncludes(end, "the limit of 7200 s passed");
    assertEquals(failures, []);
  }
});

Deno.test("nobody looks where the agent cannot be replaced, or the setting is 0", async () => {
  for (const change of [{ mayReplace: false }, { stallMinutes: 0 }]) {
    const { end, looks } = await stalled({ mark: () => "the same", ...change });
    assertStringIncludes(end, "the limit of 7200 s passed");
    assertEquals(looks, 0);
  }
});
