// deno-lint-ignore-file no-console -- a script for people
/**
 * Runs the tests, some files per process and a few processes at a time. The files of a process are imported by one
 * module, which is what is tested: `deno test` loads all that a file imports anew for each that it is given, which took
 * 350 ms of processor time for each one that imports the library, and 10 of them in one module take 440 in all. But to
 * start a program takes a process longer the more memory it has, and the tests start thousands.
 *
 * These are all tests but those in tests/e2e and tests/scenarios; with `--e2e` as the first argument they are those of the
 * first, with the real CLIs, and with `--agents` those of the second, with agents over ACP, which may be named: `gemini`.
 * Paths are run instead of all of them; all other arguments go to `deno test`. The output of a process is shown whole
 * when it has ended. The last line is the sum, in the words of `deno test`.
 *
 * With `--begin-before=SECONDS` (since the epoch) no file is begun after that time: on a machine that is too slow for all
 * of them, those that were not begun are named, and counted as ignored, instead of being broken off.
 *
 * Files in which a test fails beside others are run once more when all others have ended: tests start real programs in real
 * terminals, which share the machine. Where they pass then, the first failure stays in the output, and the files are
 * named and counted as flaky: a defect to be found, but not one of what was changed.
 */
import { exists, walk } from "@std/fs";

/** How the tests of a kind are run. Most of a test's time is waiting, so processes may be more than there are cores. */
const KINDS = {
  unit: { folder: "tests", processes: 6, filesPerProcess: 5, permissions: "-P" },
  // The real CLIs use much more of the machine than scripted agents do.
  e2e: { folder: "tests/e2e", processes: 4, filesPerProcess: 1, permissions: "-P=e2e" },
  agents: { folder: "tests/scenarios", processes: 2, filesPerProcess: 1, permissions: "-P=e2e" },
} as const;

/**
 * These files take longest, most of them since they play whole runs and wait for them: they are begun first, a few in one
 * process, so that none of them is what all wait for at the end.
 */
const LONG = [
  { folder: "tests/lanes/", filesPerProcess: 1 },
  { folder: "tests/jobs/evidence/", filesPerProcess: 1 },
  { folder: "tests/fleet/", filesPerProcess: 2 },
  { folder: "tests/cli/", filesPerProcess: 4 },
];

/** A process that takes longer hangs: it is ended, so that its files fail by name and the others are still counted. */
const MAX_MINUTES = 25;

/** What tests start, thousands of times: it starts in a fifth of the time of the sources, of which it was just made. */
const BUNDLE = `${Deno.cwd()}/dist/panewright.mjs`;

/** What is tested in place of the files that it imports. */
const TOGETHER = `${Deno.cwd()}/dist/tests`;

/** So many of those that took longest are named. */
const MOST_TOLD = 15;

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

function inGroups(files: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(files.length / size) }, (_, at) => files.slice(at * size, (at + 1) * size));
}

const paths: string[] = [];
const flags: string[] = [];
let beginBeforeMs = Infinity;
for (const arg of Deno.args.slice(kindName === "unit" ? 0 : 1)) {
  const [, before] = /^--begin-before=(\d+)$/.exec(arg) ?? [];
  if (before !== undefined) {
    beginBeforeMs = Number(before) * 1000;
    continue;
  }
  const ofAgent = `${KINDS.agents.folder}/${arg}_test.ts`;
  if (kindName === "agents" && await exists(ofAgent)) paths.push(ofAgent);
  else (await exists(arg) ? paths : flags).push(arg);
}
const files = await filesOf(paths.length === 0 ? [kind.folder] : paths);
/** What counts the steps of a program sees only what is loaded after it, and slows down what is beside it. */
const counting = files.filter((file) => Deno.readTextFileSync(file).includes("/count_steps.ts"));
const together = files.filter((file) => !counting.includes(file));
const isLong = (file: string) => LONG.some(({ folder }) => file.startsWith(folder));
/** The largest first: they take longest, and none of them is what all wait for at the end. */
const bySize = (files: readonly string[]) =>
  files.toSorted((one, other) => Deno.statSync(other).size - Deno.statSync(one).size);
const queue = [
  ...counting.map((file) => [file]),
  ...LONG.flatMap(({ folder, filesPerProcess }) =>
    inGroups(together.filter((file) => file.startsWith(folder)), filesPerProcess)
  ),
  ...inGroups(
    kind.filesPerProcess === 1
      ? bySize(together.filter((file) => !isLong(file)))
      : together.filter((file) => !isLong(file)),
    kind.filesPerProcess,
  ),
];
const sums = { passed: 0, failed: 0, ignored: 0 };
const started = Date.now();
await Deno.mkdir(TOGETHER, { recursive: true });
let isGreen = queue.length > 0;

