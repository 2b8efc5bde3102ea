import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError, TimeoutError } from "../../lib/base/errors.ts";
import { responsePathFor } from "../../lib/turn/response_files.ts";
import type { HandoffSettings } from "../../lib/turn/settings.ts";
import { sendAndWait, waitForResponseFile } from "../../lib/turn/terminal_api.ts";
import type { TerminalStatus } from "../../lib/base/status.ts";
import type { TerminalScript } from "../support/scripted_terminal.ts";
import { createBench, type HandoffBench } from "./support.ts";

function waitOn(bench: HandoffBench, settings: Partial<HandoffSettings> = {}): Promise<string> {
  return bench.clock.runUntilSettled(
    waitForResponseFile(bench.terminal, "t-1", "analyst", bench.options(settings)),
  );
}

/** A wait for a response: what the terminal does and the agent writes, and what comes of it. */
interface Case extends TerminalScript {
  readonly settings?: Partial<HandoffSettings>;
  /** What the agent writes as its response, and in which second; 0: it is there before. */
  readonly writes?: readonly (readonly [second: number, content: string | Uint8Array])[];
  readonly returns?: string;
  /** Part of the message of the error; for a `TimeoutError` in a pair with it. */
  readonly fails?: string | readonly [typeof TimeoutError, string];
  /** When it ends. */
  readonly second?: number;
  /** Part of each line of the log, and when it is written. */
  readonly logs?: readonly (readonly [second: number, part: string])[];
  /** In which seconds a dialog is answered with `y`. */
  readonly answers?: readonly number[];
  readonly polls?: readonly number[];
  readonly told?: readonly TerminalStatus[];
  /** What stands at the response's path at the end. */
  readonly left?: string | Uint8Array;
}

const ON = { autoAcceptPermissions: true };
const SCREEN =
  "old line\nWould you like to run the following command?\n\n  $ npm test\n\n› 1. Yes\n  2. Always\n  3. No\n";
const RESTED = "it rested for 30 s";
const NOT_AT_WORK = "analyst in terminal t-1 was not seen at work within";
const ASKS = "Warning: analyst in terminal t-1 waits for an answer to a permission dialog. Nothing was sent, because " +
  "AUTO_ACCEPT_PERMISSIONS is off";
const TAKES_SCREEN = "Taking the terminal's last output";
const AWAY = new Error("tmux is away");
const cutInTwo = new Uint8Array([0x61, 0xc3]);

