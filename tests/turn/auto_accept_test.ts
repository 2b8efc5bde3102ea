import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError, TimeoutError } from "../../lib/base/errors.ts";
import type { HandoffOptions } from "../../lib/turn/terminal_api.ts";
import { sendAndWait, waitForResponseFile } from "../../lib/turn/terminal_api.ts";
import { createBench, type HandoffBench } from "./support.ts";

const ON = { autoAcceptPermissions: true };
const SCREEN =
  "old line\nWould you like to run the following command?\n\n  $ npm test\n\n› 1. Yes\n  2. Always\n  3. No\n";

function waitOn(bench: HandoffBench, options: HandoffOptions): Promise<string> {
  return bench.clock.runUntilSettled(waitForResponseFile(bench.terminal, "t-7", "programmer", options));
}

Deno.test("Scenario: Permission prompt auto-accepted (opt-in enabled)", async () => {
  await using bench = await createBench({
    statuses: [[0, "processing"], [4, "waiting_user_answer"], [6, "processing"], [10, "idle"]],
    output: SCREEN,
  });
  bench.clock.at(9, () => bench.respond("programmer", "changed"));
  assertEquals(await waitOn(bench, bench.options(ON)), "changed");
  assertEquals(bench.terminal.inputs, [{ text: "y", atSecond: 4 }]);
  assertEquals(bench.logs.length, 1);
});

Deno.test("Scenario: Permission prompt detected but auto-accept disabled", async () => {
  await using bench = await createBench({
    statuses: [[0, "waiting_user_answer"], [10, "processing"], [20, "waiting_user_answer"], [30, "idle"]],
  });
  bench.clock.at(29, () => bench.respond("programmer", "changed"));
  await waitOn(bench, bench.options());
  assertEquals(bench.terminal.inputs, []);
  assertEquals(bench.logs.length, 2, "once for each of the two dialogs, not at each poll");
  for (const line of bench.logs) {
    assertStringIncludes(line, "Warning: programmer in terminal t-7 waits for an answer to a permission dialog");
    assertStringIncludes(line, "AUTO_ACCEPT_PERMISSIONS");
  }
});

Deno.test("a dialog that is unreadable for a moment is not reported twice", async () => {
  await using bench = await createBench({
    statuses: [[0, "waiting_user_answer"], [4, "unknown"], [6, "waiting_user_answer"]],
  });
  await assertRejects(() => waitOn(bench, bench.options({ responseTimeoutSeconds: 20 })), TimeoutError);
  assertEquals(bench.logs.length, 1);
});

Deno.test("Scenario: Cooldown prevents rapid accepts", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"], [13, "idle"]], output: SCREEN });
  bench.clock.at(13, () => bench.respond("programmer", "changed"));
  await waitOn(bench, bench.options(ON));
  assertEquals(
    bench.terminal.inputs.map(({ atSecond }) => atSecond),
    [0, 6, 12],
    "the first poll after 5 s, each time",
  );
});

Deno.test("the cooldown is over after exactly 5 s", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"], [11, "idle"]], output: SCREEN });
  bench.clock.at(11, () => bench.respond("programmer", "changed"));
  await waitOn(bench, bench.options({ ...ON, pollSeconds: 1 }));
  assertEquals(bench.terminal.inputs.map(({ atSecond }) => atSecond), [0, 5, 10]);
});

Deno.test("the cooldown of a terminal outlives a turn where the caller keeps the times", async (t) => {
  for (const { kept, expected } of [{ kept: true, expected: [0, 6] }, { kept: false, expected: [0, 4] }]) {
    await t.step(kept ? "kept" : "not kept", async () => {
      await using bench = await createBench({
        statuses: [[0, "waiting_user_answer"], [2, "idle"], [4, "waiting_user_answer"], [8, "idle"]],
        output: SCREEN,
      });
      const options = { ...bench.options(ON), ...(kept ? { acceptTimes: new Map<string, number>() } : {}) };
      bench.clock.at(1, () => bench.respond("programmer", "one"));
      await waitOn(bench, options);
      await bench.clock.runUntilSettled(bench.clock.sleep(1925));
      bench.clock.at(8, () => bench.respond("programmer", "two"));
      await waitOn(bench, options);
      assertEquals(bench.terminal.inputs.map(({ atSecond }) => atSecond), expected);
    });
  }
});

