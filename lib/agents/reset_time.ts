const UNITS_MS = { day: 86_400_000, hour: 3_600_000, minute: 60_000, second: 1000 } as const;

/** Up to about 2.0 Claude Code gave the time in seconds since the epoch: `usage limit reached|1795163557`. */
const EPOCH = /\blimit reached\|(\d{9,11})\b/i;
const IN = /\bin ((?:\d{1,4} (?:day|hour|minute|second)s?[, ]*)+)/i;
const AT =
  /\b(?:at|resets) (?:([A-Z][a-z]{2,8} \d{1,2})(?:st|nd|rd|th)?,? (?:(\d{4}),? )?(?:at )?)?(\d{1,2})(?::(\d{2}))? ?([AP]M)\b/i;
/** A gateway's limit names the day only, in UTC (Claude Code 2.1.330). */
const DAY = /\bresets ([A-Z][a-z]{2} \d{1,2})(?= ·|$)/;

/**
 * When a limit ends, by the words in which a CLI tells it to a person: "try again at 3:05 PM", "try again at Nov 25th,
 * 2026 3:05 PM", "in 2 hours 5 minutes" (Codex 0.53.0 to 0.169.0), "resets 3pm (Europe/Berlin)", "resets Nov 25, 3:05pm
 * (Europe/Berlin)" (Claude Code 2.1.330). Times of day are local, which the zone in brackets is as well.
 */
export function readResetTime(text: string, now: Date): Date | undefined {
  const epoch = EPOCH.exec(text)?.[1];
  if (epoch !== undefined) return new Date(Number(epoch) * 1000);
  const duration = IN.exec(text)?.[1];
  if (duration !== undefined) {
    const parts = [...duration.matchAll(/(\d+) (day|hour|minute|second)/gi)];
    const ms = parts.map(([, count, unit]) => Number(count) * UNITS_MS[unit!.toLowerCase() as keyof typeof UNITS_MS]);
    return new Date(now.getTime() + ms.reduce((sum, part) => sum + part, 0));
  }
  const time = AT.exec(text);
  if (time === null) return readResetDay(text, now);
  const [, day, year, hour, minute = "0", half] = time;
  const hours = Number(hour) % 12 + (half!.toLowerCase() === "pm" ? 12 : 0);
  const at = day === undefined ? new Date(now) : new Date(`${day}, ${year ?? now.getFullYear()}`);
  if (Number.isNaN(at.getTime())) return undefined;
  at.setHours(hours, Number(minute), 0, 0);
  if (day !== undefined) return at;
  // The next such time is meant, by a clock that may lag behind this one.
  const earliest = now.getTime() - SERVER_LAG_MS;
  if (at.getTime() < earliest) at.setDate(at.getDate() + 1);
  else if (at.getTime() - UNITS_MS.day >= earliest) at.setDate(at.getDate() - 1);
  return at;
}

/** The beginning of the day, unless that has passed already: at which hour of it is not told. */
function readResetDay(text: string, now: Date): Date | undefined {
  const day = DAY.exec(text)?.[1];
  if (day === undefined) return undefined;
  const at = new Date(`${day}, ${now.getUTCFullYear()} UTC`);
  // In December a day of January is the next year's.
  if (at.getTime() < now.getTime() - 180 * UNITS_MS.day) at.setUTCFullYear(at.getUTCFullYear() + 1);
  return at.getTime() > now.getTime() ? at : undefined;
}

/** How far the server's clock may lag behind this machine's: what it told of then has just passed, and is not tomorrow's. */
const SERVER_LAG_MS = 10 * 60_000;

const MARGIN_MS = 30_000;

export function retryTime(resetsAt: Date, now: Date): Date {
  return new Date(Math.max(resetsAt.getTime(), now.getTime()) + MARGIN_MS);
}
