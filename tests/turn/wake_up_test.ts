import { assert, assertEquals, assertRejects } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import { ensureResponseDir, responsePathFor } from "../../lib/turn/response_files.ts";
import { watchResponses } from "../../lib/turn/response_watch.ts";
import type { HandoffSettings } from "../../lib/turn/settings.ts";
import { openWakeUp } from "../../lib/turn/wake_up.ts";
import { waitForResponseFile } from "../../lib/turn/terminal_api.ts";
import type { WakeHint, WakeSource } from "../../lib/agents/pane/wake_source.ts";
import type { TerminalScript } from "../support/scripted_terminal.ts";
import { tempDir } from "../support/temp_dir.ts";
import { until } from "../tmux/support.ts";
import { createBench, type HandoffBench } from "./support.ts";

/** A source that hints when it is told to. */
function manualSource(): WakeSource & { hint(hint: WakeHint): void; readonly listeners: number } {
  const listeners = new Set<(hint: WakeHint) => void>();
  return {
    get listeners() {
      return listeners.size;
    },
    hint(hint) {
      for (const listener of listeners) listener(hint);
    },
    onHint(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

async function waitWoken(
  bench: HandoffBench,
  source: WakeSource,
  settings: Partial<HandoffSettings> = {},
): Promise<string> {
  using wakeUp = openWakeUp({ clock: bench.clock, sources: [source] });
  return await bench.clock.runUntilSettled(
    waitForResponseFile(bench.terminal, "t-1", "analyst", {
      ...bench.options(settings),
      wake: (untilMs, signal) => wakeUp.wait(untilMs, signal),
    }),
  );
}

/** Hints from one second on, every so many milliseconds. */
function hintEvery(bench: HandoffBench, source: { hint(hint: WakeHint): void }, everyMs: number, untilSecond: number) {
  for (let atMs = 1000; atMs < untilSecond * 1000; atMs += everyMs) {
    bench.clock.at(atMs / 1000, () => source.hint("now"));
  }
}

Deno.test("without a hint it is polled as without a source", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [9, "idle"]] });
  bench.clock.at(8, () => bench.respond("analyst", "done"));
  assertEquals(await waitWoken(bench, manualSource()), "done");
  assertEquals(bench.terminal.pollSeconds, [0, 2, 4, 6, 8, 10]);
});

Deno.test("a response is taken a moment after the hint that the agent is done, not at the next poll", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [8.555, "idle"]] });
  const source = manualSource();
  bench.clock.at(8.2, () => bench.respond("analyst", "done"));
  bench.clock.at(8.2, () => source.hint("now"));
  bench.clock.at(8.55, () => source.hint("now"));
  assertEquals(await waitWoken(bench, source), "done");
  assertEquals(bench.clock.elapsedSeconds(), 8.565);
});

Deno.test("screen and record that lag behind the hint are looked at again soon", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [8.55, "idle"]] });
  const source = manualSource();
  bench.clock.at(8.2, () => bench.respond("analyst", "done"));
  bench.clock.at(8.5, () => source.hint("now"));
  assertEquals(await waitWoken(bench, source), "done");
  // The second look at the file has already been taken.
  assertEquals(bench.clock.elapsedSeconds(), 8.59);
});

Deno.test("a hint that is missed costs a poll interval at most", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [8.5, "idle"]] });
  bench.clock.at(8.2, () => bench.respond("analyst", "done"));
  await waitWoken(bench, manualSource());
  assertEquals(bench.clock.elapsedSeconds(), 10.075);
});

Deno.test("a file that is being written is not taken sooner because it is looked at more often", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [4, "idle"]] });
  const source = manualSource();
  let text = "";
  for (let piece = 0; piece < 20; piece++) {
    bench.clock.at(4 + piece * 0.06, async () => {
      text += `piece ${piece}\n`;
      await bench.respond("analyst", text);
      source.hint("now");
    });
  }
  assertEquals((await waitWoken(bench, source)).split("\n").length, 21);
});

