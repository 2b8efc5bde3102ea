import { assert, assertEquals, assertGreaterOrEqual, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError, TimeoutError } from "../../lib/base/errors.ts";
import { responsePathFor } from "../../lib/turn/response_files.ts";
import type { HandoffSettings } from "../../lib/turn/settings.ts";
import { waitForResponseFile } from "../../lib/turn/terminal_api.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
import { createBench, type HandoffBench } from "./support.ts";

function waitOn(bench: HandoffBench, settings: Partial<HandoffSettings> = {}): Promise<string> {
  return bench.clock.runUntilSettled(
    waitForResponseFile(bench.terminal, "t-1", "analyst", bench.options(settings)),
  );
}

Deno.test("Scenario: Agent writes response file and terminal becomes idle", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]] });
  bench.clock.at(8, () => bench.respond("analyst", "the summary\n"));
  assertEquals(await waitOn(bench), "the summary\n");
  assertEquals(bench.clock.elapsedSeconds(), 10, "the first idle poll takes the file");
  assertEquals(await bench.archive(), [["001-analyst.md", "the summary\n"]]);
  assertEquals(bench.archived, [{
    role: "analyst",
    path: `${bench.archiveDir}/001-analyst.md`,
    bytes: 12,
    text: "the summary\n",
  }]);
  await assertRejects(() => Deno.lstat(responsePathFor(bench.workdir, "analyst")), Deno.errors.NotFound);
  assertEquals(bench.logs, []);
});

Deno.test("a file that is there at the first idle poll costs a second look, not a whole poll", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  await bench.respond("analyst", "done");
  assertEquals(await waitOn(bench), "done");
  assertEquals(bench.clock.elapsedSeconds(), 0.075);
});

Deno.test("Scenario: Startup guard blocks premature grace timer", async (t) => {
  await t.step("until the startup timeout expires", async () => {
    await using bench = await createBench({ statuses: [[0, "completed"], [28, "processing"], [44, "idle"]] });
    await assertRejects(() => waitOn(bench, { idleGraceSeconds: 20 }), RuntimeError, "it rested for 20 s");
    assertEquals(bench.clock.elapsedSeconds(), 64, "not at second 20, when the stale status is as old as the grace");
  });
  await t.step("until the agent is seen at work", async () => {
    await using bench = await createBench({ statuses: [[0, "completed"], [18, "processing"], [20, "completed"]] });
    await assertRejects(() => waitOn(bench, { idleGraceSeconds: 20 }), RuntimeError, "it rested for 20 s");
    assertEquals(bench.clock.elapsedSeconds(), 40);
    assertEquals(bench.logs, [], "the guard was not forced");
  });
});

Deno.test("Scenario: Agent starts processing and then completes", async () => {
  await using bench = await createBench({ statuses: [[0, "completed"], [3, "processing"], [100, "completed"]] });
  bench.clock.at(99, () => bench.respond("analyst", "late but fine"));
  assertEquals(await waitOn(bench), "late but fine");
  assertEquals(bench.clock.elapsedSeconds(), 100.075);
  assertEquals(bench.statuses, ["completed", "processing", "completed"], "told once per change");
});

Deno.test("Scenario: Startup timeout releases guard", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  const warnedAt: number[] = [];
  const options = { ...bench.options(), log: () => warnedAt.push(bench.clock.elapsedSeconds()) };
  await assertRejects(
    () => bench.clock.runUntilSettled(waitForResponseFile(bench.terminal, "t-1", "analyst", options)),
    RuntimeError,
  );
  assertEquals(warnedAt, [30]);
  assertEquals(bench.clock.elapsedSeconds(), 60, "twice the grace");
});

Deno.test("Startup timeout with a grace that is no multiple of the poll: at most one poll later per phase", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  await assertRejects(() => waitOn(bench, { idleGraceSeconds: 5 }), RuntimeError);
  assertEquals(bench.clock.elapsedSeconds(), 12);
  assertStringIncludes(bench.logs[0]!, "analyst in terminal t-1 was not seen at work within 5 s");
});

Deno.test("Scenario: Response file appears during startup guard", async () => {
  await using bench = await createBench({ statuses: [[0, "completed"]] });
  bench.clock.at(4, () => bench.respond("analyst", "fast"));
  assertEquals(await waitOn(bench), "fast");
  assertEquals(bench.clock.elapsedSeconds(), 4.075);
});

