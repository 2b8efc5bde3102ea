import type { ReportItem } from "../journal/items/source.ts";

const BUSY: ReadonlySet<ReportItem["kind"]> = new Set(["start", "work", "tests", "check"]);

const BREAK_WIDTH = 30;
const TICK_DISTANCE = 84;
const SECOND = 1000;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

const LONG_SHARE = 0.05;
const LONG_MS = 60 * SECOND;

export function timeScale(
  items: readonly ReportItem[],
  { width, end, offsetMinutes = 0 }: { readonly width: number; readonly end: number; readonly offsetMinutes?: number },
) {
  const stretches = busyStretches(items, end);
  const breaks = Math.max(0, stretches.length - 1);
  const room = Math.max(10, width - breaks * BREAK_WIDTH);
  const busy = Math.max(1, stretches.reduce((sum, { from, to }) => sum + to - from, 0));
  const perMs = room / busy;
  let x = 0;
  const placed = stretches.map(({ from, to }) => {
    const start = x;
    x += (to - from) * perMs + BREAK_WIDTH;
    return { from, to, x: start };
  });
  const place = (ms: number) => {
    let low = 0;
    for (let high = placed.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if (placed[middle]!.from <= ms) low = middle;
      else high = middle - 1;
    }
    const stretch = placed[low];
    return stretch === undefined
      ? 0
      : stretch.x + Math.min(Math.max(0, ms - stretch.from), stretch.to - stretch.from) * perMs;
  };
  const stepMs = SECOND * (STEPS.find((seconds) => seconds * SECOND * perMs >= TICK_DISTANCE) ?? STEPS.at(-1)!);
  return {
    width,
    place,
    stepSeconds: stepMs / SECOND,
    breaks: placed.slice(1).map(({ from, x }, index) => ({
      x: x - BREAK_WIDTH / 2,
      seconds: (from - placed[index]!.to) / SECOND,
    })),
    ticks: [...ticksOf(placed, { perMs, stepMs, offsetMs: offsetMinutes * LONG_MS })],
  };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

function busyStretches(items: readonly ReportItem[], end: number): readonly Stretch[] {
  const times = items.map(({ kind, at, until, open }) => {
    const from = Date.parse(at);
    return {
      from,
      to: BUSY.has(kind) ? Math.max(from, until !== undefined ? Date.parse(until) : open ? end : from) : from,
    };
  }).filter(({ from }) => Number.isFinite(from)).sort((a, b) => a.from - b.from);
  if (times.length === 0) return [];
  const last = times.reduce((latest, { to }) => Math.max(latest, to), end);
  const long = Math.max(LONG_MS, (last - times[0]!.from) * LONG_SHARE);
  const stretches: { from: number; to: number }[] = [];
  for (const { from, to } of [...times, { from: last, to: last }]) {
    const before = stretches.at(-1);
    if (before !== undefined && from - before.to <= long) before.to = Math.max(before.to, to);
    else stretches.push({ from, to });
  }
  return stretches;
}

function* ticksOf(
  stretches: readonly (Stretch & { readonly x: number })[],
  { perMs, stepMs: step, offsetMs }: { readonly perMs: number; readonly stepMs: number; readonly offsetMs: number },
): Generator<{ readonly x: number; readonly ms: number }> {
  let lastX = -TICK_DISTANCE;
  for (const { from, to, x } of stretches) {
    for (let ms = Math.ceil((from + offsetMs) / step) * step - offsetMs; ms <= to; ms += step) {
      const at = x + (ms - from) * perMs;
      if (at - lastX < TICK_DISTANCE * 0.75) continue;
      lastX = at;
      yield { x: at, ms };
    }
  }
}
