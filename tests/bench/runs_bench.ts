// How long it takes to look at 500 runs: `deno bench -P tests/bench/runs_bench.ts`.
import { listRuns } from "../../lib/api/control/list_runs.ts";
import type { ReviewFact } from "../../lib/journal/loop/facts.ts";
import { agentReady, PROGRAMMER_AT_WORK, reviewFinished, reviewStarted } from "../support/run_folders.ts";

const RUNS = 500;
/** A run of many rounds has a journal of about 400 KiB. */
const STATUS_CHANGES = 2500;

const STATUSES = Array.from({ length: STATUS_CHANGES }, (_, index): ReviewFact => ({
  type: "status_changed",
  turnId: "r2-programmer-c1",
  role: "programmer",
  status: index % 2 === 0 ? "processing" : "idle",
}));

/** A working directory with runs that were killed, or have passed. */
async function writeRuns({ finished }: { readonly finished: boolean }): Promise<string> {
  const workdir = await Deno.makeTempDir({ prefix: "panewright-bench-" });
  addEventListener("unload", () => Deno.removeSync(workdir, { recursive: true }));
  for (let number = 0; number < RUNS; number++) {
    const id = `20261120-072605-${number.toString(16).padStart(4, "0")}`;
    const end = finished ? [reviewFinished("pass")] : [];
    const events = [reviewStarted(workdir, id), ...agentReady(), ...PROGRAMMER_AT_WORK, ...STATUSES, ...end];
    const records = [{ type: "journal_opened", version: 1 }, ...events];
    const lines = records.map((record) => `${JSON.stringify({ at: "2026-11-20T07:26:05.123Z", ...record })}\n`);
    await Deno.mkdir(`${workdir}/.panewright/runs/${id}`, { recursive: true });
    await Deno.writeTextFile(`${workdir}/.panewright/runs/${id}/journal.ndjson`, lines.join(""));
  }
  return workdir;
}

const passed = await writeRuns({ finished: true });
const killed = await writeRuns({ finished: false });

Deno.bench("500 runs that have passed", { n: 5, warmup: 1 }, async () => void await listRuns(passed));
Deno.bench("500 runs that were killed", { n: 5, warmup: 1 }, async () => void await listRuns(killed));

const known = { journals: new Map(), ended: new Map() };
Deno.bench("500 runs that have passed, listed again by a server", { n: 5, warmup: 1 }, async () => {
  await listRuns(passed, { known });
});
