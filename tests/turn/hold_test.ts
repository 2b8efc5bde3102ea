import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AgentAtWorkError, DraftInTheWayError, RuntimeError, TimeoutError } from "../../lib/base/errors.ts";
import type { HandoffOptions } from "../../lib/turn/terminal_api.ts";
import type { Held, Message } from "../../lib/turn/events.ts";
import { sendAndWait, type TerminalApi } from "../../lib/turn/terminal_api.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
import { createBench, type HandoffBench } from "./support.ts";

/** What is in the composer from a second on: a person's words, ours, or both. */
type Composed = readonly [fromSecond: number, "empty" | "words" | "ours" | "ours and words"];

interface Scene {
  readonly composer?: readonly Composed[];
  readonly settings?: HandoffOptions["settings"];
  readonly draftTimeoutSeconds?: number;
  /** At the first message the text is pasted, and then somebody types. */
  readonly pasteFirst?: boolean;
}

/** Plays a turn with an agent that, like a real one, takes nothing while it is at work or words are in its composer. */
function play(bench: HandoffBench, scene: Scene) {
  const told: string[] = [];
  const steps: Message["step"][] = [];
  const now = () => bench.clock.elapsedSeconds();
  const composed = () => scene.composer?.findLast(([from]) => from <= now())?.[1] ?? "empty";
  let pasted = false;
  const api: TerminalApi = {
    ...bench.terminal,
    async sendInput(id, text, options) {
      const status = await bench.terminal.getStatus(id);
      if (status === "processing") throw new AgentAtWorkError("the agent is still at work");
      if (composed() !== "empty" && composed() !== "ours") throw new DraftInTheWayError("a draft is not ours");
      if (composed() === "empty") {
        await options?.onStep?.("paste");
        if (scene.pasteFirst && !pasted) {
          pasted = true;
          throw new DraftInTheWayError("its composer holds something other than the pasted text");
        }
      }
      await options?.onStep?.("enter");
      await bench.terminal.sendInput(id, text);
    },
    holdsInput: () => Promise.resolve(composed() === "ours"),
    hasDraft: () => Promise.resolve(composed() !== "empty"),
  };
  const text = bench.clock.runUntilSettled(sendAndWait(api, "t-1", "tester", "the prompt", {
    ...bench.options(scene.settings),
    ...(scene.draftTimeoutSeconds === undefined ? {} : { draftTimeoutSeconds: scene.draftTimeoutSeconds }),
    onHeld: (held?: Held) => void told.push(held === undefined ? "released" : `${held.what} ${held.obstacle}`),
    onMessage: ({ step }) => void steps.push(step),
  }));
  return { text, told, steps };
}

type Statuses = readonly (readonly [number, TerminalStatus])[];

/** A bench whose agent answers `done` to what it is sent, where that is the prompt. */
function answering(statuses: Statuses): Promise<HandoffBench> {
  const made = createBench({ statuses, onInput: async () => await (await made).respond("tester", "done") });
  return made;
}

Deno.test("an agent that is at work when its prompt is due is waited for, and told of once", async () => {
  await using bench = await answering([[0, "processing"], [300, "completed"]]);
  const { text, told, steps } = play(bench, {});
  assertEquals(await text, "done");
  assertEquals(told, ["prompt at_work", "released"]);
  assertEquals(steps, ["paste", "enter", "sent"]);
  assertEquals(bench.terminal.inputs, [{ text: "the prompt", atSecond: 300 }]);
});

Deno.test("without a listener, the log tells once of a message that waits", async () => {
  await using bench = await answering([[0, "processing"], [60, "idle"]]);
  const api: TerminalApi = {
    ...bench.terminal,
    async sendInput(id, text) {
      if (await bench.terminal.getStatus(id) === "processing") throw new AgentAtWorkError("at work");
      await bench.terminal.sendInput(id, text);
    },
  };
  await bench.clock.runUntilSettled(sendAndWait(api, "t-1", "tester", "the prompt", bench.options()));
  assertEquals(bench.logs, [
    "Warning: the prompt for tester in terminal t-1 waits: the agent is at work on something else.",
  ]);
});

Deno.test("work is waited for until the time of a turn is up; the turn has all of its time after it", async (t) => {
  await t.step("too long", async () => {
    await using bench = await answering([[0, "processing"]]);
    const { text } = play(bench, { settings: { responseTimeoutSeconds: 90 } });
    const error = await assertRejects(() => text, TimeoutError, "was not sent the prompt");
    assertStringIncludes(error.message, "the limit of 90 s");
    assertEquals([bench.clock.elapsedSeconds(), bench.terminal.inputs], [90, []]);
  });
  await t.step("80 of 90 s, and 80 more for the answer", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [80, "idle"], [81, "processing"]] });
    bench.clock.at(160, () => bench.respond("tester", "late"));
    const { text } = play(bench, { settings: { responseTimeoutSeconds: 90 } });
    await assertRejects(() => text, TimeoutError, "the limit of 90 s passed");
    assertEquals(bench.clock.elapsedSeconds(), 170);
  });
});

Deno.test("an agent that begins to work right when it is to be reminded, and then answers, is not reminded", async () => {
  await using bench = await createBench({
    statuses: [[0, "idle"], [2, "processing"], [10, "idle"], [40.5, "processing"], [70, "idle"]],
  });
  bench.clock.at(60, () => bench.respond("tester", "of its own accord"));
  let sends = 0;
  const api: TerminalApi = {
    ...bench.terminal,
    sendInput(id, text) {
      if (++sends === 2) return Promise.reject(new AgentAtWorkError("at work"));
      return bench.terminal.sendInput(id, text);
    },
  };
  const turn = sendAndWait(api, "t-1", "tester", "the prompt", bench.options({ maxFileReminders: 1 }));
  assertEquals(await bench.clock.runUntilSettled(turn), "of its own accord");
  assertEquals([sends, bench.terminal.inputs.length], [2, 1]);
});

