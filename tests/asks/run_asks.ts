import { FORMS, SHELLS } from "../support/ask_forms.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { type AskPlay, type KillMoment, playAsk } from "./play_ask.ts";

/** How many are played, and with what. */
export interface AsksOptions {
  readonly panewright: PanewrightCommand;
  /** How many asks are played undisturbed: over all forms and shells in turn. */
  readonly asks: number;
  /** How many are played with a kill. */
  readonly kills: number;
  /** Where in the lists it begins: another number, other plays. @default {0} */
  readonly seed?: number;
  /** How many are played at the same time. @default {1} */
  readonly jobs?: number;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** What all plays came to. */
export interface AsksReport {
  readonly asks: number;
  /** Kills whose moment came. */
  readonly kills: number;
  /** Each play with what was wrong, and its story. */
  readonly failures: readonly string[];
}

/** Records that a process writes from its start to its end, and some more. */
const RECORDS = 11;

/** Plays asks, and says what came of each. */
export async function runAsks(options: AsksOptions): Promise<AsksReport> {
  const { panewright, seed = 0, jobs = 1, say, signal } = options;
  const shells = SHELLS.length;
  const plays: readonly AskPlay[] = Array.from({ length: options.asks + options.kills }, (_, index) => {
    const number = index + seed;
    const shell = SHELLS[number % shells]!;
    const form = FORMS[(number + Math.floor(number / shells)) % FORMS.length]!;
    const kill = index < options.asks ? {} : { kill: killMoment(index - options.asks + seed) };
    return { panewright, shell, form, ...kill };
  });
  const failures: string[] = [];
  let [asks, kills, next] = [0, 0, 0];
  const worker = async () => {
    for (let play = plays[next++]; play !== undefined && !signal.aborted; play = plays[next++]) {
      const { shell, form, kill } = play;
      const name = `${shell.provider} ${shell.what}: ${JSON.stringify(form)}${kill ? ` ${JSON.stringify(kill)}` : ""}`;
      const { violations, wasKilled, story } = await playAsk(play);
      if (kill === undefined) asks++;
      else if (wasKilled) kills++;
      if (violations.length > 0) failures.push([name, ...violations, ...story].join("\n  "));
      say(
        `${asks} asks, ${kills} kills, ${failures.length} wrong; ${violations.length === 0 ? "ok" : "WRONG"}: ${name}`,
      );
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return { asks, kills, failures };
}

/** Each third one at a record of `exec`, at a record of `resume`, and at a time: of those each fifth in `answer`. */
function killMoment(number: number): KillMoment {
  const turn = Math.floor(number / 3);
  const fault = `${["before", "in", "after"][turn % 3]}-record:${1 + Math.floor(turn / 3) % RECORDS}`;
  if (number % 3 === 0) return { in: "exec", fault };
  if (number % 3 === 1) return { in: "resume", fault };
  if (turn % 5 === 4) return { in: "answer", afterMs: turn * 7 % 300 };
  return { in: turn % 5 < 3 ? "exec" : "resume", afterMs: turn * 97 % 2000 };
}