Deno.test("Scenario: Agent ignores file instruction but terminal finishes (default mode)", async (t) => {
  await t.step("idle grace", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [4, "idle"]], output: "on the screen" });
    assertEquals(await waitOn(bench, { strictFileHandoff: false }), "on the screen");
    assertEquals(bench.clock.elapsedSeconds(), 34);
    assertStringIncludes(bench.logs[0]!, "Taking the terminal's last output");
  });
  await t.step("the timeout expires", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [95, "idle"]], output: "on the screen" });
    assertEquals(await waitOn(bench, { strictFileHandoff: false, responseTimeoutSeconds: 99 }), "on the screen");
    assertEquals(bench.clock.elapsedSeconds(), 99, "the last poll is at the limit itself");
  });
  await t.step("the last output cannot be read", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [4, "idle"]], output: new Error("no pane") });
    await assertRejects(
      () => waitOn(bench, { strictFileHandoff: false }),
      RuntimeError,
      "Cannot finish the turn of analyst in terminal t-1: reading the last output failed: no pane (last status: idle)",
    );
  });
});

Deno.test("Scenario: Agent ignores file instruction but terminal finishes (strict mode)", async (t) => {
  await t.step("idle grace", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [4, "idle"]], output: "on the screen" });
    const error = await assertRejects(() => waitOn(bench), RuntimeError);
    const path = responsePathFor(bench.workdir, "analyst");
    assertEquals(error.name, "RuntimeError");
    assertEquals(
      error.message,
      `Cannot finish the turn of analyst in terminal t-1: it rested for 30 s without a usable response file ${path}: it is missing (last status: idle)`,
    );
  });
  await t.step("the timeout expires", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [95, "completed"]] });
    await assertRejects(
      () => waitOn(bench, { responseTimeoutSeconds: 99 }),
      RuntimeError,
      "the limit of 99 s passed without a usable response file",
    );
    assertEquals(bench.clock.elapsedSeconds(), 99);
  });
});

Deno.test("Scenario: Terminal enters error state", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [6, "error"]] });
  bench.clock.at(5, () => bench.respond("analyst", "half of it"));
  await assertRejects(
    () => waitOn(bench),
    RuntimeError,
    "Cannot finish the turn of analyst in terminal t-1: the agent is in an error state (last status: error)",
  );
  assertEquals(bench.clock.elapsedSeconds(), 6);
  assertEquals(await Deno.readTextFile(responsePathFor(bench.workdir, "analyst")), "half of it", "nothing is taken");
});

Deno.test("Scenario: Timeout with terminal still processing", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const error = await assertRejects(() => waitOn(bench), TimeoutError);
  assertEquals(error.name, "TimeoutError");
  assertEquals(
    error.message,
    "Cannot finish the turn of analyst in terminal t-1: the limit of 1800 s passed (last status: processing)",
  );
  assertEquals(bench.clock.elapsedSeconds(), 1800);
});

Deno.test("Scenario: waiting_user_answer counts as agent started", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"], [2, "idle"]] });
  await assertRejects(() => waitOn(bench), RuntimeError, "it rested for 30 s");
  assertEquals(bench.clock.elapsedSeconds(), 32, "no startup timeout comes before the grace");
});

Deno.test("Scenario: Idle grace resets on processing observation", async () => {
  await using bench = await createBench({
    statuses: [[0, "processing"], [2, "idle"], [30, "processing"], [32, "completed"], [60, "processing"], [62, "idle"]],
  });
  await assertRejects(() => waitOn(bench), RuntimeError, "it rested for 30 s");
  assertEquals(bench.clock.elapsedSeconds(), 92);
});

Deno.test("a poll follows a poll after exactly pollSeconds, the second look included", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"], [4, "processing"], [6, "idle"]] });
  await bench.respond("analyst", "   \n");
  bench.clock.at(7, () => bench.respond("analyst", "now"));
  assertEquals(await waitOn(bench), "now");
  assertEquals(bench.terminal.pollSeconds, [0, 2, 4, 6, 8]);
});

Deno.test("a half-written file is not taken while it grows", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [10, "idle"]] });
  bench.clock.at(9, () => bench.respond("analyst", "first half, "));
  // Falls between the first and the second look of the poll at second 10.
  bench.clock.at(10.03, () => bench.respond("analyst", "first half, second half"));
  assertEquals(await waitOn(bench), "first half, second half");
  assertEquals(bench.clock.elapsedSeconds(), 12);
});

Deno.test("a file that is being written keeps the grace from ending", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [2, "idle"]] });
  bench.clock.at(32, () => bench.respond("analyst", "a"));
  bench.clock.at(32.05, () => bench.respond("analyst", "ab"));
  assertEquals(await waitOn(bench), "ab");
  assertEquals(bench.clock.elapsedSeconds(), 34);
});

Deno.test("a second look at a file without use changes nothing about when the grace ends", async () => {
  for (const startup of ["processing", "idle"] as const) {
    await using bench = await createBench({ statuses: [[0, startup], [2, "idle"]] });
    bench.clock.at(startup === "idle" ? 29 : 1, () => bench.respond("analyst", ""));
    await assertRejects(() => waitOn(bench), RuntimeError, "it is empty");
    assertEquals(bench.clock.elapsedSeconds(), startup === "idle" ? 60 : 32);
  }
});

