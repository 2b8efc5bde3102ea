import type { PanewrightCommand } from "../support/panewright.ts";
import { watchAgents } from "./agents.ts";
import { collectEvidence, keepProject } from "./collect.ts";
import { KILLED_CODE, pause, runCommand } from "./command.ts";
import type { JobResult } from "./evidence.ts";
import { findViolations, jobResult } from "./invariants.ts";
import { judgeCommand } from "./judge.ts";
import { type Blow, describeBlow, type WalkedCommand } from "./plan.ts";
import { otherMount, sameMount } from "./response_place.ts";
import { readRun } from "./run_so_far.ts";
import type { ChaosJob } from "./stage.ts";

/** What a job is played with. */
export interface PlayOptions {
  /** The program that is killed. */
  readonly panewright: PanewrightCommand;
  /** What happens to its commands; when there is no more, the next one is left alone. */
  readonly blows: Iterator<Blow, unknown, WalkedCommand>;
  /** Whether the responses are on another mount than the run's folder. @default {false} */
  readonly isApart?: boolean;
  /** What an undisturbed run came to; missing for that run itself. */
  readonly expected?: JobResult;
  /** Told each step of the story as it happens. */
  readonly onStory?: (line: string) => void;
  /** Where all that tells about a failure is copied to. */
  readonly keepFailureIn?: string;
  readonly signal: AbortSignal;
}

/** How a job went. */
export interface PlayedJob {
  readonly kills: number;
  readonly commands: number;
  readonly seconds: number;
  readonly result: JobResult;
  /** How many records the journal has. */
  readonly records: number;
}

/** A job that ended wrongly. */
export class ChaosFailure extends Error {
  override name = "ChaosFailure";

  /** @param story what was done and seen, a line each */
  constructor(violations: readonly string[], readonly story: readonly string[], kept: string | undefined) {
    super([
      ...violations.map((violation) => `- ${violation}`),
      "What was done:",
      ...story.map((line) => `  ${line}`),
      ...(kept === undefined ? [] : [`The project, with its journal, is in ${kept}`]),
    ].join("\n"));
  }
}

/**
 * Plays one job: `run`, and `resume` until it has passed, with what the plan says done to each command.
 *
 * @throws {ChaosFailure} when a command, or the end of the job, is wrong
 */
export async function playJob(job: ChaosJob, options: PlayOptions): Promise<PlayedJob> {
  const { blows, signal } = options;
  await using stage = await job.setUp(options.panewright);
  const place = options.isApart === true ? await otherMount(stage.sandbox) : sameMount(stage.sandbox);
  const agents = watchAgents(stage.sandbox, stage);
  const startedAtMs = Date.now();
  const story: string[] = [];
  const tell = (text: string) => {
    const line = `${((Date.now() - startedAtMs) / 1000).toFixed(2)} s: ${text}`;
    story.push(line);
    options.onStory?.(line);
  };
  const fail = async (violations: readonly string[]) => {
    const { keepFailureIn } = options;
    if (keepFailureIn !== undefined) await keepProject(stage, { folder: keepFailureIn, violations, story });
    throw new ChaosFailure(violations, story, keepFailureIn);
  };

  let kills = 0;
  let commands = 0;
  let namesRun = false;
  let walked: WalkedCommand = { records: [], killed: false };
  for (let isLeftAlone = false; !isLeftAlone;) {
    signal.throwIfAborted();
    const next = blows.next(walked);
    const blow = next.done ? undefined : next.value;
    isLeftAlone = blow === undefined;
    const before = await readRun(stage);
    if (before?.passed) break;
    const args = before === undefined ? ["run", stage.config] : ["resume", ...(namesRun ? [before.folder.id] : [])];
    tell(`panewright ${args.join(" ")}${blow === undefined ? "" : `; ${describeBlow(blow)}`}`);
    commands++;
    const command = await runCommand([...options.panewright.argv, ...args], {
      ...{ stage, place, agents, blow, signal },
      patienceMs: job.patienceMs,
    });
    for (const hit of command.hits) tell(`killed ${hit}`);
    kills += command.hits.length;
    const records = (await readRun(stage))?.records.slice(before?.records.length ?? 0) ?? [];
    walked = { records: records.map(({ type }) => type), killed: command.code === KILLED_CODE };
    tell(`it ended with ${command.code} after ${records.length} records, the last is ${records.at(-1)?.type}`);
    if (command.code !== KILLED_CODE) tell(`it said: ${`${command.stdout}${command.stderr}`.trimEnd()}`);
    const problems = judgeCommand(command, { blow, records });
    if (problems.length > 0) await fail(problems);
    if (command.code === 0) break;

    namesRun = blow?.namesRun ?? false;
    for (const hit of await pause(blow, { agents, signal })) {
      tell(`killed ${hit} while no panewright ran`);
      kills++;
    }
    await agents.noteDeaths();
  }

  const evidence = await collectEvidence(stage, { agents, place });
  if (evidence === undefined) return await fail(["there is no run"]);
  const expected = options.expected ?? jobResult(evidence);
  const violations = findViolations(evidence, expected);
  if (violations.length > 0) await fail(violations);
  const records = evidence.journal.split("\n").length - 1;
  return { kills, commands, seconds: (Date.now() - startedAtMs) / 1000, result: jobResult(evidence), records };
}
