import { assertEquals, assertStringIncludes } from "@std/assert";
import { callCli } from "../support/call_cli.ts";
import type { FakeIoOptions } from "../support/fake_io.ts";
import { agentReady, reviewFinished, writeReview } from "../support/run_folders.ts";
import { tempDir } from "../support/temp_dir.ts";

const isColored = (text: string) => text.includes("\x1b[");

/** Whether the list of runs, on stdout, and an error, on stderr, are coloured. */
async function colored(flags: readonly string[], options: FakeIoOptions): Promise<readonly boolean[]> {
  await using dir = await tempDir();
  await writeReview(dir, [...agentReady(), reviewFinished("pass")]);
  const list = await callCli(["runs", ...flags], { ...options, cwd: dir.path });
  assertStringIncludes(list.stdout, "passed");
  const error = await callCli(["status", "nosuchrun", ...flags], { ...options, cwd: dir.path });
  assertEquals(error.code, 2);
  return [isColored(list.stdout), isColored(error.stderr)];
}

const CASES: readonly (readonly [args: string, FakeIoOptions, stdout: boolean, stderr: boolean])[] = [
  ["", {}, false, false],
  ["", { terminal: true }, true, true],
  ["", { terminal: ["stdout"] }, true, false],
  ["", { terminal: ["stderr"] }, false, true],
  ["", { terminal: true, env: { TERM: "dumb" } }, false, false],
  ["", { terminal: true, env: { NO_COLOR: "1" } }, false, false],
  ["", { terminal: true, env: { NO_COLOR: "" } }, true, true],
  ["", { env: { FORCE_COLOR: "1" } }, true, true],
  ["", { terminal: true, env: { FORCE_COLOR: "0" } }, false, false],
  ["", { env: { FORCE_COLOR: "1", NO_COLOR: "1" } }, false, false],
  ["--color always", { env: { NO_COLOR: "1", TERM: "dumb" } }, true, true],
  ["--color=always", {}, true, true],
  ["--color never", { terminal: true, env: { FORCE_COLOR: "1" } }, false, false],
  ["--color auto", { terminal: true }, true, true],
  ["--no-color", { terminal: true }, false, false],
];

for (const [args, options, stdout, stderr] of CASES) {
  const { terminal = false, env = {} } = options;
  Deno.test(`colours with "${args}", terminal: ${terminal}, ${JSON.stringify(env)}`, async () => {
    assertEquals(await colored(args.split(" ").filter((arg) => arg !== ""), options), [stdout, stderr]);
  });
}

Deno.test("JSON has no colours", async () => {
  const { stdout, stderr } = await callCli(["status", "nosuchrun", "--json", "--color", "always"]);
  assertEquals([isColored(stdout), isColored(stderr)], [false, true]);
});

Deno.test("only --color takes a colour choice: not a word that is no command, nor one after --", async () => {
  for (const args of [["always"], ["runs", "--", "--color", "always"]]) {
    const { code, stderr } = await callCli(args);
    assertEquals([code, isColored(stderr)], [2, false], stderr);
  }
});

Deno.test("--color takes auto, always or never", async () => {
  const { code, stderr } = await callCli(["runs", "--color", "sometimes"]);
  assertEquals(code, 2);
  assertStringIncludes(stderr, 'Cannot use --color "sometimes": it must be one of auto, always, never');
});

Deno.test("doctor colours what is well and what is not, and status a run's state and its roles", async () => {
  await using dir = await tempDir();
  const folder = await writeReview(dir, [
    ...agentReady(),
    reviewFinished("fail", "No round is left.\nThe tests fail."),
  ]);
  const options = { cwd: dir.path, env: { FORCE_COLOR: "1", PATH: dir.path } };
  const doctor = await callCli(["doctor"], options);
  assertStringIncludes(doctor.stdout, "\x1b[31mfail\x1b[0m  agents: ");
  assertStringIncludes(doctor.stdout, "\x1b[32mok\x1b[0m    panewright: ");
  const status = await callCli(["status"], options);
  assertStringIncludes(status.stdout, `run ${folder.id} (run): \x1b[31mfailed\x1b[0m`);
  assertStringIncludes(status.stdout, "\x1b[34mprogrammer\x1b[0m\x1b[2m  codex");
});

Deno.test("a decision of the policy has its colour", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": '{ "prompt": "x", "permissions": { "deny": ["rm"] } }' });
  const options = { cwd: dir.path, env: { FORCE_COLOR: "1" } };
  const { stdout, stderr } = await callCli(["permissions", "test", "rm x", "ls"], options);
  assertStringIncludes(stdout, "\x1b[31mdeny\x1b[0m  rm x\n", stderr);
  assertStringIncludes(stdout, "\x1b[32mallow\x1b[0m  ls\n");
});
