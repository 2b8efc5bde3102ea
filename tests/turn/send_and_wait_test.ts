import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError, RuntimeError, TimeoutError, UsageError } from "../../lib/base/errors.ts";
import { responsePathFor } from "../../lib/turn/response_files.ts";
import type { HandoffOptions } from "../../lib/turn/terminal_api.ts";
import { sendAndWait, type TerminalApi } from "../../lib/turn/terminal_api.ts";
import { createBench, type HandoffBench } from "./support.ts";

function ask(bench: HandoffBench, options: HandoffOptions = bench.options(), api: TerminalApi = bench.terminal) {
  return bench.clock.runUntilSettled(sendAndWait(api, "t-3", "tester", "test it", options));
}

Deno.test("Scenario: Normal send-and-wait flow", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"], [1, "processing"], [5, "completed"]] });
  const path = responsePathFor(bench.workdir, "tester");
  await bench.respond("tester", "RESULT: PASS of yesterday");
  const order: string[] = [];
  const api: TerminalApi = {
    getStatus(id) {
      if (order.at(-1) !== "getStatus") order.push("getStatus");
      return bench.terminal.getStatus(id);
    },
    async sendInput(id, text) {
      order.push("sendInput");
      await assertRejects(() => Deno.lstat(path), Deno.errors.NotFound, undefined, "cleared before the prompt is sent");
      await bench.terminal.sendInput(id, text);
    },
    getLastOutput: (id) => bench.terminal.getLastOutput(id),
  };
  bench.clock.at(4, () => bench.respond("tester", "RESULT: FAIL"));
  assertEquals(await ask(bench, bench.options(), api), "RESULT: FAIL");
  assertEquals(order, ["sendInput", "getStatus"], "nothing is looked at before the prompt is sent");
  assertEquals(bench.terminal.inputs, [{ text: "test it", atSecond: 0 }]);
  assertEquals(await bench.archive(), [
    ["001-tester-stale.md", "RESULT: PASS of yesterday"],
    ["002-tester.md", "RESULT: FAIL"],
  ]);
  assertStringIncludes(bench.logs[0]!, "001-tester-stale.md");
});

Deno.test("an answer that is written while the prompt is being submitted counts", async () => {
  await using bench = await createBench({
    statuses: [[0, "completed"]],
    onInput: () => bench.respond("tester", "quick"),
  });
  assertEquals(await ask(bench), "quick");
});

Deno.test("the response folder is made where it is missing", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]], onInput: () => bench.respond("tester", "text") });
  await Deno.remove(`${bench.workdir}/.tmp`, { recursive: true });
  assertEquals(await ask(bench), "text");
});

Deno.test("a file of an earlier turn that comes back is not taken", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [4, "idle"]] });
  const path = responsePathFor(bench.workdir, "tester");
  await bench.respond("tester", "of an earlier turn");
  // As `mv` or `cp -p` of a backup does: the content is old, and so is its time.
  const old = new Date((await Deno.lstat(path)).mtime!.getTime() - 5);
  bench.clock.at(3, async () => {
    await bench.respond("tester", "of an earlier turn");
    await Deno.utime(path, old, old);
  });
  await assertRejects(() => ask(bench), RuntimeError, "it is older than the prompt");
  assertEquals(await Deno.readTextFile(path), "of an earlier turn", "it is not lost either");
});

Deno.test("the age of a response is judged by the file system's clock, whatever the program's clock says", async (t) => {
  for (const shiftMs of [-10, 10].map((years) => years * 365 * 24 * 3600 * 1000)) {
    await t.step(`program's clock ${shiftMs < 0 ? "behind" : "ahead"} by ten years`, async () => {
      await using bench = await createBench({ statuses: [[0, "processing"], [4, "idle"]] });
      const clock = { ...bench.clock, now: () => bench.clock.now() + shiftMs };
      bench.clock.at(3, () => bench.respond("tester", "fresh"));
      assertEquals(await ask(bench, { ...bench.options(), clock }), "fresh");
    });
  }
});

Deno.test("a reminder is sent to an agent that rests without a file, and its timers are fresh", async () => {
  await using bench = await createBench({
    statuses: [[0, "processing"], [10, "idle"], [45, "processing"], [50, "idle"]],
  });
  const reminders: number[] = [];
  const options = {
    ...bench.options({ maxFileReminders: 1 }),
    onReminder: (reminder: number) => reminders.push(reminder),
  };
  bench.clock.at(49, () => bench.respond("tester", "RESULT: PASS"));
  assertEquals(await ask(bench, options), "RESULT: PASS");
  assertEquals(reminders, [1]);
  assertEquals(bench.terminal.inputs.map(({ atSecond }) => atSecond), [0, 40]);
  const reminder = bench.terminal.inputs[1]!.text;
  assertStringIncludes(reminder, "because it is missing");
  assertStringIncludes(reminder, "--- RESPONSE FILE INSTRUCTION ---");
  assertStringIncludes(reminder, responsePathFor(bench.workdir, "tester"));
});