Deno.test("a file that comes late, within the grace, is taken", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [2, "idle"]] });
  bench.clock.at(29, () => bench.respond("analyst", "late"));
  assertEquals(await waitOn(bench), "late");
  assertEquals(bench.clock.elapsedSeconds(), 30.075);
});

for (
  const [name, content, problem] of [
    ["an empty file", "", "it is empty"],
    ["a file of white space", " \r\n\t\n", "it is empty"],
    ["a byte order mark alone", "\uFEFF", "it is empty"],
    ["invalid UTF-8", new Uint8Array([0x61, 0xc3]), "it is not valid UTF-8"],
  ] as const
) {
  Deno.test(`${name} is no response, and the error says why`, async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [2, "idle"]] });
    await bench.respond("analyst", content);
    await assertRejects(() => waitOn(bench), RuntimeError, `${problem} (last status: idle)`);
    assertEquals(bench.clock.elapsedSeconds(), 32);
    assert((await Deno.lstat(responsePathFor(bench.workdir, "analyst"))).isFile, "what the agent wrote stays");
  });
}

Deno.test("a character that is cut in two is waited for", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [2, "idle"]] });
  await bench.respond("analyst", new Uint8Array([0x61, 0xc3]));
  bench.clock.at(5, () => bench.respond("analyst", "aä"));
  assertEquals(await waitOn(bench), "aä");
});

Deno.test("byte order mark and CRLF are tolerated, and the archive keeps them", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  await bench.respond("analyst", "\uFEFFone\r\ntwo\r\n");
  assertEquals(await waitOn(bench), "one\ntwo\n");
  assertEquals(
    await Deno.readFile(`${bench.archiveDir}/001-analyst.md`),
    new TextEncoder().encode("\uFEFFone\r\ntwo\r\n"),
  );
});

Deno.test("a file at the size limit is taken, one above it is as good as none", async (t) => {
  await t.step("at the limit", async () => {
    await using bench = await createBench({ statuses: [[0, "idle"]] });
    await bench.respond("analyst", "x".repeat(64));
    assertEquals(await waitOn(bench, { maxResponseBytes: 64 }), "x".repeat(64));
  });
  await t.step("above it", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"], [4, "idle"]] });
    await bench.respond("analyst", "x".repeat(65));
    await assertRejects(
      () => waitOn(bench, { maxResponseBytes: 64 }),
      RuntimeError,
      "it has 65 bytes, more than the 64 that are allowed",
    );
    assertEquals(bench.clock.elapsedSeconds(), 34, "the grace passes, as without a file");
  });
});

Deno.test("a symbolic link in place of the response is no response, and what it leads to is not read or moved", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  const secret = `${bench.workdir}/secret.txt`;
  await Deno.writeTextFile(secret, "secret");
  await Deno.symlink(secret, responsePathFor(bench.workdir, "analyst"));
  await assertRejects(() => waitOn(bench), RuntimeError, "without a usable response file");
  assertEquals(await Deno.readTextFile(secret), "secret");
  assertEquals(await bench.archive(), []);
});

Deno.test("a folder in place of the response is no response", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  await Deno.mkdir(responsePathFor(bench.workdir, "analyst"));
  await assertRejects(() => waitOn(bench), RuntimeError, ": it is a folder");
});

