/** From when to when of each day messages make no sound: `22:00-07:00`, in the time of this machine. */
export const QUIET_HOURS = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/**
 * Whether a time is in the quiet hours; where both ends are the same, each is.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(isQuiet("22:00-07:00", new Date(2026, 10, 20, 23, 30)), true);
 * assertEquals(isQuiet("22:00-07:00", new Date(2026, 10, 20, 7, 0)), false);
 * ```
 */
export function isQuiet(hours: string | undefined, now: Date): boolean {
  const [fromHour, fromMinute, toHour, toMinute] = QUIET_HOURS.exec(hours ?? "")?.slice(1).map(Number) ?? [];
  if (fromHour === undefined || fromMinute === undefined || toHour === undefined || toMinute === undefined) {
    return false;
  }
  const [from, to] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  const minute = now.getHours() * 60 + now.getMinutes();
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}
