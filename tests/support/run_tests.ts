// deno-lint-ignore-file no-console -- a script for people
/**
 * Runs the tests, a few files per process and a few processes at a time: to start a program takes a process longer the
 * more memory it has, and the tests start thousands.
 *
 * These are all tests but those in tests/e2e and tests/scenarios; with `--e2e` as the first argument they are those of the
 * first, with the real CLIs, and with `--agents` those of the second, with agents over ACP, which may be named: `gemini`.
 * Paths are run instead of all of them; all other arguments go to `deno test`. The output of a process is shown whole
 * when it has ended. The last line is the sum, in the words of `deno test`.
 *
 * Files that fail beside others are run once more when all others have ended: tests start real programs in real
 * terminals, which share the machine. Where they pass then, the first failure stays in the output, and the files are
 * named and counted as flaky: a defect to be found, but not one of what was changed.
 */
import { exists, walk } from "@std/fs";

/** How the tests of a kind are run. Most of a test's time is waiting, so processes may be more than there are cores. */
const KINDS = {
  unit: { folder: "tests", processes: 4, filesPerProcess: 10, permissions: "-P" },
  // The real CLIs use much more of the machine than scripted agents do.
  e2e: { folder: "tests/e2e", processes: 3, filesPerProcess: 1, permissions: "-P=e2e" },
  agents: { folder: "tests/scenarios", processes: 3, filesPerProcess: 1, permissions: "-P=e2e" },
} as const;

/** What tests start, thousands of times: it starts in a fifth of the time of the sources, of which it was just made. */
const BUNDLE = `${Deno.cwd()}/dist/panewright.mjs`;

/** How `deno test` closes its output: `ok | 12 passed (3 steps) | 0 failed | 1 ignored (2s)`. */
const SUMMARY = /^(?:ok|FAILED) \| .*$/m;

const COUNTS = ["passed", "failed", "ignored"] as const;

const kindName = Deno.args[0] === "--e2e" ? "e2e" : Deno.args[0] === "--agents" ? "agents" : "unit";
const kind = KINDS[kindName];

function kindOf(path: string): keyof typeof KINDS {
  if (path.startsWith(`${KINDS.e2e.folder}/`)) return "e2e";
  return path.startsWith(`${KINDS.agents.folder}/`) ? "agents" : "unit";
}

async function filesOf(paths: readonly string[]): Promise<readonly string[]> {
  const files: string[] = [];
  for (const path of paths) {
    if ((await Deno.stat(path)).isFile) files.push(path);
    else for await (const file of walk(path, { includeDirs: false })) files.push(file.path);
  }
  return files.filter((path) => path.endsWith("_test.ts") && kindOf(path) === kindName).sort();
}

const paths: string[] = [];
const flags: string[] = [];
for (const arg of Deno.args.slice(kindName === "unit" ? 0 : 1)) {
  const ofAgent = `${KINDS.agents.folder}/${arg}_test.ts`;
  if (kindName === "agents" && await exists(ofAgent)) paths.push(ofAgent);
  else (await exists(arg) ? paths : flags).push(arg);
}
const queue = [...await filesOf(paths.length === 0 ? [kind.folder] : paths)];
const sums = { passed: 0, failed: 0, ignored: 0 };
const started = Date.now();
let isGreen = queue.length > 0;

/** Runs test files in a process of their own, and counts them unless they failed and are to be run again. */
async function runFiles(files: readonly string[], { isLast }: { readonly isLast: boolean }): Promise<boolean> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--quiet", "--no-check", kind.permissions, ...flags, ...files],
    env: { NO_COLOR: "1", PANEWRIGHT_TESTED_BUNDLE: BUNDLE },
    stdin: "null",
  }).output();
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const summary = output.match(SUMMARY)?.[0];
  const hasPassed = code === 0 && summary !== undefined;
  console.log(summary === undefined ? `${output}\nexit code ${code}: ${files.join(" ")}` : output.replace(summary, ""));
  if (!hasPassed && !isLast) return false;
  for (const count of COUNTS) sums[count] += Number(summary?.match(new RegExp(`(\\d+) ${count}`))?.[1] ?? 0);
  if (!hasPassed) isGreen = false;
  return hasPassed;
}

/** Whether the files that are run are few enough for one process, so that nothing is beside it. */
const isAlone = queue.length <= kind.filesPerProcess;
const failed: (readonly string[])[] = [];
async function runSome(): Promise<void> {
  while (queue.length > 0) {
    const files = queue.splice(0, kind.filesPerProcess);
    if (!await runFiles(files, { isLast: isAlone }) && !isAlone) failed.push(files);
  }
}

await Promise.all(Array.from({ length: kind.processes }, runSome));
const flaky: string[] = [];
for (const files of failed) {
  console.log(`Once more, alone: ${files.join(" ")}`);
  if (await runFiles(files, { isLast: true })) flaky.push(files.join(" "));
}
for (const files of flaky) console.log(`flaky: ${files} failed at first, as shown above, and passed alone`);
const told = COUNTS.map((count) => `${sums[count]} ${count}`).join(" | ");
const unsure = flaky.length === 0 ? "" : ` | ${flaky.length} flaky`;
console.log(`${isGreen ? "ok" : "FAILED"} | ${told}${unsure} (${Math.round((Date.now() - started) / 1000)}s)`);
Deno.exit(isGreen ? 0 : 1);