Deno.test("a response folder that leads out of the working directory is refused", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  const outside = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${outside}/analyst_summary.md`, "from outside");
    await Deno.remove(`${bench.workdir}/.tmp/agent-responses`);
    await Deno.symlink(outside, `${bench.workdir}/.tmp/agent-responses`);
    await assertRejects(() => waitOn(bench), RuntimeError, "leads out of the working directory");
    assertEquals(await Deno.readTextFile(`${outside}/analyst_summary.md`), "from outside");
  } finally {
    await Deno.remove(outside, { recursive: true });
  }
});

Deno.test("unknown neither starts the agent, nor is it rest, nor lets a file be taken", async (t) => {
  await t.step("it does not start the agent", async () => {
    await using bench = await createBench({ statuses: [[0, "unknown"], [4, "idle"]] });
    await assertRejects(() => waitOn(bench), RuntimeError);
    assertEquals(bench.clock.elapsedSeconds(), 60, "the startup timeout still has to pass");
  });
  await t.step("it breaks a row of idle polls", async () => {
    await using bench = await createBench({
      statuses: [[0, "processing"], [2, "idle"], [20, "unknown"], [22, "idle"]],
    });
    await assertRejects(() => waitOn(bench), RuntimeError);
    assertEquals(bench.clock.elapsedSeconds(), 52);
  });
  await t.step("no file is taken, and the timeout is a TimeoutError", async () => {
    await using bench = await createBench({ statuses: [[0, "unknown"]] });
    await bench.respond("analyst", "text");
    await assertRejects(() => waitOn(bench), TimeoutError, "(last status: unknown)");
    assertEquals(bench.clock.elapsedSeconds(), 1800);
  });
});

Deno.test("a status read that fails once is retried within the poll", async () => {
  await using bench = await createBench({
    statuses: [[0, "processing"], [4, new Error("tmux is away")], [4.1, "idle"]],
  });
  await bench.respond("analyst", "text");
  assertEquals(await waitOn(bench), "text");
  assertEquals(bench.terminal.pollSeconds, [0, 2, 4, 4.25]);
  assertEquals(bench.logs.length, 1);
  assertStringIncludes(bench.logs[0]!, "cannot read the status of analyst in terminal t-1: tmux is away");
});

Deno.test("a status read that fails does not count as a break of the rest", async () => {
  await using bench = await createBench({
    statuses: [[0, "processing"], [2, "idle"], [20, new Error("tmux is away")], [20.5, "idle"]],
  });
  await assertRejects(() => waitOn(bench), RuntimeError, "it rested for 30 s");
  assertGreaterOrEqual(bench.clock.elapsedSeconds(), 32);
  assert(bench.clock.elapsedSeconds() <= 34);
});

Deno.test("a status that can never be read ends the turn with the cause", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [2, new Error("tmux is gone")]] });
  const error = await assertRejects(() => waitOn(bench), RuntimeError);
  assertEquals(
    error.message,
    "Cannot finish the turn of analyst in terminal t-1: reading the terminal's status failed 5 times in a row: tmux is gone (last status: processing)",
  );
  assertEquals((error.cause as Error).message, "tmux is gone");
  assertEquals(bench.terminal.pollSeconds, [0, 2, 2.25, 2.75, 3.75, 5.75]);
  assertEquals(bench.logs.length, 1, "one warning for the row of failures");
});

Deno.test("a status that does not exist is as good as one that cannot be read", async () => {
  for (const status of ["IDLE", "", "toString"]) {
    await using bench = await createBench({ statuses: [[0, "processing"], [2, status as TerminalStatus]] });
    await assertRejects(
      () => waitOn(bench),
      RuntimeError,
      `5 times in a row: the status is ${JSON.stringify(status)}; it must be one of idle, processing,`,
    );
  }
});

Deno.test("an abort ends the wait at once with the signal's reason", async (t) => {
  await t.step("in the sleep between two polls", async () => {
    await using bench = await createBench({ statuses: [[0, "processing"]] });
    const controller = new AbortController();
    bench.clock.at(5, () => controller.abort(new Error("enough")));
    const options = { ...bench.options(), signal: controller.signal };
    await assertRejects(
      () => bench.clock.runUntilSettled(waitForResponseFile(bench.terminal, "t-1", "analyst", options)),
      Error,
      "enough",
    );
    assertEquals(bench.terminal.pollSeconds, [0, 2, 4]);
  });
  await t.step("while the terminal does not answer", async () => {
    await using bench = await createBench({ statuses: [[0, "idle"]] });
    const controller = new AbortController();
    const api = { ...bench.terminal, getStatus: () => new Promise<never>(() => {}) };
    const wait = waitForResponseFile(api, "t-1", "analyst", { ...bench.options(), signal: controller.signal });
    controller.abort(new Error("enough"));
    await assertRejects(() => wait, Error, "enough");
  });
  await t.step("before it began", async () => {
    await using bench = await createBench({ statuses: [[0, "idle"]] });
    await bench.respond("analyst", "text");
    const options = { ...bench.options(), signal: AbortSignal.abort(new Error("enough")) };
    await assertRejects(() => waitForResponseFile(bench.terminal, "t-1", "analyst", options), Error, "enough");
    assertEquals(bench.terminal.pollSeconds, []);
  });
});

Deno.test("a relative working directory is the one of the program's folder", async () => {
  await using bench = await createBench({ statuses: [[0, "idle"]] });
  await bench.respond("analyst", "text");
  const up = Deno.cwd().split("/").slice(1).map(() => "..").join("/");
  const { archiveDir: _, ...options } = { ...bench.options(), workdir: `${up}${bench.workdir}` };
  assertEquals(
    await bench.clock.runUntilSettled(waitForResponseFile(bench.terminal, "t-1", "analyst", options)),
    "text",
  );
  assert(bench.archived[0]!.path.startsWith(`${bench.workdir}/.tmp/`), bench.archived[0]!.path);
});