/** What must not depend on how often it is polled: the earliest second at which a wait may end. */
const TIMING_SCRIPTS: readonly {
  readonly name: string;
  readonly script: TerminalScript;
  readonly settings: Partial<HandoffSettings>;
  readonly earliest: number;
}[] = [
  {
    name: "the startup guard and its timeout",
    script: { statuses: [[0, "completed"]] },
    settings: { idleGraceSeconds: 20 },
    earliest: 40,
  },
  {
    name: "the grace after work",
    script: { statuses: [[0, "completed"], [3, "processing"], [10, "completed"]] },
    settings: { idleGraceSeconds: 20 },
    earliest: 30,
  },
  {
    name: "a grace that work interrupts",
    script: { statuses: [[0, "processing"], [10, "idle"], [24, "processing"], [40, "idle"]] },
    settings: { idleGraceSeconds: 20 },
    earliest: 60,
  },
  {
    name: "the response timeout",
    script: { statuses: [[0, "processing"]] },
    settings: { responseTimeoutSeconds: 61 },
    earliest: 61,
  },
];

for (const { name, script, settings, earliest } of TIMING_SCRIPTS) {
  Deno.test(`however many early polls there are, they change nothing about ${name}`, async () => {
    const messages = new Set<string>();
    for (const everyMs of [Infinity, 50, 700, 3100]) {
      await using bench = await createBench(script);
      const source = manualSource();
      hintEvery(bench, source, everyMs, 90);
      const error = await assertRejects(() => waitWoken(bench, source, settings), Error);
      messages.add(error.message.replaceAll(bench.workdir, "DIR"));
      const seconds = bench.clock.elapsedSeconds();
      // One poll may see the beginning of a time late, and one its end.
      assert(seconds >= earliest && seconds <= earliest + 4, `${seconds} s with a hint every ${everyMs} ms`);
    }
    assertEquals(messages.size, 1);
  });
}

Deno.test("hints without end cause no storm of polls", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const source = manualSource();
  hintEvery(bench, source, 20, 120);
  await assertRejects(() => waitWoken(bench, source, { responseTimeoutSeconds: 120 }), Error);
  // 80 in a row, one more a second, and those of its own that still come.
  assert(bench.terminal.pollSeconds.length <= 80 + 120 + 60, `${bench.terminal.pollSeconds.length} polls`);
  assert(bench.terminal.pollSeconds.length > 120, "the hints were heard");
});

Deno.test("pauses alone leave early polls for signs", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [30, "idle"]] });
  const source = manualSource();
  for (let atMs = 1000; atMs < 29_900; atMs += 100) bench.clock.at(atMs / 1000, () => source.hint("maybe"));
  bench.clock.at(29.5, () => bench.respond("analyst", "done"));
  bench.clock.at(30.1, () => source.hint("now"));
  assertEquals(await waitWoken(bench, source), "done");
  // The file is new to this look, so that it takes a second one.
  assertEquals(bench.clock.elapsedSeconds(), 30.19);
});

Deno.test("an abort ends a wait at once, and disposal lets go of the sources", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const source = manualSource();
  const controller = new AbortController();
  const wakeUp = openWakeUp({ clock: bench.clock, sources: [source] });
  bench.clock.at(1, () => controller.abort(new RuntimeError("enough")));
  await assertRejects(
    () => bench.clock.runUntilSettled(wakeUp.wait(bench.clock.now() + 5000, controller.signal)),
    RuntimeError,
    "enough",
  );
  assertEquals([bench.clock.elapsedSeconds(), source.listeners], [1, 1]);
  wakeUp[Symbol.dispose]();
  assertEquals(source.listeners, 0);
});

Deno.test("a new response file is told of, also in a folder that was not there yet or was replaced", async () => {
  await using folder = await tempDir();
  await using responses = watchResponses(folder.path);
  let hints = 0;
  using _listening = responses.onHint(() => hints++);
  const write = async (text: string) => {
    const before = hints;
    await Deno.writeTextFile(`${responsePathFor(folder.path, "analyst")}.partial`, text);
    await Deno.rename(`${responsePathFor(folder.path, "analyst")}.partial`, responsePathFor(folder.path, "analyst"));
    await until(() => Promise.resolve(hints), (now) => now > before);
  };
  await ensureResponseDir(folder.path);
  await until(() => Promise.resolve(hints), (now) => now > 0);
  await write("one");
  await write("two");
  await Deno.remove(`${folder.path}/.tmp/agent-responses`, { recursive: true });
  await ensureResponseDir(folder.path);
  await until(() => Promise.resolve(hints), (now) => now > 3);
  await write("three");
});
