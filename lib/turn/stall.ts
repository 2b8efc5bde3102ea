import type { Turn } from "./turn.ts";

/** Looks in the time after which an agent counts as stalled: each may start programs. */
const LOOKS = 20;

/** Whether nothing has changed about an agent at work for so long that it has stalled. */
export async function hasStalled(turn: Turn): Promise<boolean> {
  const { call, clock, mayReplace = false, progress, settings, terminal } = turn;
  const limitMs = settings.stallMinutes * 60_000;
  if (!mayReplace || limitMs === 0 || terminal.workMark === undefined) return false;
  const { standing } = progress;
  const nowMs = clock.now();
  if (standing !== undefined && nowMs - standing.lookedMs < limitMs / LOOKS) return false;
  // What cannot be told is no standstill.
  const mark = await terminal.workMark(call).catch(() => undefined);
  const isSame = mark !== undefined && mark === standing?.mark;
  progress.standing = { mark, sinceMs: isSame ? standing.sinceMs : nowMs, lookedMs: nowMs };
  return isSame && nowMs - standing.sinceMs >= limitMs;
}