Deno.test("a reminder names what is wrong with the file, and a file that was bad before it may become good", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]] });
  bench.clock.at(5, () => bench.respond("tester", ""));
  bench.clock.at(60, () => bench.respond("tester", "RESULT: PASS"));
  assertEquals(await ask(bench, bench.options({ maxFileReminders: 1 })), "RESULT: PASS");
  assertStringIncludes(bench.terminal.inputs[1]!.text, "because it is empty");
});

/** What an agent leaves in place of its response, and what the reminder says of it. */
const OBSTACLES: Readonly<Record<string, readonly [string, (path: string) => Promise<unknown>]>> = {
  "a folder": ["it is a folder.\nRemove what is at that path first", (path) => Deno.mkdir(path)],
  "a link": [
    "it is a symbolic link.\nRemove what is at that path first",
    (path) => Deno.symlink("/etc/hostname", path),
  ],
  "a FIFO": [
    "it is a FIFO.\nRemove what is at that path first",
    (path) => new Deno.Command("mkfifo", { args: [path] }).output(),
  ],
  "too long a text": [
    "it has 65 bytes, more than the 64 that are allowed.\nWrite it now",
    (path) => Deno.writeTextFile(path, "x".repeat(65)),
  ],
};

for (const [what, [reminder, leave]] of Object.entries(OBSTACLES)) {
  Deno.test(`the agent is reminded of ${what} in place of its response, and only then its turn fails`, async (t) => {
    const path = (bench: HandoffBench) => responsePathFor(bench.workdir, "tester");
    const settings = { maxFileReminders: 1, maxResponseBytes: 64 };
    await t.step("it is mended", async () => {
      await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]] });
      bench.clock.at(5, async () => void await leave(path(bench)));
      bench.clock.at(60, async () => {
        await Deno.remove(path(bench));
        await bench.respond("tester", "RESULT: PASS");
      });
      assertEquals(await ask(bench, bench.options(settings)), "RESULT: PASS");
      assertEquals(bench.terminal.inputs.length, 2);
      assertStringIncludes(bench.terminal.inputs[1]!.text, `because ${reminder}`);
    });
    await t.step("it stays", async () => {
      await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]] });
      bench.clock.at(5, async () => void await leave(path(bench)));
      await assertRejects(() => ask(bench, bench.options(settings)), RuntimeError, reminder.split(".\n")[0]);
      assertEquals([bench.terminal.inputs.length, await bench.archive()], [2, []]);
    });
  });
}

Deno.test("when the reminders are used up, the ending is strict or not", async (t) => {
  await t.step("strict", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]] });
    await assertRejects(() => ask(bench, bench.options({ maxFileReminders: 2 })), RuntimeError, "it is missing");
    assertEquals(
      bench.terminal.inputs.map(({ atSecond }) => atSecond),
      [0, 40, 100],
      "60 s: startup timeout and grace",
    );
    assertEquals(bench.clock.elapsedSeconds(), 160);
  });
  await t.step("not strict", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]], output: "screen" });
    const options = bench.options({ maxFileReminders: 1, strictFileHandoff: false });
    assertEquals(await ask(bench, options), "screen");
    assertEquals(bench.terminal.inputs.length, 2);
  });
});

Deno.test("without reminders the turn ends at the first grace", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]] });
  await assertRejects(() => ask(bench), RuntimeError, "it rested for 30 s");
  assertEquals(bench.clock.elapsedSeconds(), 40);
  assertEquals(bench.terminal.inputs.length, 1);
});

Deno.test("the response timeout counts for the whole turn, reminders included", async (t) => {
  await t.step("at work", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"], [41, "processing"]] });
    const options = bench.options({ maxFileReminders: 5, responseTimeoutSeconds: 90 });
    await assertRejects(() => ask(bench, options), TimeoutError, "the limit of 90 s passed");
    assertEquals(bench.clock.elapsedSeconds(), 90);
  });
  await t.step("at rest: no reminder after the time is up", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [80, "idle"]] });
    const options = bench.options({ maxFileReminders: 5, responseTimeoutSeconds: 90 });
    await assertRejects(() => ask(bench, options), RuntimeError, "the limit of 90 s passed without a usable response");
    assertEquals(bench.terminal.inputs.length, 1);
  });
});

Deno.test("a prompt that cannot be sent ends the turn with role and terminal, and is not sent twice", async () => {
  const onInput = () => Promise.reject(new Error("the pane shows a dialog"));
  await using bench = await createBench({ statuses: [[0, "idle"]], onInput });
  const error = await assertRejects(() => ask(bench), RuntimeError);
  assertEquals(
    error.message,
    "Cannot finish the turn of tester in terminal t-3: sending the prompt failed: the pane shows a dialog (last status: none was read)",
  );
  assertEquals(bench.terminal.inputs.length, 1);
});

