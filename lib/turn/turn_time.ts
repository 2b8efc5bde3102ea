import type { Clock } from "../base/ports/clock.ts";
import type { HandoffOptions, HandoffSettings } from "./settings.ts";

/** How often it is told how much of its time a turn has used, and at least this often in the time that it has. */
const TELL_EVERY_MS = 60_000;
const TELL_SHARE = 10;

/** What of a turn its time depends on. */
interface TimedTurn {
  readonly clock: Clock;
  readonly settings: Pick<HandoffSettings, "responseTimeoutSeconds">;
  readonly options: Pick<HandoffOptions, "begun" | "onTimeUsed">;
  readonly progress: TurnTime;
}

/** How far the time of a turn is. Times are the clock's milliseconds. */
export interface TurnTime {
  /** Since when the turn stands at a dialog, or behind a draft, that only a person ends. */
  waitingSinceMs: number | undefined;
  /**
   * How long it has stood there before, or waited until it could be tried again: time that does not count towards the
   * response timeout.
   */
  waitedMs: number;
  /**
   * Since when its time is counted in this process, and how long had been waited then; not before its prompt was sent.
   */
  running: { readonly sinceMs: number; readonly waitedMs: number } | undefined;
  /** How much of its time it has used as it was told last. */
  toldUsedMs: number;
}

/** Begins to count the time of a turn, in which its response is waited for. */
export function beginTime(turn: TimedTurn): void {
  turn.progress.running ??= { sinceMs: turn.clock.now(), waitedMs: waitedForPersonMs(turn) };
}

/**
 * How much of its time a turn has used, in all processes that played it: without the time in which nobody did, a person
 * was waited for, or the next try after a failure.
 */
function usedMs(turn: TimedTurn): number {
  const { clock, options, progress: { running } } = turn;
  const before = (options.begun?.usedSeconds ?? 0) * 1000;
  if (running === undefined) return before;
  return before + clock.now() - running.sinceMs - (waitedForPersonMs(turn) - running.waitedMs);
}

/** Tells now and then how much of its time a turn has used, so that another process can continue from there. */
export function tellTime(turn: TimedTurn, { always = false }: { readonly always?: boolean } = {}): void {
  const { options, progress, settings } = turn;
  if (progress.running === undefined) return;
  const used = usedMs(turn);
  const everyMs = Math.min(TELL_EVERY_MS, settings.responseTimeoutSeconds * 1000 / TELL_SHARE);
  if (!always && used - progress.toldUsedMs < everyMs) return;
  progress.toldUsedMs = used;
  options.onTimeUsed?.(used / 1000);
}

/**
 * When what is left of a turn's time is up, in the clock's milliseconds. What a person is waited for from now on comes
 * on top of it.
 */
export function deadlineFromNow(turn: TimedTurn): number {
  const { clock, settings } = turn;
  const leftMs = Math.max(0, settings.responseTimeoutSeconds * 1000 - usedMs(turn));
  return clock.now() + leftMs - waitedForPersonMs(turn);
}

/** How much time there is until then; not more than 0 when it is up. */
export function leftUntil(turn: TimedTurn, deadlineMs: number): number {
  return deadlineMs + waitedForPersonMs(turn) - turn.clock.now();
}

/** How long a turn has stood at what a person has to do, in milliseconds: at dialogs, or behind a draft. */
export function waitedForPersonMs({ clock, progress }: TimedTurn): number {
  return progress.waitedMs + (progress.waitingSinceMs === undefined ? 0 : clock.now() - progress.waitingSinceMs);
}

/** Stops the time of the turn: from now on a person is waited for. */
export function beginWaiting({ clock, progress }: TimedTurn): void {
  progress.waitingSinceMs ??= clock.now();
}

/** Lets the time of the turn go on. */
export function endWaiting({ clock, progress }: TimedTurn): void {
  if (progress.waitingSinceMs === undefined) return;
  progress.waitedMs += clock.now() - progress.waitingSinceMs;
  progress.waitingSinceMs = undefined;
}
