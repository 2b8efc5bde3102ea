import type { MessageKind } from "../../lib/base/terms.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { TimeoutError } from "../../lib/base/errors.ts";
import { markDispatch } from "../../lib/turn/response_reading.ts";
import type { BegunTurn } from "../../lib/turn/turn.ts";
import type { HandoffOptions } from "../../lib/turn/terminal_api.ts";
import { sendAndWait, type TerminalApi } from "../../lib/turn/terminal_api.ts";
import { createBench, type HandoffBench } from "./support.ts";

/** What an earlier process left of a turn whose prompt the agent has. */
function sentTurn(bench: HandoffBench, usedSeconds: number): BegunTurn {
  return {
    dispatch: markDispatch(bench.workdir),
    message: { what: "prompt", text: "the prompt", step: "sent" },
    reminders: 0,
    acceptedDialogs: 0,
    declinedDialogs: 0,
    usedSeconds,
  };
}

interface Played {
  readonly told: readonly number[];
  readonly took: number;
  readonly result: string | Error;
}

async function play(
  bench: HandoffBench,
  options: Partial<HandoffOptions> & { readonly api?: Partial<TerminalApi> } = {},
): Promise<Played> {
  const { api, settings, ...rest } = options;
  const told: number[] = [];
  const startedAt = bench.clock.elapsedSeconds();
  const result = await bench.clock.runUntilSettled(
    sendAndWait({ ...bench.terminal, ...api }, "t-1", "tester", "the prompt", {
      ...bench.options({ responseTimeoutSeconds: 600, ...settings }),
      ...rest,
      onTimeUsed: (seconds) => void told.push(seconds),
    }).catch((error: Error) => error),
  );
  return { told, took: bench.clock.elapsedSeconds() - startedAt, result };
}

Deno.test("a turn tells each minute, and when it fails, how much of its time it has used", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const { told, took, result } = await play(bench);
  assert(result instanceof TimeoutError);
  assertEquals([took, told], [600, [60, 120, 180, 240, 300, 360, 420, 480, 540, 600, 600]]);
});

Deno.test("a short limit is told of in tenths", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const { told } = await play(bench, { settings: { responseTimeoutSeconds: 40 } });
  assertEquals(told.slice(0, 3), [4, 8, 12]);
});

Deno.test("whenever the process of a turn was killed, the turn that is resumed ends after the rest of its time", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const { told } = await play(bench);
  for (const [index, used] of [0, ...told].entries()) {
    const resumed = await play(bench, { begun: sentTurn(bench, used) });
    assert(resumed.result instanceof TimeoutError, `after ${index} reports`);
    assertStringIncludes(resumed.result.message, "the limit of 600 s passed");
    assertStringIncludes(resumed.result.hint ?? "", "has what is left of it");
    assertEquals([resumed.took, resumed.told.at(-1)], [600 - used, 600], `after ${index} reports`);
  }
});

Deno.test("a turn that is killed again and again takes no longer for it", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  let used = 0;
  for (let kills = 0; kills < 9; kills++) {
    const killed = new AbortController();
    bench.clock.at(bench.clock.elapsedSeconds() + 61, () => killed.abort(new Error("killed")));
    const { told } = await play(bench, { begun: sentTurn(bench, used), signal: killed.signal });
    // A process that is killed tells nothing at its end.
    used = told.at(-2)!;
  }
  assertEquals(used, 540);
  const { took } = await play(bench, { begun: sentTurn(bench, used) });
  assertEquals(took, 60);
});

Deno.test("the time in which a person is waited for is not told as used, and comes on top of the rest", async () => {
  const answered = 400;
  await using bench = await createBench({
    statuses: [[0, "processing"], [10, "waiting_user_answer"], [answered, "processing"]],
  });
  const { told, took } = await play(bench, {
    begun: sentTurn(bench, 480),
    dialogs: { inspect: () => Promise.resolve({ decision: "wait" }), noteClosed() {} },
  });
  assertEquals([took, told], [120 + answered - 10, [540, 600, 600]]);
});

for (const late of ["idle", "processing"] as const) {
  Deno.test(`a response that is there is taken also when no time is left, by an agent that looks ${late} at first`, async () => {
    await using bench = await createBench({ statuses: [[0, late], [8, "idle"]] });
    const begun = sentTurn(bench, 600);
    await bench.respond("tester", "written meanwhile");
    assertEquals((await play(bench, { begun })).result, "written meanwhile");
    assertEquals(bench.terminal.inputs, []);
  });
}

Deno.test("an agent that does not come to rest with its response has not the whole time again", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const begun = sentTurn(bench, 590);
  await bench.respond("tester", "written meanwhile");
  const { result, took } = await play(bench, { begun });
  assert(result instanceof TimeoutError);
  assertEquals(took, 30);
});

for (const what of ["prompt", "reminder"] as const satisfies readonly MessageKind[]) {
  for (const step of ["paste", "enter"] as const) {
    const [api, statuses] = [
      { holdsInput: () => Promise.resolve(step === "enter") },
      [[0, "idle"]] as const,
    ];
    Deno.test(`nothing is sent when no time is left: a ${what} before ${step}`, async () => {
      await using bench = await createBench({ statuses });
      const begun: BegunTurn = { ...sentTurn(bench, 600), message: { what, text: "the text", step } };
      await assertRejects(
        async () => {
          const { result } = await play(bench, { begun, api });
          if (result instanceof Error) throw result;
        },
        TimeoutError,
        "the limit of 600 s passed",
      );
      assertEquals(bench.terminal.inputs, []);
      await bench.respond("tester", "written meanwhile");
      assertEquals((await play(bench, { begun, api })).result, "written meanwhile");
      assertEquals(bench.terminal.inputs, []);
    });
  }
}

Deno.test("a new agent gets its prompt within the rest", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"], [4, "processing"]] });
  const { message: _lost, ...begun } = sentTurn(bench, 450);
  const { result, took } = await play(bench, { begun });
  assert(result instanceof TimeoutError);
  assertEquals([took, bench.terminal.inputs.length], [150, 1]);
});

Deno.test("an agent at work is not waited for longer than the rest before a message that was not sent", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const begun: BegunTurn = { ...sentTurn(bench, 500), message: { what: "reminder", text: "the text", step: "paste" } };
  const { result, took } = await play(bench, { begun });
  assert(result instanceof TimeoutError);
  assertEquals(took, 100);
});

Deno.test("grace and reminders keep their meaning in the rest", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [2, "idle"]] });
  const { result, took } = await play(bench, {
    begun: sentTurn(bench, 500),
    settings: { idleGraceSeconds: 10, maxFileReminders: 1 },
  });
  assertStringIncludes((result as Error).message, "it rested for 10 s");
  assertEquals(bench.terminal.inputs.length, 1);
  assert(took < 100);
});