let modules = 0;

async function moduleOf(files: readonly string[]): Promise<string> {
  if (files.length === 1) return files[0]!;
  const module = `${TOGETHER}/${++modules}_test.ts`;
  await Deno.writeTextFile(module, files.map((file) => `import "${Deno.cwd()}/${file}";\n`).join(""));
  return module;
}

/** Where a test is that failed, in the list that `deno test` ends its output with. */
const FAILED_TEST = / => \.\/(\S+_test\.ts):\d+/g;

interface Ran {
  readonly isGreen: boolean;
  /** The tests that have passed, failed and were ignored; all of them are 0 where the process broke off. */
  readonly counts: Readonly<Record<typeof COUNTS[number], number>>;
  /** The files with a test that failed; all of them where the process broke off. */
  readonly failing: readonly string[];
}

/** Runs test files in a process of their own. */
async function runFiles(files: readonly string[]): Promise<Ran> {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(), MAX_MINUTES * 60_000);
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--quiet", "--no-check", kind.permissions, ...flags, await moduleOf(files)],
    env: { NO_COLOR: "1", TZ: "UTC", PANEWRIGHT_TESTED_BUNDLE: BUNDLE },
    stdin: "null",
    signal: ended.signal,
  }).output().finally(() => clearTimeout(timer));
  if (ended.signal.aborted) console.log(`Ended after ${MAX_MINUTES} minutes: ${files.join(" ")}`);
  const output = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const summary = output.match(SUMMARY)?.[0];
  const places = new Set([...output.matchAll(FAILED_TEST)].map(([, file]) => file!));
  const failing = files.filter((file) => places.has(file));
  const isTold = summary !== undefined && (code === 0 || failing.length > 0);
  // Only the last line is a sum: who adds up sums would count those of a process twice.
  const told = summary === undefined ? output : output.replace(summary, isTold ? "" : `broke off: ${summary}`);
  console.log(isTold ? told : `${told}\nexit code ${code}: ${files.join(" ")}`);
  const count = (name: string) => isTold ? Number(summary.match(new RegExp(`(\\d+) ${name}`))?.[1] ?? 0) : 0;
  return {
    isGreen: code === 0 && isTold,
    counts: { passed: count("passed"), failed: count("failed"), ignored: count("ignored") },
    failing: isTold ? failing : files,
  };
}

function add({ passed, failed, ignored }: Ran["counts"]): void {
  sums.passed += passed;
  sums.failed += failed;
  sums.ignored += ignored;
}

/** Whether the files that are run are few enough for one process, so that nothing is beside it. */
const isAlone = queue.length === 1;
const failed: Ran[] = [];
const notBegun: string[] = [];
const took: { readonly files: readonly string[]; readonly seconds: number }[] = [];
async function runSome(): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    if (Date.now() >= beginBeforeMs) {
      notBegun.push(...next);
      continue;
    }
    const beganMs = Date.now();
    const ran = await runFiles(next);
    took.push({ files: next, seconds: Math.round((Date.now() - beganMs) / 1000) });
    if (ran.isGreen || isAlone) {
      add(ran.counts);
      if (!ran.isGreen) isGreen = false;
    } else failed.push(ran);
  }
}

await Promise.all(Array.from({ length: kind.processes }, runSome));
const flaky: string[] = [];
for (const { counts, failing } of failed) {
  let broken = 0;
  const isBroken = counts.failed === 0;
  for (const file of failing) {
    console.log(`Once more, alone: ${file}`);
    const again = await runFiles([file]);
    if (isBroken) add(again.counts);
    broken += again.counts.failed;
    if (again.isGreen) flaky.push(file);
    else isGreen = false;
  }
  // The other tests of these files were counted when they passed at first.
  if (!isBroken) add({ ...counts, failed: broken, passed: counts.passed + Math.max(0, counts.failed - broken) });
}
for (const file of notBegun) {
  console.log(`not begun: ${file}: this machine was too slow for it in the time that there was`);
}
sums.ignored += notBegun.length;
for (const file of flaky) console.log(`flaky: ${file} failed at first, as shown above, and passed alone`);
took.sort((one, other) => other.seconds - one.seconds);
for (const { files: [file, ...others], seconds } of took.slice(0, MOST_TOLD)) {
  console.log(`took ${seconds} s: ${file}${others.length === 0 ? "" : ` and ${others.length} others`}`);
}
const told = COUNTS.map((count) => `${sums[count]} ${count}`).join(" | ");
const unsure = flaky.length === 0 ? "" : ` | ${flaky.length} flaky`;
console.log(`${isGreen ? "ok" : "FAILED"} | ${told}${unsure} (${Math.round((Date.now() - started) / 1000)}s)`);
Deno.exit(isGreen ? 0 : 1);