const CASES: Readonly<Record<string, Case>> = {
  "a file that is there at the first idle poll costs a second look, not a whole poll": {
    ...{ statuses: [[0, "idle"]], writes: [[0, "done"]] },
    ...{ returns: "done", second: 0.075 },
  },
  "Scenario: Startup guard blocks premature grace timer, until the startup timeout expires": {
    ...{ statuses: [[0, "completed"], [28, "processing"], [44, "idle"]], settings: { idleGraceSeconds: 20 } },
    // Not at second 20, when the stale status is as old as the grace.
    ...{ fails: "it rested for 20 s", second: 64 },
  },
  "Scenario: Startup guard blocks premature grace timer, until the agent is seen at work": {
    ...{ statuses: [[0, "completed"], [18, "processing"], [20, "completed"]], settings: { idleGraceSeconds: 20 } },
    // The guard was not forced.
    ...{ fails: "it rested for 20 s", second: 40, logs: [] },
  },
  "Scenario: Agent starts processing and then completes": {
    ...{ statuses: [[0, "completed"], [3, "processing"], [100, "completed"]], writes: [[99, "late but fine"]] },
    ...{ returns: "late but fine", second: 100.075, told: ["completed", "processing", "completed"] },
  },
  "Scenario: Startup timeout releases guard, and it ends after twice the grace": {
    ...{ statuses: [[0, "idle"]], fails: RESTED, second: 60, logs: [[30, NOT_AT_WORK]] },
  },
  "a startup timeout with a grace that is no multiple of the poll: at most one poll later per phase": {
    ...{ statuses: [[0, "idle"]], settings: { idleGraceSeconds: 5 } },
    ...{ fails: "it rested for 5 s", second: 12, logs: [[6, `${NOT_AT_WORK} 5 s`]] },
  },
  "Scenario: Response file appears during startup guard": {
    ...{ statuses: [[0, "completed"]], writes: [[4, "fast"]], returns: "fast", second: 4.075 },
  },
  "Scenario: Agent ignores file instruction but terminal finishes (default mode), idle grace": {
    ...{ statuses: [[0, "processing"], [4, "idle"]], output: "on the screen", settings: { strictFileHandoff: false } },
    ...{ returns: "on the screen", second: 34, logs: [[34, TAKES_SCREEN]] },
  },
  "Scenario: Agent ignores file instruction but terminal finishes (default mode), the timeout expires": {
    ...{ statuses: [[0, "processing"], [95, "idle"]], output: "on the screen" },
    settings: { strictFileHandoff: false, responseTimeoutSeconds: 99 },
    // The last poll is at the limit itself.
    ...{ returns: "on the screen", second: 99, logs: [[99, TAKES_SCREEN]] },
  },
  "Scenario: Agent ignores file instruction but terminal finishes (default mode), the last output cannot be read": {
    ...{ statuses: [[0, "processing"], [4, "idle"]], output: new Error("no pane") },
    settings: { strictFileHandoff: false },
    fails:
      "Cannot finish the turn of analyst in terminal t-1: reading the last output failed: no pane (last status: idle)",
  },
  "Scenario: Agent ignores file instruction but terminal finishes (strict mode), idle grace": {
    ...{ statuses: [[0, "processing"], [4, "idle"]], output: "on the screen" },
    fails: "Cannot finish the turn of analyst in terminal t-1: it rested for 30 s without a usable response file " +
      "PATH: it is missing (last status: idle)",
  },
  "Scenario: Agent ignores file instruction but terminal finishes (strict mode), the timeout expires": {
    ...{ statuses: [[0, "processing"], [95, "completed"]], settings: { responseTimeoutSeconds: 99 } },
    ...{ fails: "the limit of 99 s passed without a usable response file", second: 99 },
  },
  "Scenario: Terminal enters error state, and nothing is taken": {
    ...{ statuses: [[0, "processing"], [6, "error"]], writes: [[5, "half of it"]] },
    fails: "Cannot finish the turn of analyst in terminal t-1: the agent is in an error state (last status: error)",
    ...{ second: 6, left: "half of it" },
  },
  "Scenario: Timeout with terminal still processing": {
    statuses: [[0, "processing"]],
    fails: [
      TimeoutError,
      "Cannot finish the turn of analyst in terminal t-1: the limit of 1800 s passed (last status: processing)",
    ],
    second: 1800,
  },
  "Scenario: waiting_user_answer counts as agent started: no startup timeout comes before the grace": {
    ...{ statuses: [[0, "waiting_user_answer"], [2, "idle"]], fails: RESTED, second: 32 },
  },
  "Scenario: Idle grace resets on processing observation": {
    statuses: [
      ...[[0, "processing"], [2, "idle"], [30, "processing"]] as const,
      ...[[32, "completed"], [60, "processing"], [62, "idle"]] as const,
    ],
    ...{ fails: RESTED, second: 92 },
  },
  "a poll follows a poll after exactly pollSeconds, the second look included": {
    ...{ statuses: [[0, "idle"], [4, "processing"], [6, "idle"]], writes: [[0, "   \n"], [7, "now"]] },
    ...{ returns: "now", polls: [0, 2, 4, 6, 8] },
  },
  "a half-written file is not taken while it grows": {
    statuses: [[0, "processing"], [10, "idle"]],
    // The second falls between the first and the second look of the poll at second 10.
    writes: [[9, "first half, "], [10.03, "first half, second half"]],
    ...{ returns: "first half, second half", second: 12 },
  },
  "a file that is being written keeps the grace from ending": {
    ...{ statuses: [[0, "processing"], [2, "idle"]], writes: [[32, "a"], [32.05, "ab"]], returns: "ab", second: 34 },
  },
  "a second look at a file without use changes nothing about when the grace ends, after work": {
    ...{ statuses: [[0, "processing"], [2, "idle"]], writes: [[1, ""]], fails: "it is empty", second: 32 },
  },
  "a second look at a file without use changes nothing about when the grace ends, after a startup": {
    ...{ statuses: [[0, "idle"], [2, "idle"]], writes: [[29, ""]], fails: "it is empty", second: 60 },
  },
  "a file that comes late, within the grace, is taken": {
    ...{ statuses: [[0, "processing"], [2, "idle"]], writes: [[29, "late"]], returns: "late", second: 30.075 },
  },
  ...Object.fromEntries(([
    ["an empty file", "", "it is empty"],
    ["a file of white space", " \r\n\t\n", "it is empty"],
    ["a byte order mark alone", "\uFEFF", "it is empty"],
    ["invalid UTF-8", cutInTwo, "it is not valid UTF-8"],
  ] as const).map(([name, content, problem]) => [
    `${name} is no response, the error says why, and it stays`,
    {
      ...{ statuses: [[0, "processing"], [2, "idle"]], writes: [[0, content]] },
      ...{ fails: `${problem} (last status: idle)`, second: 32, left: content },
    } satisfies Case,
  ])),
  "a character that is cut in two is waited for": {
    ...{ statuses: [[0, "processing"], [2, "idle"]], writes: [[0, cutInTwo], [5, "aä"]], returns: "aä" },
  },
  "a file at the size limit is taken": {
    ...{ statuses: [[0, "idle"]], writes: [[0, "x".repeat(64)]], settings: { maxResponseBytes: 64 } },
    returns: "x".repeat(64),
  },
  "a file above the size limit is as good as none: the grace passes": {
    statuses: [[0, "processing"], [4, "idle"]],
    ...{ writes: [[0, "x".repeat(65)]], settings: { maxResponseBytes: 64 } },
    ...{ fails: "it has 65 bytes, more than the 64 that are allowed", second: 34 },
  },
  "unknown does not start the agent: the startup timeout still has to pass": {
    ...{ statuses: [[0, "unknown"], [4, "idle"]], fails: RESTED, second: 60 },
  },
  "unknown breaks a row of idle polls": {
    statuses: [[0, "processing"], [2, "idle"], [20, "unknown"], [22, "idle"]],
    ...{ fails: RESTED, second: 52 },
  },
  "while unknown lasts no file is taken, and the timeout is a TimeoutError": {
    ...{ statuses: [[0, "unknown"]], writes: [[0, "text"]] },
    ...{ fails: [TimeoutError, "(last status: unknown)"], second: 1800 },
  },
  "a status read that fails once is retried within the poll": {
    ...{ statuses: [[0, "processing"], [4, AWAY], [4.1, "idle"]], writes: [[0, "text"]], returns: "text" },
    ...{ polls: [0, 2, 4, 4.25], logs: [[4, "cannot read the status of analyst in terminal t-1: tmux is away"]] },
  },
  "a status read that fails does not count as a break of the rest": {
    statuses: [[0, "processing"], [2, "idle"], [20, AWAY], [20.5, "idle"]],
    ...{ fails: RESTED, second: 32 },
  },
  "a status that can never be read ends the turn, with one warning for the row of failures": {
    statuses: [[0, "processing"], [2, AWAY]],
    fails:
      "Cannot finish the turn of analyst in terminal t-1: reading the terminal's status failed 5 times in a row: " +
      "tmux is away (last status: processing)",
    ...{ polls: [0, 2, 2.25, 2.75, 3.75, 5.75], logs: [[2, "tmux is away"]] },
  },
  ...Object.fromEntries(["IDLE", "", "toString"].map((status) => [
    `the status ${JSON.stringify(status)}, which does not exist, is as good as one that cannot be read`,
    {
      statuses: [[0, "processing"], [2, status as TerminalStatus]],
      fails: `5 times in a row: the status is ${JSON.stringify(status)}; it must be one of idle, processing,`,
    } satisfies Case,
  ])),
  "Scenario: Permission prompt auto-accepted (opt-in enabled)": {
    statuses: [[0, "processing"], [4, "waiting_user_answer"], [6, "processing"], [10, "idle"]],
    ...{ output: SCREEN, settings: ON, writes: [[9, "changed"]] },
    ...{ returns: "changed", answers: [4], logs: [[4, "Auto-accepting"]] },
  },
  "Scenario: Permission prompt detected but auto-accept disabled: told once for each of the two dialogs": {
    statuses: [[0, "waiting_user_answer"], [10, "processing"], [20, "waiting_user_answer"], [30, "idle"]],
    ...{ writes: [[29, "changed"]], returns: "changed", answers: [], logs: [[0, ASKS], [20, ASKS]] },
  },
  "a dialog that is unreadable for a moment is not reported twice": {
    statuses: [[0, "waiting_user_answer"], [4, "unknown"], [6, "waiting_user_answer"]],
    ...{ settings: { responseTimeoutSeconds: 20 }, fails: [TimeoutError, "20 s"], logs: [[0, ASKS]] },
  },
  "Scenario: Cooldown prevents rapid accepts: the first poll after 5 s answers, each time": {
    ...{ statuses: [[0, "waiting_user_answer"], [13, "idle"]], output: SCREEN, settings: ON },
    ...{ writes: [[13, "changed"]], returns: "changed", answers: [0, 6, 12] },
  },
  "the cooldown is over after exactly 5 s": {
    statuses: [[0, "waiting_user_answer"], [11, "idle"]],
    ...{ output: SCREEN, settings: { ...ON, pollSeconds: 1 } },
    ...{ writes: [[11, "changed"]], returns: "changed", answers: [0, 5, 10] },
  },
  "Scenario: Safety cap exceeded, when a 21st would have been due": {
    ...{ statuses: [[0, "waiting_user_answer"]], output: SCREEN, settings: ON },
    fails:
      "Cannot finish the turn of analyst in terminal t-1: 20 dialogs were accepted, and no more are allowed in a " +
      "turn (last status: waiting_user_answer)",
    ...{ second: 120, answers: Array.from({ length: 20 }, (_, index) => 6 * index) },
  },
  "Scenario: Audit log content": {
    ...{ statuses: [[0, "waiting_user_answer"], [8, "idle"]], settings: ON, writes: [[8, "changed"]] },
    output: `${SCREEN}\u001b]0;evil\u0007\u202e\n`,
    returns: "changed",
    logs: [1, 2].map((count) => [
      6 * (count - 1),
      [
        `Auto-accepting the permission dialog of analyst in terminal t-1 (${count}/20):`,
        ...["  |   $ npm test", "  | › 1. Yes", "  |   2. Always", "  |   3. No", "  | \\x1b]0;evil\\x07\\u202e"],
      ].join("\n"),
    ]),
  },
  "Scenario: waiting_user_answer no longer causes indefinite stall, opted in: accepted": {
    statuses: [[0, "processing"], [2, "waiting_user_answer"]],
    ...{ output: SCREEN, settings: { ...ON, acceptCap: 1 }, fails: "1 dialogs were accepted", answers: [2] },
  },
  "Scenario: waiting_user_answer no longer causes indefinite stall, not opted in: a warning, and the turn's limit": {
    ...{ statuses: [[0, "processing"], [2, "waiting_user_answer"]], output: SCREEN },
    ...{ fails: [TimeoutError, "(last status: waiting_user_answer)"], second: 1800, logs: [[2, ASKS]] },
  },
  "a file is not taken while a dialog is open": {
    ...{ statuses: [[0, "waiting_user_answer"], [10, "idle"]], output: SCREEN, writes: [[0, "changed"]] },
    ...{ returns: "changed", second: 10 },
  },
  "an answer that cannot be sent ends the turn, and is not sent twice": {
    ...{ statuses: [[0, "waiting_user_answer"]], output: SCREEN, settings: ON },
    onInput: () => Promise.reject(new Error("pane is dead")),
    ...{ fails: "analyst in terminal t-1: answering a dialog failed: pane is dead", answers: [0] },
  },
  "a prompt whose screen cannot be read is not accepted, because it could not be audited": {
    ...{ statuses: [[0, "waiting_user_answer"]], output: new Error("no capture") },
    settings: { ...ON, responseTimeoutSeconds: 20 },
    ...{ fails: [TimeoutError, "20 s"], answers: [] },
    logs: [[0, "was not accepted, because its screen cannot be read: no capture"]],
  },
};

