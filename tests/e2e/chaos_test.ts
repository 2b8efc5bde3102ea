import { exists } from "@std/fs";
import { assertGreater } from "@std/assert";
import { ACP_JOB } from "../chaos/acp_job.ts";
import { CODEX_JOB } from "../chaos/codex_job.ts";
import { DEMO_JOB } from "../chaos/demo_job.ts";
import { FIRST_RANDOM_JOB, runChaos } from "../chaos/run_chaos.ts";
import { runPipelineChaos } from "../chaos/run_pipeline_chaos.ts";
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
    const common = { seed: SEED, bundle: BUNDLE, signal: stop.signal, say: (line: string) => void said.push(line) };
    const play = async (job: ChaosJob | "pipeline", kills: number) => {
      try {
        return job === "pipeline"
          ? await runPipelineChaos({ ...common, kills })
          : await runChaos(job, { ...common, kills, first: FIRST_RANDOM_JOB });
      } catch (error) {
        stop.abort(error);
        throw error;
      }
    };
    const played = await Promise.allSettled([
      play(DEMO_JOB, 8),
      play(CODEX_JOB, 2),
      play(ACP_JOB, 4).then(async (kills) => kills + await play("pipeline", 3)),
    ]);
    for (const one of played) {
      if (one.status === "rejected") throw stop.signal.reason;
      assertGreater(one.value, 0, said.join("\n"));
    }
  },
});