Deno.test("Scenario: Safety cap exceeded", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"]], output: SCREEN });
  await assertRejects(
    () => waitOn(bench, bench.options(ON)),
    RuntimeError,
    "Cannot finish the turn of programmer in terminal t-7: 20 dialogs were accepted, and no more are allowed in a turn (last status: waiting_user_answer)",
  );
  assertEquals(bench.terminal.inputs.length, 20);
  assertEquals(bench.clock.elapsedSeconds(), 120, "when a 21st would have been due");
});

Deno.test("Scenario: Audit log content", async () => {
  await using bench = await createBench({
    statuses: [[0, "waiting_user_answer"], [8, "idle"]],
    output: `${SCREEN}\u001b]0;evil\u0007\u202e\n`,
  });
  bench.clock.at(8, () => bench.respond("programmer", "changed"));
  await waitOn(bench, bench.options(ON));
  assertEquals(bench.logs.length, 2);
  assertEquals(bench.logs[1]!.split("\n"), [
    "Auto-accepting the permission dialog of programmer in terminal t-7 (2/20):",
    "  |   $ npm test",
    "  | › 1. Yes",
    "  |   2. Always",
    "  |   3. No",
    "  | \\x1b]0;evil\\x07\\u202e",
  ]);
});

Deno.test("Scenario: Counter reset on new turn", async () => {
  await using bench = await createBench({
    statuses: [[0, "waiting_user_answer"], [2, "idle"], [10, "waiting_user_answer"], [12, "idle"]],
    output: SCREEN,
  });
  const options = bench.options({ ...ON, acceptCap: 1 });
  bench.clock.at(1, () => bench.respond("programmer", "one"));
  bench.clock.at(11, () => bench.respond("programmer", "two"));
  const turn = (prompt: string) =>
    bench.clock.runUntilSettled(sendAndWait(bench.terminal, "t-7", "programmer", prompt, options));
  assertEquals(await turn("first"), "one");
  assertEquals(await turn("second"), "two", "a counter that went on would have exceeded the cap of 1");
  assertEquals(bench.terminal.inputs.map(({ text }) => text), ["first", "y", "second", "y"]);
  for (const line of bench.logs) assertMatch(line, /\(1\/1\)/);
});

Deno.test("Scenario: waiting_user_answer no longer causes indefinite stall", async (t) => {
  const script = { statuses: [[0, "processing"], [2, "waiting_user_answer"]] as const, output: SCREEN };
  await t.step("opted in: accepted", async () => {
    await using bench = await createBench(script);
    await assertRejects(() => waitOn(bench, bench.options({ ...ON, acceptCap: 1 })), RuntimeError);
    assertEquals(bench.terminal.inputs, [{ text: "y", atSecond: 2 }]);
  });
  await t.step("not opted in: a warning at once, and the turn's limit still holds", async () => {
    await using bench = await createBench(script);
    const warnedAt: number[] = [];
    const options = { ...bench.options(), log: () => warnedAt.push(bench.clock.elapsedSeconds()) };
    await assertRejects(() => waitOn(bench, options), TimeoutError, "(last status: waiting_user_answer)");
    assertEquals(warnedAt, [2]);
    assertEquals(bench.clock.elapsedSeconds(), 1800);
  });
});

Deno.test("a file is not taken while a dialog is open", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"], [10, "idle"]], output: SCREEN });
  await bench.respond("programmer", "changed");
  await waitOn(bench, bench.options());
  assertEquals(bench.clock.elapsedSeconds(), 10);
});

Deno.test("an answer that cannot be sent ends the turn, and is not sent twice", async () => {
  await using bench = await createBench({
    statuses: [[0, "waiting_user_answer"]],
    output: SCREEN,
    onInput: () => Promise.reject(new Error("pane is dead")),
  });
  await assertRejects(
    () => waitOn(bench, bench.options(ON)),
    RuntimeError,
    "programmer in terminal t-7: answering a dialog failed: pane is dead",
  );
  assertEquals(bench.terminal.inputs.length, 1);
});

Deno.test("a prompt whose screen cannot be read is not accepted, because it could not be audited", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"]], output: new Error("no capture") });
  await assertRejects(() => waitOn(bench, bench.options({ ...ON, responseTimeoutSeconds: 20 })), TimeoutError);
  assertEquals(bench.terminal.inputs, []);
  assertEquals(bench.logs.length, 1);
  assertStringIncludes(bench.logs[0]!, "was not accepted, because its screen cannot be read: no capture");
});