for (const [name, one] of Object.entries(CASES)) {
  Deno.test(name, async () => {
    await using bench = await createBench(one);
    const path = responsePathFor(bench.workdir, "analyst");
    const logged: [number, string][] = [];
    const options = {
      ...bench.options(one.settings),
      log: (line: string) => void logged.push([bench.clock.elapsedSeconds(), line]),
    };
    for (const [second, content] of one.writes ?? []) {
      if (second === 0) await bench.respond("analyst", content);
      else bench.clock.at(second, () => bench.respond("analyst", content));
    }
    const turn = bench.clock.runUntilSettled(waitForResponseFile(bench.terminal, "t-1", "analyst", options));
    if (one.returns !== undefined) assertEquals(await turn, one.returns);
    else {
      const [Kind, part] = typeof one.fails === "string" ? [RuntimeError, one.fails] : one.fails!;
      const { name, message } = await assertRejects(() => turn, Kind);
      assertEquals(name, Kind.name);
      const expected = part.replace("PATH", path);
      if (part.startsWith("Cannot finish")) assertEquals(message, expected);
      else assertStringIncludes(message, expected);
    }
    if (one.second !== undefined) assertEquals(bench.clock.elapsedSeconds(), one.second);
    if (one.logs !== undefined) {
      assertEquals(logged.map(([second]) => second), one.logs.map(([second]) => second));
      for (const [index, [, part]] of one.logs.entries()) {
        if (part.includes("\n")) assertEquals(logged[index]![1], part);
        else assertStringIncludes(logged[index]![1], part);
      }
    }
    if (one.answers !== undefined) {
      assertEquals(bench.terminal.inputs, one.answers.map((atSecond) => ({ text: "y", atSecond })));
    }
    if (one.polls !== undefined) assertEquals(bench.terminal.pollSeconds, one.polls);
    if (one.told !== undefined) assertEquals(bench.statuses, one.told);
    if (one.left !== undefined) {
      const { left } = one;
      assertEquals(await Deno.readFile(path), typeof left === "string" ? new TextEncoder().encode(left) : left);
    }
  });
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

Deno.test("the error of a status that can never be read has its cause", async () => {
  await using bench = await createBench({ statuses: [[0, AWAY]] });
  assertEquals((await assertRejects(() => waitOn(bench), RuntimeError)).cause, AWAY);
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

Deno.test("the cooldown of a terminal outlives a turn where the caller keeps the times", async (t) => {
  for (const { kept, expected } of [{ kept: true, expected: [0, 6] }, { kept: false, expected: [0, 4] }]) {
    await t.step(kept ? "kept" : "not kept", async () => {
      await using bench = await createBench({
        statuses: [[0, "waiting_user_answer"], [2, "idle"], [4, "waiting_user_answer"], [8, "idle"]],
        output: SCREEN,
      });
      const options = { ...bench.options(ON), ...(kept ? { acceptTimes: new Map<string, number>() } : {}) };
      bench.clock.at(1, () => bench.respond("analyst", "one"));
      await bench.clock.runUntilSettled(waitForResponseFile(bench.terminal, "t-1", "analyst", options));
      await bench.clock.runUntilSettled(bench.clock.sleep(1925));
      bench.clock.at(8, () => bench.respond("analyst", "two"));
      await bench.clock.runUntilSettled(waitForResponseFile(bench.terminal, "t-1", "analyst", options));
      assertEquals(bench.terminal.inputs.map(({ atSecond }) => atSecond), expected);
    });
  }
});

Deno.test("Scenario: Counter reset on new turn", async () => {
  await using bench = await createBench({
    statuses: [[0, "waiting_user_answer"], [2, "idle"], [10, "waiting_user_answer"], [12, "idle"]],
    output: SCREEN,
  });
  const options = bench.options({ ...ON, acceptCap: 1 });
  bench.clock.at(1, () => bench.respond("analyst", "one"));
  bench.clock.at(11, () => bench.respond("analyst", "two"));
  const turn = (prompt: string) =>
    bench.clock.runUntilSettled(sendAndWait(bench.terminal, "t-1", "analyst", prompt, options));
  assertEquals(await turn("first"), "one");
  assertEquals(await turn("second"), "two", "a counter that went on would have exceeded the cap of 1");
  assertEquals(bench.terminal.inputs.map(({ text }) => text), ["first", "y", "second", "y"]);
  for (const line of bench.logs) assertMatch(line, /\(1\/1\)/);
});
