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
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const now = new Date(2026, 10, 20, 22, 0);
 * assertEquals(readResetTime("try again at 3:05 PM.", now), new Date(2026, 10, 21, 15, 5));
 * assertEquals(readResetTime("try again at 10:00 PM.", new Date(2026, 10, 20, 22, 9, 59)), now);
 * assertEquals(readResetTime("resets 10pm (Europe/Berlin)", new Date(2026, 10, 20, 22, 11)), new Date(2026, 10, 21, 22));
 * assertEquals(readResetTime("resets 11:58pm (UTC)", new Date(2026, 10, 21, 0, 5)), new Date(2026, 10, 20, 23, 58));
 * assertEquals(readResetTime("try again at Nov 25th, 2026 3:05 PM.", now), new Date(2026, 10, 25, 15, 5));
 * assertEquals(readResetTime("Try again in 2 hours 5 minutes.", now), new Date(2026, 10, 21, 0, 5));
 * assertEquals(readResetTime("Claude AI usage limit reached|1795163557", now), new Date(1795163557000));
 * assertEquals(readResetTime("spend limit reached · resets Nov 25 · ask", now), new Date("2026-11-25T00:00:00Z"));
 * assertEquals(readResetTime("spend limit reached · resets Nov 20", now), undefined);
 * assertEquals(readResetTime("Upgrade to Pro.", now), undefined);
 * ```
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

/** A CLI names the reset to the minute; a moment later it has certainly happened. */
const MARGIN_MS = 30_000;
/** How long to wait where no reset is named. */
const UNKNOWN_WAIT_MS = 15 * 60_000;

/**
 * When to try again after the account reached its usage limit.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const now = new Date("2026-11-20T10:00:00Z");
 * assertEquals(retryTime(new Date("2026-11-20T11:00:00Z"), now).toISOString(), "2026-11-20T11:00:30.000Z");
 * assertEquals(retryTime(undefined, now).toISOString(), "2026-11-20T10:15:00.000Z");
 * ```
 */
export function retryTime(resetsAt: Date | undefined, now: Date): Date {
  if (resetsAt === undefined || Number.isNaN(resetsAt.getTime())) return new Date(now.getTime() + UNKNOWN_WAIT_MS);
  return new Date(Math.max(resetsAt.getTime(), now.getTime()) + MARGIN_MS);
}