Deno.test("a person's draft is waited for like a dialog; the prompt is sent when it is gone", async () => {
  await using bench = await answering([[0, "idle"]]);
  const { text, told } = play(bench, { composer: [[0, "words"], [400, "empty"]] });
  assertEquals(await text, "done");
  assertEquals(told, ["prompt draft", "released"]);
  assertEquals(bench.terminal.inputs, [{ text: "the prompt", atSecond: 400 }]);
});

Deno.test("a draft that a person submits is waited for as work of the agent", async () => {
  await using bench = await answering([[0, "idle"], [100, "processing"], [900, "completed"]]);
  const { text, told } = play(bench, { composer: [[0, "words"], [100, "empty"]] });
  assertEquals(await text, "done");
  assertEquals(told, ["prompt draft", "prompt at_work", "released"]);
  assertEquals(bench.terminal.inputs, [{ text: "the prompt", atSecond: 900 }]);
});

Deno.test("a draft that stays ends the turn with exit code 3, whatever came first", async (t) => {
  const scenes: readonly (readonly [string, Statuses, Scene])[] = [
    ["the draft", [[0, "idle"]], { composer: [[0, "words"]] }],
    ["the paste", [[0, "idle"]], { composer: [[0, "empty"], [1, "ours and words"]], pasteFirst: true }],
    ["work, then the draft", [[0, "processing"], [50, "idle"]], { composer: [[0, "empty"], [20, "words"]] }],
    ["the draft under work without an end", [[0, "processing"]], { composer: [[0, "words"]] }],
  ];
  for (const [name, statuses, scene] of scenes) {
    await t.step(name, async () => {
      await using bench = await answering(statuses);
      const settings = { responseTimeoutSeconds: 300 };
      const { text } = play(bench, { ...scene, settings, draftTimeoutSeconds: 120 });
      const error = await assertRejects(() => text, DraftInTheWayError, "a person's draft");
      assertEquals([error.exitCode, bench.terminal.inputs], [3, []]);
    });
  }
});

Deno.test("work that comes again and again does not begin the time of a draft anew", async () => {
  const statuses = Array.from(
    { length: 40 },
    (_, at): Statuses[number] => [at * 50, at % 2 === 0 ? "idle" : "processing"],
  );
  await using bench = await answering(statuses);
  const { text, told } = play(bench, { composer: [[0, "words"]], draftTimeoutSeconds: 120 });
  await assertRejects(() => text, DraftInTheWayError, "a person's draft");
  assertEquals(told, ["prompt draft", "prompt at_work", "prompt draft", "prompt at_work", "prompt draft", "released"]);
  assert(bench.clock.elapsedSeconds() <= 230, `${bench.clock.elapsedSeconds()} s`);
});

Deno.test("keys between paste and Enter: what was pasted is submitted once they are gone, and not pasted again", async () => {
  await using bench = await answering([[0, "idle"]]);
  const { text, steps } = play(bench, {
    composer: [[0, "empty"], [1, "ours and words"], [30, "ours"]],
    pasteFirst: true,
  });
  assertEquals(await text, "done");
  assertEquals(steps, ["paste", "enter", "sent"]);
});

Deno.test("a person who presses Enter on what was pasted has sent it: nothing is sent again", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"], [20, "processing"], [50, "completed"]] });
  bench.clock.at(45, () => bench.respond("tester", "done"));
  const { text, steps } = play(bench, {
    composer: [[0, "empty"], [1, "ours and words"], [20, "empty"]],
    pasteFirst: true,
  });
  assertEquals(await text, "done");
  assertEquals([steps, bench.terminal.inputs], [["paste", "sent"], []]);
});

Deno.test("work that begins while what was pasted still stands in the composer is not taken for the prompt's", async () => {
  await using bench = await answering([[0, "idle"], [20, "processing"], [50, "idle"]]);
  const { text, steps, told } = play(bench, {
    composer: [[0, "empty"], [1, "ours and words"], [60, "ours"]],
    pasteFirst: true,
  });
  assertEquals(await text, "done");
  assertEquals(told, ["prompt draft", "prompt at_work", "prompt draft", "released"]);
  assertEquals([steps, bench.terminal.inputs], [["paste", "enter", "sent"], [{ text: "the prompt", atSecond: 60 }]]);
});

Deno.test("after Enter nobody knows what was submitted: nothing is waited for, and nothing typed again", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  const api: TerminalApi = {
    ...bench.terminal,
    async sendInput(_id, _text, options) {
      await options?.onStep?.("paste");
      await options?.onStep?.("enter");
      throw new DraftInTheWayError("nothing shows that the text was taken");
    },
  };
  const turn = sendAndWait(api, "t-1", "tester", "the prompt", { ...bench.options(), onMessage: () => {} });
  await assertRejects(() => bench.clock.runUntilSettled(turn), DraftInTheWayError, "nothing shows");
  assertEquals(bench.clock.elapsedSeconds(), 0);
});

Deno.test("an agent that ends while its prompt waits ends the turn", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [10, "error"]] });
  const api: TerminalApi = {
    ...bench.terminal,
    async sendInput(id) {
      const isAtWork = await bench.terminal.getStatus(id) === "processing";
      throw isAtWork ? new AgentAtWorkError("at work") : new RuntimeError("the agent has ended");
    },
  };
  const turn = sendAndWait(api, "t-1", "tester", "the prompt", bench.options());
  await assertRejects(() => bench.clock.runUntilSettled(turn), RuntimeError, "the agent has ended");
});
