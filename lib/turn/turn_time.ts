import type { Turn } from "./turn.ts";

/** How often it is told how much of its time a turn has used, and at least this often in the time that it has. */
const TELL_EVERY_MS = 60_000;
const TELL_SHARE = 10;

export function beginTime(turn: Turn): void {
  turn.progress.running ??= { sinceMs: turn.clock.now(), waitedMs: waitedForPersonMs(turn) };
}

/**
 * How much of its time a turn has used, in all processes that played it: without the time in which nobody did, a person
 * was waited for, or the next try after a failure.
 */
function usedMs(turn: Turn): number {
  const { begun, clock, progress: { running } } = turn;
  const before = (begun?.usedSeconds ?? 0) * 1000;
  if (running === undefined) return before;
  return before + clock.now() - running.sinceMs - (waitedForPersonMs(turn) - running.waitedMs);
}

/** Tells now and then how much of its time a turn has used, so that another process can continue from there. */
export async function tellTime(turn: Turn, { always = false }: { readonly always?: boolean } = {}): Promise<void> {
  const { progress, settings } = turn;
  if (progress.running === undefined) return;
  const used = usedMs(turn);
  const everyMs = Math.min(TELL_EVERY_MS, settings.responseTimeoutSeconds * 1000 / TELL_SHARE);
  if (!always && used - progress.toldUsedMs < everyMs) return;
  progress.toldUsedMs = used;
  await turn.emit({ type: "time_used", seconds: used / 1000 });
}

/**
 * When what is left of a turn's time is up, in the clock's milliseconds. What a person is waited for from now on comes
 * on top of it.
 */
export function deadlineFromNow(turn: Turn): number {
  const { clock, settings } = turn;
  const leftMs = Math.max(0, settings.responseTimeoutSeconds * 1000 - usedMs(turn));
  return clock.now() + leftMs - waitedForPersonMs(turn);
}

/** How much time there is until then; not more than 0 when it is up. */
export function leftUntil(turn: Turn, deadlineMs: number): number {
  return deadlineMs + waitedForPersonMs(turn) - turn.clock.now();
}

/** How long a turn has stood at what a person has to do, in milliseconds: at dialogs, or behind a draft. */
export function waitedForPersonMs({ clock, progress }: Turn): number {
  return progress.waitedMs + (progress.waitingSinceMs === undefined ? 0 : clock.now() - progress.waitingSinceMs);
}

export function beginWaiting({ clock, progress }: Turn): void {
  progress.waitingSinceMs ??= clock.now();
}

export function endWaiting({ clock, progress }: Turn): void {
  if (progress.waitingSinceMs === undefined) return;
  progress.waitedMs += clock.now() - progress.waitingSinceMs;
  progress.waitingSinceMs = undefined;
}
