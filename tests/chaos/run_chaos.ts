import type { PanewrightCommand } from "../support/panewright.ts";
import { tempDir } from "../support/temp_dir.ts";
import { archiveJob, growingJob, planJob, walkJob, windowsJob } from "./plan.ts";
import { ChaosFailure, type PlayedJob, playJob } from "./play.ts";
import { whyOnlyOneMount } from "./response_place.ts";
import type { ChaosJob } from "./stage.ts";

/** Those before it follow a system. */
export const FIRST_RANDOM_JOB = 4;

/** Those that are hit at each archiving of a response. */
const ARCHIVE_JOBS: readonly number[] = [2, 3];

/** What a chaos test is run with. */
export interface ChaosOptions {
  readonly seed: number;
  /** After how many kills of random jobs it is enough; those of the systematic ones come on top. */
  readonly kills: number;
  /**
   * The number of the first job: 0 is killed from record to record, 1 at each Enter and each response, 2 and 3 before,
   * in the middle of and after each archiving of a response, those from 4 on at random. Jobs with an odd number have
   * their responses on another mount than the run's folder, where that can be done.
   *
   * @default {0}
   */
  readonly first?: number;
  /** The bundle of the program that is killed. */
  readonly bundle: string;
  /** The folder for what tells about a failure. */
  readonly failuresIn?: string;
  readonly say: (text: string) => void;
  /** Whether each command and kill is told. @default {false} */
  readonly verbose?: boolean;
  readonly signal: AbortSignal;
}

/**
 * Plays a job once undisturbed, and then over and over under kills.
 *
 * @returns the number of kills
 * @throws {ChaosFailure} at the first job that ends wrongly, with the command line that plays it again
 */
export async function runChaos(job: ChaosJob, options: ChaosOptions): Promise<number> {
  const { seed, say, signal, first = 0, failuresIn } = options;
  await using folder = await tempDir();
  const panewright = await installBundle(options.bundle, folder.path);
  say(`${job.name}: seed ${seed}, at least ${options.kills} kills`);
  const { result: expected, seconds, records } = await playJob(job, { panewright, blows: [].values(), signal });
  say(`${job.name} undisturbed: ${seconds.toFixed(1)} s, ${records} records, ${expected.turns.length} turns`);

  const blowsOf = (number: number) => {
    if (number === 0) return job.agentsEnd === true ? growingJob() : walkJob();
    if (number === 1) return windowsJob({ seed });
    return ARCHIVE_JOBS.includes(number) ? archiveJob() : planJob({ seed, job: number }, job.figures).values();
  };
  const onlyOne = await whyOnlyOneMount();
  if (onlyOne !== undefined) say(`${job.name}: all responses are in the mount of the run's folder: ${onlyOne}`);
  let kills = 0;
  const play = async (number: number) => {
    const blows = blowsOf(number);
    const keep = failuresIn === undefined ? {} : { keepFailureIn: `${failuresIn}/${job.name}-${seed}-${number}` };
    const story = options.verbose ? { onStory: say } : {};
    const isApart = onlyOne === undefined && number % 2 === 1;
    let played: PlayedJob;
    try {
      played = await playJob(job, { panewright, blows, isApart, expected, signal, ...keep, ...story });
    } catch (error) {
      if (!(error instanceof ChaosFailure)) throw error;
      const again = `deno task test:chaos --seed ${seed} --job ${job.name} --first ${number} --kills 1`;
      error.message = `${job.name} job ${number} of seed ${seed} failed. To play it again: ${again}\n${error.message}`;
      throw error;
    }
    kills += played.kills;
    if (ARCHIVE_JOBS.includes(number) && played.kills < job.figures.turns) {
      throw new ChaosFailure([`only ${played.kills} kills hit a response that was archived`], [], undefined);
    }
    const { commands } = played;
    const where = isApart ? ", responses on another mount" : "";
    say(
      `${job.name} ${number}: ${played.kills} kills, ${commands} commands, ${
        played.seconds.toFixed(1)
      } s${where}; ${kills} kills so far`,
    );
  };
  let systematic = 0;
  for (let number = first; kills - systematic < options.kills; number++) {
    await play(number);
    if (number < FIRST_RANDOM_JOB) systematic = kills;
  }
  return kills;
}

/** The program to be killed, from a copy of its bundle: one that is built anew meanwhile changes nothing. */
export async function installBundle(bundle: string, folder: string): Promise<PanewrightCommand> {
  const copy = `${folder}/panewright.mjs`;
  await Deno.copyFile(bundle, copy);
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(stdout));
  return {
    name: "bundle",
    argv: [Deno.execPath(), "run", "--quiet", "--allow-all", copy],
    env: { DENO_DIR: denoDir, DENO_NO_UPDATE_CHECK: "1" },
  };
}
