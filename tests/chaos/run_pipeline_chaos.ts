import { createRandom, type Random } from "../support/random.ts";
import { tempDir } from "../support/temp_dir.ts";
import { type PipelineBlow, playPipeline } from "./exec_acp.ts";
import { ChaosFailure } from "./play.ts";
import { type ChaosOptions, installBundle } from "./run_chaos.ts";

/** About how many records a command of the pipeline writes. */
const RECORDS = 28;
/** How many prompts agents get, and how long one is at work on one, in milliseconds. */
const PROMPTS = 4;
const TURN_MS = 160;

/**
 * Plays a pipeline over and over whose commands, or agents, are killed.
 *
 * @returns the number of kills
 * @throws {ChaosFailure} at the first one that ends wrongly
 */
export async function runPipelineChaos(
  { seed, kills: wanted, bundle, first = 0, say, signal }: Omit<ChaosOptions, "failuresIn" | "verbose">,
): Promise<number> {
  await using folder = await tempDir();
  const panewright = await installBundle(bundle, folder.path);
  let kills = 0;
  for (let number = first; kills < wanted; number++) {
    const blow = planPipeline(createRandom(seed * 1009 + number));
    const played = await playPipeline(panewright, { ...blow, signal });
    kills += played.kills;
    const how = JSON.stringify(blow);
    if (played.violations.length > 0) {
      const again = `deno task test:chaos --seed ${seed} --job exec --first ${number} --kills 1`;
      throw new ChaosFailure(
        [`exec job ${number} (${how}); to play it again: ${again}`, ...played.violations],
        played.story,
        undefined,
      );
    }
    say(`exec ${number}: ${played.kills} kills (${how}); ${kills} kills so far`);
  }
  return kills;
}

/** What happens to one pipeline: its commands are killed, each at any of its records, or one of its agents is. */
export function planPipeline(random: Random): PipelineBlow {
  const fault = () => ({
    when: random.pick(["before", "in", "after"] as const),
    what: "record" as const,
    number: 1 + random.int(RECORDS),
  });
  const agent = () => ({ agent: { prompt: 1 + random.int(PROMPTS), afterMs: random.int(TURN_MS) } });
  switch (random.int(5)) {
    case 0:
      return { faults: [fault()] };
    case 1:
      return { faults: [undefined, fault()] };
    case 2:
      return agent();
    case 3:
      return { faults: [fault()], ...agent() };
    default:
      return { faults: [fault(), fault(), fault(), fault()] };
  }
}
