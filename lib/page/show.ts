import { sanitizeLine, sanitizeText } from "../base/text/sanitize.ts";

/** Text of others with its lines: what is hidden in it, or reorders it, is shown. */
export function shownText(text: string): string {
  return sanitizeText(text.replaceAll("\r\n", "\n"));
}

export const shownLine: (text: string) => string = sanitizeLine;

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function laneStyle(index: number) {
  return { "--lane": `var(--lane${index % 8})` };
}

const TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const SHORT_TIME = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });
const DATE = new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric" });
const NUMBER = new Intl.NumberFormat("en-GB");

export function timeOfDay(at: string | number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "?" : TIME.format(date);
}

export function shortTime(at: number): string {
  return SHORT_TIME.format(new Date(at));
}

export function dayOf(at: string): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? "?" : DATE.format(date);
}

export function numberText(value: number): string {
  return NUMBER.format(value);
}

export function secondsBetween(from: string | number, to: string | number): number {
  const seconds = (new Date(to).getTime() - new Date(from).getTime()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
