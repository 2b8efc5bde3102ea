import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { findProcess } from "../../lib/base/ports/process_table.ts";
import { abortable } from "../../lib/base/ports/abortable.ts";
import { type Clock, systemClock } from "../../lib/base/ports/clock.ts";
import { until } from "../support/until.ts";
import { runTestCommand, testCommandArgv } from "../../lib/jobs/test_command.ts";
import { processesWith } from "../agents/process/support.ts";

const MARK = { name: "PANEWRIGHT_TEST_MARK", value: crypto.randomUUID() };
const BASE = { cwd: "/", timeoutSeconds: 600, mark: MARK };

async function waitUntilGone(pid: number): Promise<void> {
  await until(() => findProcess(pid), (found) => found === undefined);
}

Deno.test("a test command that exits with 0 has passed, and its output is kept in the order written", async () => {
  const result = await runTestCommand("echo one; echo two >&2; echo three", BASE);
  assertEquals({ ...result, seconds: 0 }, {
    passed: true,
    exitCode: 0,
    timedOut: false,
    seconds: 0,
    output: "one\ntwo\nthree\n",
    truncated: false,
  });
});

Deno.test("a test command that exits with another code has failed", async () => {
  const result = await runTestCommand(["sh", "-c", "echo broken; exit 3"], BASE);
  assertEquals([result.passed, result.exitCode, result.output], [false, 3, "broken\n"]);
});

Deno.test("an argv test command is not read by a shell", async () => {
  const words = ["$(echo injected)", "a b", ";", "`id`", "'", "*"];
  const result = await runTestCommand(["printf", "%s\n", ...words], BASE);
  assertEquals(result.output, words.join("\n") + "\n");
});

Deno.test("a string test command is what `sh -c` makes of it", async () => {
  const result = await runTestCommand("printf 'a\\nb\\n' | wc -l && x='1 2'; echo \"$x\"", BASE);
  assertEquals(result.output.replaceAll(" ", ""), "2\n12\n");
});

Deno.test("a program that is not there is a failed test with a message, not an error", async () => {
  const result = await runTestCommand(["panewright-no-such-program"], BASE);
  assertEquals([result.passed, result.exitCode], [false, 127]);
  assertStringIncludes(result.output, "panewright-no-such-program");
});

Deno.test("the test command runs in the given folder with the given variables", async () => {
  const cwd = await Deno.makeTempDir();
  try {
    const result = await runTestCommand('pwd; echo "$GREETING"', { ...BASE, cwd, env: { GREETING: "hi" } });
    assertEquals(result.output, `${await Deno.realPath(cwd)}\nhi\n`);
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
});

Deno.test("the time limit kills the test command and its children, and keeps what was written until then", async () => {
  const command = "sleep 36000 & echo child $!; sleep 36000; echo never";
  // A machine that is too slow to write anything in this time gets more of it.
  let timeoutSeconds = 0.2;
  const run = () => runTestCommand(command, { ...BASE, timeoutSeconds: timeoutSeconds *= 2 });
  const result = await until(run, ({ output }) => output.endsWith("\n"));
  assertEquals([result.passed, result.timedOut, result.exitCode], [false, true, 124]);
  const child = /^child (\d+)\n$/.exec(result.output)?.[1];
  assert(child !== undefined, result.output);
  await waitUntilGone(Number(child));
});

Deno.test("an abort kills the test command and its children, and rejects with the reason", async () => {
  const controller = new AbortController();
  const folder = await Deno.makeTempDir();
  try {
    const running = runTestCommand("sleep 36000 & echo $! > pid.part; mv pid.part pid; wait", {
      ...BASE,
      cwd: folder,
      signal: controller.signal,
    });
    const rejected = assertRejects(() => running, Error, "stopped by a person");
    const pid = await until(() => Deno.readTextFile(`${folder}/pid`).catch(() => ""));
    assert(await findProcess(Number(pid)) !== undefined);
    controller.abort(new Error("stopped by a person"));
    await rejected;
    await waitUntilGone(Number(pid));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("of a long output the end is kept and the loss is said", async () => {
  const result = await runTestCommand("seq 1 20000; echo last", { ...BASE, maxOutputBytes: 1000 });
  assert(result.truncated);
  assert(result.output.endsWith("20000\nlast\n"));
  assert(result.output.length <= 1000);
});

Deno.test("colours and control characters of a test runner do not reach the result", async () => {
  const result = await runTestCommand("printf '\\033[31mFAILED\\033[0m\\r\\n\\007'", BASE);
  assertEquals(result.output, "FAILED\n");
});

Deno.test("the shell that runs it has one constant script, whatever the command", () => {
  assertEquals(testCommandArgv("rm -rf $HOME"), ["sh", "-c", 'exec "$@" 2>&1', "sh", "sh", "-c", "rm -rf $HOME"]);
  assertEquals(testCommandArgv(["a"]).slice(0, 3), testCommandArgv("b").slice(0, 3));
});

for (
  const [how, start] of [
    ["in its group", (server: string) => `${server} &`],
    ["in a session of its own", (server: string) => `setsid ${server} &`],
    ["behind a double fork", (server: string) => `(setsid sh -c "${server} & exit 0" &);`],
    ["behind a double fork, with all output elsewhere", (server: string) => `(setsid ${server} > log 2>&1 < log &);`],
  ] as const
) {
  for (const end of ["exit 0", "exit 3", "sleep 36000"]) {
    Deno.test(`what a test command leaves running ${how} ends with it (${end})`, async () => {
      const mark = `mark-${crypto.randomUUID()}`;
      const cwd = await Deno.makeTempDir();
      try {
        await Deno.writeTextFile(`${cwd}/log`, "");
        await Deno.writeTextFile(`${cwd}/server.sh`, `touch up\nwhile :; do sleep 1; done\n`);
        const command = `${start(`sh server.sh ${mark}`)} while [ ! -e up ]; do sleep 0.02; done; ${end}`;
        const limit = Promise.withResolvers<void>();
        const clock: Clock = {
          ...systemClock,
          sleep: (ms, signal) =>
            ms === 600_000 ? abortable(() => limit.promise, signal) : systemClock.sleep(ms, signal),
        };
        const running = runTestCommand(command, { ...BASE, cwd, clock });
        await until(() => Deno.stat(`${cwd}/up`).catch(() => undefined));
        if (end.startsWith("sleep")) limit.resolve();
        const { exitCode } = await running;
        assertEquals(exitCode, { "exit 0": 0, "exit 3": 3 }[end] ?? 124);
        assertEquals(await processesWith(mark), []);
      } finally {
        await Deno.remove(cwd, { recursive: true });
      }
    });
  }
}
