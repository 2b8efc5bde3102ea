import { faultText } from "../../lib/base/ports/fault.ts";
import type { RunFolder } from "../../lib/run/run_folder.ts";
import { sleepWithTimer } from "../../lib/base/ports/clock.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import type { Agents } from "./agents.ts";
import { waitForMoment } from "./moments.ts";
import type { Blow, Moment, Strike } from "./plan.ts";
import type { ResponsePlace } from "./response_place.ts";
import { readRun } from "./run_so_far.ts";
import type { Stage } from "./stage.ts";

/** 128 + SIGKILL. */
export const KILLED_CODE = 137;

/** How a command ended, and what of it was killed. */
export interface EndedCommand {
  /** Undefined where it did not end in time. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly hits: readonly string[];
}

/** What a command is run with. */
export interface CommandOptions {
  readonly stage: Stage;
  readonly place: ResponsePlace;
  readonly agents: Agents;
  readonly blow: Blow | undefined;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** Runs a command to its end, with what a plan says done to it. */
export async function runCommand(argv: PanewrightCommand["argv"], options: CommandOptions): Promise<EndedCommand> {
  const { stage, place, agents, blow, patienceMs, signal } = options;
  const strikes = blow?.strikes ?? [];
  const fault = strikes.find((strike) => "fault" in strike)?.fault;
  const [first, ...more] = [...place.through, ...argv] as [string, ...string[]];
  await using program = startProgram([first, ...more], {
    cwd: stage.sandbox.project,
    env: {
      ...stage.env,
      ...(fault === undefined ? {} : { PANEWRIGHT_FAULT: faultText(fault) }),
    },
  });
  const hits: string[] = [];
  let struck = false;
  for (const strike of strikes) {
    if ("fault" in strike) continue;
    if ("moment" in strike && !await comesBeforeEnd(strike, { program, stage, place, signal })) break;
    if (strike.afterMs > 0 && await endsWithin(program.ended, strike.afterMs, signal)) break;
    if (strike.target === "panewright") {
      struck = true;
      program.kill("SIGKILL");
    } else {
      const hit = await agents.kill(strike);
      if (hit !== undefined) hits.push(hit);
    }
  }
  if (!await endsWithin(program.ended, patienceMs, signal)) {
    return { code: undefined, ...program.output, hits };
  }
  const { code, stdout, stderr } = await program.ended;
  if (code === KILLED_CODE) {
    hits.push(struck ? `panewright ${program.pid}` : `panewright ${program.pid} at its fault`);
  }
  return { code, stdout, stderr, hits };
}

/** Whether a moment comes while the command lives. */
async function comesBeforeEnd(
  { moment, nth }: Extract<Strike, { readonly moment: Moment }>,
  { program, stage, place, signal }: Pick<CommandOptions, "stage" | "place" | "signal"> & {
    readonly program: RunningProgram;
  },
): Promise<boolean> {
  const over = new AbortController();
  program.ended.then(() => over.abort());
  let folder: RunFolder | undefined;
  const coming = waitForMoment(moment, {
    nth,
    run: async () => folder ??= (await readRun(stage))?.folder,
    responsesDir: place.responsesDir,
    signal: AbortSignal.any([signal, over.signal]),
  });
  return await coming.then(() => true, () => {
    signal.throwIfAborted();
    return false;
  });
}

/** Whether something is over within a time. */
async function endsWithin(ended: Promise<unknown>, ms: number, signal: AbortSignal): Promise<boolean> {
  const stop = new AbortController();
  try {
    const timeout = sleepWithTimer(ms, AbortSignal.any([signal, stop.signal])).then(() => false);
    return await Promise.race([ended.then(() => true), timeout]);
  } finally {
    stop.abort();
  }
}

/** Lets time pass before the next command, with what a plan says done meanwhile; returns what was killed. */
export async function pause(
  blow: Blow | undefined,
  { agents, signal }: { readonly agents: Agents; readonly signal: AbortSignal },
): Promise<readonly string[]> {
  if (blow === undefined) return [];
  const { meanwhile, pauseMs } = blow;
  if (meanwhile === undefined) {
    await sleepWithTimer(pauseMs, signal);
    return [];
  }
  await sleepWithTimer(meanwhile.afterMs, signal);
  const hit = await agents.kill(meanwhile);
  await sleepWithTimer(pauseMs - meanwhile.afterMs, signal);
  return hit === undefined ? [] : [hit];
}