Deno.test("what a terminal says to a person is kept: hint, and the request for a human", async (t) => {
  await t.step("hint", async () => {
    const onInput = () =>
      Promise.reject(new RuntimeError("Cannot type: a draft is there", { hint: "Clear the draft." }));
    await using bench = await createBench({ statuses: [[0, "idle"]], onInput });
    assertEquals((await assertRejects(() => ask(bench), RuntimeError)).hint, "Clear the draft.");
  });
  await t.step("human", async () => {
    const onInput = () => Promise.reject(new HumanInterventionRequiredError("Cannot log in for you"));
    await using bench = await createBench({ statuses: [[0, "idle"]], onInput });
    await assertRejects(() => ask(bench), HumanInterventionRequiredError, "Cannot log in for you");
  });
});

Deno.test("settling: the first prompt waits for two idle looks, a second apart", async (t) => {
  const settling = (bench: HandoffBench) => ({ ...bench.options(), settleBeforeSend: true });
  const onInput = (bench: () => HandoffBench) => () => bench().respond("tester", "text");
  await t.step("at rest", async () => {
    await using bench = await createBench({ statuses: [[0, "idle"]], onInput: onInput(() => bench) });
    await ask(bench, settling(bench));
    assertEquals(bench.terminal.inputs[0]?.atSecond, 1);
  });
  await t.step("starting", async () => {
    await using bench = await createBench({
      statuses: [[0, "unknown"], [2, "idle"], [3, "processing"], [4, "idle"]],
      onInput: onInput(() => bench),
    });
    await ask(bench, settling(bench));
    assertEquals(bench.terminal.inputs[0]?.atSecond, 5);
    assertEquals(bench.logs, []);
  });
  await t.step("never at rest: after ten seconds all the same, with a warning", async () => {
    await using bench = await createBench({
      statuses: [[0, "processing"], [20, "idle"]],
      onInput: onInput(() => bench),
    });
    await ask(bench, settling(bench));
    assertEquals(bench.terminal.inputs[0]?.atSecond, 10);
    assertStringIncludes(bench.logs[0]!, "did not come to rest in 10 s (last status: processing)");
  });
  await t.step("in error: nothing is sent", async () => {
    await using bench = await createBench({ statuses: [[0, "error"]] });
    await assertRejects(() => ask(bench, settling(bench)), RuntimeError, "the agent is in an error state");
    assertEquals(bench.terminal.inputs, []);
  });
  await t.step("what was at the path is cleared after settling, not before", async () => {
    await using bench = await createBench({ statuses: [[0, "unknown"], [4, "idle"]] });
    bench.clock.at(3, () => bench.respond("tester", "late answer to an earlier prompt"));
    await assertRejects(() => ask(bench, settling(bench)), RuntimeError);
    assertEquals((await bench.archive()).map(([name]) => name), ["001-tester-stale.md"]);
  });
});

Deno.test("an abort while the prompt is being sent ends the turn at once", async () => {
  const controller = new AbortController();
  await using bench = await createBench({ statuses: [[0, "idle"]], onInput: () => new Promise(() => {}) });
  const turn = sendAndWait(bench.terminal, "t-3", "tester", "test it", {
    ...bench.options(),
    signal: controller.signal,
  });
  bench.clock.at(0, () => controller.abort(new Error("enough")));
  await bench.clock.runUntilSettled(Promise.race([turn.catch(() => {}), bench.clock.sleep(1000)]));
  await assertRejects(() => turn, Error, "enough");
  assertEquals(bench.clock.elapsedSeconds(), 0);
});

Deno.test("a wrong setting is refused before anything is sent", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  await assertRejects(() => ask(bench, bench.options({ pollSeconds: -1 })), UsageError, "pollSeconds");
  assertEquals(bench.terminal.inputs, []);
});

Deno.test("two roles at a time share an archive, and each gets its own answer", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]] });
  bench.clock.at(8, () => bench.respond("tester", "of the tester"));
  bench.clock.at(9, () => bench.respond("analyst", "of the analyst"));
  const answers = await bench.clock.runUntilSettled(Promise.all([
    sendAndWait(bench.terminal, "t-1", "tester", "go", bench.options()),
    sendAndWait(bench.terminal, "t-2", "analyst", "go", bench.options()),
  ]));
  assertEquals(answers, ["of the tester", "of the analyst"]);
  const names = (await bench.archive()).map(([name]) => name);
  assert(names.every((name, index) => name.startsWith(`00${index + 1}-`)), names.join());
  assertEquals(names.length, 2);
});
