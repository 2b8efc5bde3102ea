import { exists } from "@std/fs";
import { assertGreater } from "@std/assert";
import { CODEX_JOB } from "../chaos/codex_job.ts";
import { DEMO_JOB } from "../chaos/demo_job.ts";
import { FIRST_RANDOM_JOB, runChaos } from "../chaos/run_chaos.ts";
import type { ChaosJob } from "../chaos/stage.ts";

const BUNDLE = new URL("../../dist/panewright.mjs", import.meta.url).pathname;

/** Another one each time, unless PANEWRIGHT_CHAOS_SEED says which. */
const SEED = Number(Deno.env.get("PANEWRIGHT_CHAOS_SEED") ?? Date.now() % 1_000_000);

/** A few kills of each job, side by side. `deno task test:chaos` is the long form. */
Deno.test({
  name: `a job that is killed at random moments loses and repeats nothing (seed ${SEED})`,
  ignore: !await exists(BUNDLE),
  async fn() {
    const stop = new AbortController();
    const said: string[] = [];
    const play = async (job: ChaosJob, kills: number) => {
      try {
        return await runChaos(job, {
          ...{ seed: SEED, kills, first: FIRST_RANDOM_JOB, bundle: BUNDLE, signal: stop.signal },
          say: (line) => said.push(line),
        });
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    };
    const [demo, codex] = await Promise.allSettled([play(DEMO_JOB, 8), play(CODEX_JOB, 2)]);
    for (const one of [demo, codex]) if (one.status === "rejected") throw stop.signal.reason;
    assertGreater(demo.status === "fulfilled" ? demo.value : 0, 0, said.join("\n"));
  },
});
