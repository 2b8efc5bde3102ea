// deno-lint-ignore-file no-console -- a script for people
/**
 * Measures `panewright serve` from the bundle: what it costs when nobody asks, the time from a record in the journal to
 * its event at a client and to the page of a browser (where Debian's chromium is), what followers cost, and what 10,000
 * connections do to it. Linux only.
 *
 *     deno task bench:serve [SECONDS]
 */
import { openJournal } from "../../lib/journal/journal.ts";
import { tryLockFile } from "../../lib/base/ports/lock_file.ts";
import { readEvents } from "../api/http/support.ts";
import { startBrowser, whyNoBrowser } from "../support/browser.ts";
import { startProgram } from "../support/program.ts";
import { RUN_ID, writeReview } from "../support/run_folders.ts";
import { cleanEnvironment } from "../support/run_panewright.ts";
import { tempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const BUNDLE = new URL("../../dist/panewright.mjs", import.meta.url).pathname;
/** Of a busy run. */
const RECORDS_PER_SECOND = 5;
/** Of the times in /proc. */
const TICKS_PER_SECOND = 100;

const seconds = Number(Deno.args[0] ?? 20);
await using dir = await tempDir();
const folder = await writeReview(dir, []);
using _held = await tryLockFile(folder.lockPath, "process 1");
using journal = openJournal(folder.journalPath);
const argv = [Deno.execPath(), "run", "--no-config", "-A", BUNDLE, "serve", "--port", "0", "--json"] as const;
await using server = startProgram([...argv], { cwd: dir.path, env: cleanEnvironment({ HOME: dir.path }) });
const told = await until(
  () => server.output.stdout.split("\n").slice(0, -1)[0],
  Boolean,
  () => server.output.stderr,
);
const { address, tokenFile } = JSON.parse(told!);
const token = (await Deno.readTextFile(tokenFile)).trim();
const headers = { Authorization: `Bearer ${token}` };

const over = new AbortController();
/** When each record was written, by its sequence. */
const writtenMs = new Map<number, number>();
let latencies: number[] = [];
// Those that begin the journal.
let sequence = 2;

console.log(`nobody asks: ${await during(() => pause(seconds * 1000))}`);
for (const followers of [1, 50]) {
  const opened = followers === 1 ? 0 : 1;
  for (let count = opened; count < followers; count++) await follow();
  console.log(`${followers} followers, no records: ${await during(() => pause(seconds * 1000))}`);
  latencies = [];
  console.log(`${followers} followers, ${RECORDS_PER_SECOND} records a second: ${await during(write)}`);
  const [p50, p95] = [0.5, 0.95].map((part) => quantile(part).toFixed(1));
  console.log(`record to event: p50 ${p50} ms, p95 ${p95} ms (${latencies.length} events)`);
}
over.abort();
await showInBrowser();
await crowd(10_000);
server.kill("SIGTERM");
await server.ended;

/** Follows the run's events. */
async function follow(): Promise<void> {
  const response = await fetch(`${address}v1/runs/${RUN_ID}/events`, { headers, signal: over.signal });
  const opened = Promise.withResolvers<void>();
  const read = async () => {
    for await (const { event, id } of readEvents(response)) {
      if (event === "state") opened.resolve();
      const sentMs = writtenMs.get(Number(id));
      if (sentMs !== undefined) latencies.push(performance.now() - sentMs);
    }
  };
  read().catch(() => {});
  await opened.promise;
}

/** Writes records, not in step with the server's looks. */
async function write(): Promise<void> {
  for (let count = 0; count < seconds * RECORDS_PER_SECOND; count++) {
    await pause(1000 / RECORDS_PER_SECOND * (0.5 + Math.random()));
    writtenMs.set(++sequence, performance.now());
    journal.append({ type: "round_started", round: 1, maxRounds: 8 } as { type: string });
  }
  await pause(500);
}

/** The time from a record to the page that shows it, from the system's clock, which both sides read. */
async function showInBrowser(): Promise<void> {
  const missing = await whyNoBrowser();
  if (missing !== undefined) return console.log(`record to page: not measured, ${missing}`);
  await using browser = await startBrowser();
  const page = await browser.newPage();
  await page.goto(`${address}runs/${RUN_ID}#token=${token}`);
  await page.until(`document.querySelector(".connection.good") !== null`);
  await page.evaluate(`(() => {
    globalThis.shownMs = {};
    new MutationObserver(() => {
      const [, round] = /round (\\d+) of/.exec(document.querySelector(".outcome")?.textContent ?? "") ?? [];
      if (round !== undefined) shownMs[round] ??= performance.timeOrigin + performance.now();
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
  })()`);
  const sentMs = new Map<string, number>();
  const count = seconds * RECORDS_PER_SECOND;
  for (let round = 2; round < count + 2; round++) {
    await pause(1000 / RECORDS_PER_SECOND * (0.5 + Math.random()));
    sentMs.set(String(round), performance.timeOrigin + performance.now());
    journal.append({ type: "round_started", round, maxRounds: count + 2 } as { type: string });
  }
  await pause(500);
  const shownMs = await page.evaluate<Record<string, number>>("shownMs");
  latencies = [...sentMs].flatMap(([round, ms]) => shownMs[round] === undefined ? [] : [shownMs[round] - ms]);
  const [p50, p95] = [0.5, 0.95].map((part) => quantile(part).toFixed(1));
  console.log(`record to page: p50 ${p50} ms, p95 ${p95} ms (${latencies.length} of ${count} shown)`);
}

/** Opens connections that ask nothing, and looks whether a run's records still arrive at who followed before. */
async function crowd(count: number): Promise<void> {
  const { hostname, port } = new URL(address);
  const connections: Deno.Conn[] = [];
  const cost = await during(async () => {
    while (connections.length < count) connections.push(await Deno.connect({ hostname, port: Number(port) }));
    await pause(1000);
  });
  const memory = /VmRSS:\s+(\d+)/.exec(await Deno.readTextFile(`/proc/${server.pid}/status`))?.[1];
  console.log(`${count} connections that ask nothing: ${cost}, ${Math.round(Number(memory) / 1024)} MB`);
  const startedMs = performance.now();
  await until(async () => {
    const response = await fetch(`${address}healthz`).catch(() => undefined);
    await response?.body?.cancel();
    return response?.ok;
  });
  console.log(`it answers again after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  for (const conn of connections) conn.close();
}

/** What the server used of a core meanwhile. */
async function during(act: () => Promise<void>): Promise<string> {
  const [beforeTicks, beforeMs] = [ticks(), performance.now()];
  await act();
  const share = (ticks() - beforeTicks) / TICKS_PER_SECOND / ((performance.now() - beforeMs) / 1000);
  return `${(share * 100).toFixed(2)} % of a core`;
}

function ticks(): number {
  const fields = Deno.readTextFileSync(`/proc/${server.pid}/stat`).replace(/^.*\) /, "").split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function quantile(part: number): number {
  return latencies.toSorted((one, other) => one - other)[Math.floor(latencies.length * part)] ?? NaN;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
