// deno-lint-ignore-file no-console -- a script for people
/**
 * Runs all tests but those with the real CLIs, a few files per process and a few processes at a time: to start a
 * program takes a process longer the more memory it has, and the tests start thousands.
 *
 * Paths are run instead of all tests; all other arguments go to `deno test`. The output of a process is shown whole
 * when it has ended. The last line is the sum, in the words of `deno test`.
 */
import { exists, walk } from "@std/fs";

/** Most of a test's time is waiting, so this is more than many machines have cores. */
const PROCESSES = 4;

const FILES_PER_PROCESS = 10;

/** How `deno test` closes its output: `ok | 12 passed (3 steps) | 0 failed | 1 ignored (2s)`. */
const SUMMARY = /^(?:ok|FAILED) \| .*$/m;

const COUNTS = ["passed", "failed", "ignored"] as const;

async function filesOf(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if ((await Deno.stat(path)).isFile) files.push(path);
    else for await (const file of walk(path, { includeDirs: false })) files.push(file.path);
  }
  return files.filter((path) => path.endsWith("_test.ts") && !path.startsWith("tests/e2e/")).sort();
}

const paths: string[] = [];
const flags: string[] = [];
for (const arg of Deno.args) (await exists(arg) ? paths : flags).push(arg);
const queue = [...await filesOf(paths.length === 0 ? ["tests"] : paths)];
const sums = { passed: 0, failed: 0, ignored: 0 };
const started = Date.now();
let isGreen = queue.length > 0;

async function runSome(): Promise<void> {
  while (queue.length > 0) {
    const files = queue.splice(0, FILES_PER_PROCESS);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--quiet", "--no-check", "-P", ...flags, ...files],
      env: { NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
    const summary = output.match(SUMMARY)?.[0];
    for (const count of COUNTS) sums[count] += Number(summary?.match(new RegExp(`(\\d+) ${count}`))?.[1] ?? 0);
    if (code !== 0 || summary === undefined) isGreen = false;
    console.log(
      summary === undefined ? `${output}\nexit code ${code}: ${files.join(" ")}` : output.replace(summary, ""),
    );
  }
}

await Promise.all(Array.from({ length: PROCESSES }, runSome));
const told = COUNTS.map((count) => `${sums[count]} ${count}`).join(" | ");
console.log(`${isGreen ? "ok" : "FAILED"} | ${told} (${Math.round((Date.now() - started) / 1000)}s)`);
Deno.exit(isGreen ? 0 : 1);
