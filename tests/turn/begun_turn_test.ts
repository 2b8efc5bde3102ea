import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import { markDispatch } from "../../lib/turn/response_reading.ts";
import type { BegunTurn } from "../../lib/turn/turn.ts";
import type { HandoffOptions } from "../../lib/turn/terminal_api.ts";
import type { Message } from "../../lib/turn/events.ts";
import { sendAndWait, type TerminalApi } from "../../lib/turn/terminal_api.ts";
import { createBench, type HandoffBench } from "./support.ts";

interface BegunOptions {
  readonly begun: Partial<BegunTurn>;
  /** What stands in the composer. */
  readonly draft?: string;
  readonly settings?: HandoffOptions["settings"];
}

/** Goes on with a turn; what was told of messages is in the second part. */
async function goOn(
  bench: HandoffBench,
  { begun, draft, settings }: BegunOptions,
): Promise<{ readonly text: string; readonly told: readonly Message[] }> {
  const told: Message[] = [];
  const api: TerminalApi = {
    ...bench.terminal,
    async sendInput(terminalId, text, options) {
      if (draft === undefined) await options?.onStep?.("paste");
      await options?.onStep?.("enter");
      await bench.terminal.sendInput(terminalId, text);
    },
    holdsInput: (_terminalId, text) => Promise.resolve(text === draft),
  };
  const text = await bench.clock.runUntilSettled(
    sendAndWait(api, "t-1", "tester", "the prompt", {
      ...bench.options(settings),
      begun: { reminders: 0, acceptedDialogs: 0, declinedDialogs: 0, ...begun },
      onMessage: (message) => void told.push(message),
    }),
  );
  return { text, told };
}

function message(step: Message["step"], text = "the prompt as it was"): Message {
  return { what: "prompt", text, step };
}

Deno.test("a prompt that was taken is not sent again, and the response that was written meanwhile is taken", async () => {
  await using bench = await createBench({ statuses: [[0, "completed"]] });
  const dispatch = markDispatch(bench.workdir);
  await bench.respond("tester", "written meanwhile");
  const { text, told } = await goOn(bench, { begun: { dispatch, message: message("sent") } });
  assertEquals([text, bench.terminal.inputs, told], ["written meanwhile", [], []]);
  assertEquals(await bench.archive(), [["001-tester.md", "written meanwhile"]]);
});

Deno.test("where Enter was about to be pressed and the composer is empty, the prompt was sent", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"], [2, "processing"], [6, "completed"]] });
  const dispatch = markDispatch(bench.workdir);
  bench.clock.at(5, () => bench.respond("tester", "done"));
  const { text, told } = await goOn(bench, { begun: { dispatch, message: message("enter") } });
  assertEquals([text, bench.terminal.inputs], ["done", []]);
  assertEquals(told, [message("sent")]);
});

Deno.test("where the composer holds the prompt, only Enter is pressed", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"], [2, "processing"], [6, "completed"]] });
  const dispatch = markDispatch(bench.workdir);
  bench.clock.at(5, () => bench.respond("tester", "done"));
  for (const step of ["paste", "enter"] as const) {
    const { told } = await goOn(bench, {
      begun: { dispatch, message: message(step) },
      draft: "the prompt as it was",
    });
    assertEquals(told.map((one) => one.step), ["enter", "sent"], `after ${step}`);
    await bench.respond("tester", "done again");
  }
});

Deno.test("where the prompt was about to be pasted and the composer is empty, it is sent as it was written down", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"], [2, "processing"], [6, "completed"]] });
  const dispatch = markDispatch(bench.workdir);
  bench.clock.at(5, () => bench.respond("tester", "done"));
  const { told } = await goOn(bench, { begun: { dispatch, message: message("paste") } });
  assertEquals(bench.terminal.inputs.map(({ text }) => text), ["the prompt as it was"]);
  assertEquals(told.map((one) => one.step), ["paste", "enter", "sent"]);
});

Deno.test("where it is only in doubt whether the agent rests, its rest is waited for before the prompt is sent", async () => {
  await using bench = await createBench({
    statuses: [[0, "processing"], [8, "completed"]],
    onInput: () => bench.respond("tester", "done"),
  });
  const dispatch = markDispatch(bench.workdir);
  const { text, told } = await goOn(bench, { begun: { dispatch, message: message("paste") } });
  assertEquals([text, told.map((one) => one.step)], ["done", ["paste", "enter", "sent"]]);
});

Deno.test("where a person has pressed Enter, nothing is sent", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [6, "completed"]] });
  const dispatch = markDispatch(bench.workdir);
  bench.clock.at(5, () => bench.respond("tester", "done"));
  const { text } = await goOn(bench, { begun: { dispatch, message: message("paste") } });
  assertEquals([text, bench.terminal.inputs], ["done", []]);
});

Deno.test("a new agent gets the prompt, unless the one before had answered", async () => {
  await using bench = await createBench({
    statuses: [[0, "idle"]],
    onInput: () => bench.respond("tester", "of the new agent"),
  });
  const dispatch = markDispatch(bench.workdir);
  assertEquals((await goOn(bench, { begun: { dispatch } })).text, "of the new agent");
  assertEquals(bench.terminal.inputs.map(({ text }) => text), ["the prompt"]);
  await bench.respond("tester", "of the old agent");
  assertEquals((await goOn(bench, { begun: { dispatch } })).text, "of the old agent");
  assertEquals(bench.terminal.inputs.length, 1);
});

Deno.test("reminders go on where they were", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [2, "idle"]] });
  const dispatch = markDispatch(bench.workdir);
  const settings = { maxFileReminders: 2, idleGraceSeconds: 10 };
  const error = await assertRejects(
    () => goOn(bench, { begun: { dispatch, message: message("sent"), reminders: 1 }, settings }),
    RuntimeError,
  );
  assertStringIncludes(error.message, "it is missing");
  assertEquals(bench.terminal.inputs.length, 1, "only the second reminder was left");
});
