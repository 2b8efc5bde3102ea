import type { ReportItem } from "../journal/items/source.ts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { age, duration } from "../journal/words/words.ts";
import type { ReportLane } from "../api/report/model.ts";
import { KIND_WORDS, titleText } from "./items.ts";
import { laneStyle, secondsBetween, shortTime, shownLine, timeOfDay } from "./show.ts";
import { timeScale } from "./time_scale.ts";

const LANE_HEIGHT = 32;
const BAR_TOP = 16;
const BAR_HEIGHT = 11;
const AXIS_HEIGHT = 22;
const ZOOMS = [1, 2, 4, 8, 16, 32];

interface TimelineProps {
  readonly items: readonly ReportItem[];
  readonly lanes: readonly ReportLane[];
  readonly selected: string | undefined;
  readonly end: number;
  readonly onSelect: (item: ReportItem) => void;
  readonly onOpen: (item: ReportItem) => void;
}

interface Placed {
  readonly item: ReportItem;
  readonly x: number;
  readonly width: number;
}

export function Timeline({ items, lanes, selected, end, onSelect, onOpen }: TimelineProps) {
  const [zoom, setZoom] = useState(0);
  const [pointed, setPointed] = useState<ReportItem>();
  const { frame, width, used, scale, rows } = usePlaces({ items, lanes, end, zoom });
  const paths = useMemo(() => drawPaths(used, rows), [used, rows]);
  const height = AXIS_HEIGHT + used.length * LANE_HEIGHT;

  const current = items.find(({ id }) => id === selected);
  useEffect(() => {
    const placed = current && rows.get(current.lane)?.find(({ item }) => item === current);
    const element = frame.current;
    if (placed === undefined || element === null || zoom === 0) return;
    const { scrollLeft, clientWidth } = element;
    if (placed.x < scrollLeft || placed.x > scrollLeft + clientWidth) element.scrollLeft = placed.x - clientWidth / 2;
  }, [current, rows, zoom]);

  const itemAt = (event: MouseEvent): ReportItem | undefined => {
    const box = (event.currentTarget as Element).getBoundingClientRect();
    const lane = used[Math.floor((event.clientY - box.top) / LANE_HEIGHT)];
    return lane && nearest(rows.get(lane.id)!, event.clientX - box.left)?.item;
  };
  const change = (by: number) => setZoom((now) => Math.max(0, Math.min(ZOOMS.length - 1, now + by)));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const next = itemByKey(event.key, { current, used, rows });
    if (next !== undefined) onSelect(next);
    else if ((event.key === "Enter" || event.key === " ") && current !== undefined) onOpen(current);
    else if (event.key === "+" || event.key === "-") change(event.key === "+" ? 1 : -1);
    else if (!MOVES.includes(event.key)) return;
    event.preventDefault();
  };

  const told = pointed ?? current;
  return (
    <div class={used.length > 6 ? "timeline" : "timeline sticks"}>
      <Zoom zoom={zoom} onChange={setZoom} />
      <div
        class="frame card"
        ref={frame}
        role="grid"
        aria-label="Timeline. Left and right: along a lane; up and down: between lanes; Enter: open"
        aria-rowcount={used.length}
        aria-activedescendant={current === undefined ? undefined : "timeline-cell"}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onFocus={() => current === undefined && items[0] !== undefined ? onSelect(items[0]) : undefined}
      >
        <svg role="presentation" width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
          <g aria-hidden="true">
            <Axis lanes={used} scale={scale} width={width} />
            {paths.map(([name, path]) => <path key={name} class={name} d={path} />)}
          </g>
          <LaneRows
            used={used}
            lanes={lanes}
            current={current}
            placed={current && rows.get(current.lane)?.find(({ item }) => item === current)}
          />
          <rect
            class="hit"
            aria-hidden="true"
            x="0"
            y="0"
            width={width}
            height={height - AXIS_HEIGHT}
            onMouseMove={(event) => setPointed(itemAt(event))}
            onMouseLeave={() => setPointed(undefined)}
            onClick={(event) => {
              const item = itemAt(event);
              if (item !== undefined) onOpen(item);
            }}
          />
        </svg>
      </div>
      <p class="told quiet" aria-hidden="true">{told === undefined ? "\u00a0" : tell(told)}</p>
    </div>
  );
}

function usePlaces(
  { items, lanes, end, zoom }: Pick<TimelineProps, "items" | "lanes" | "end"> & { readonly zoom: number },
) {
  const frame = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    setRoom(frame.current!.clientWidth);
    const observer = new ResizeObserver(() => setRoom(frame.current?.clientWidth ?? 0));
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, []);

  const width = Math.max(200, room) * ZOOMS[zoom]!;
  const used = useMemo(() => lanes.filter(({ id }) => items.some(({ lane }) => lane === id)), [items, lanes]);
  const scale = useMemo(
    () => timeScale(items, { width: width - 8, end, offsetMinutes: -new Date(end).getTimezoneOffset() }),
    [items, width, end],
  );
  const rows = useMemo(() => {
    const byLane = new Map<string, Placed[]>(used.map(({ id }) => [id, []]));
    for (const item of items) {
      const x = 4 + scale.place(Date.parse(item.at));
      const to = item.until === undefined ? item.open ? end : undefined : Date.parse(item.until);
      byLane.get(item.lane)?.push({ item, x, width: to === undefined ? 0 : Math.max(2, 4 + scale.place(to) - x) });
    }
    return byLane;
  }, [items, used, scale]);
  return { frame, width, used, scale, rows };
}

function Zoom({ zoom, onChange }: { readonly zoom: number; readonly onChange: (zoom: number) => void }) {
  return (
    <div class="zoom" role="group" aria-label="Zoom of the timeline">
      <button type="button" disabled={zoom === 0} onClick={() => onChange(zoom - 1)} aria-label="Zoom out">−</button>
      <button
        type="button"
        disabled={zoom === ZOOMS.length - 1}
        onClick={() => onChange(zoom + 1)}
        aria-label="Zoom in"
      >
        +
      </button>
    </div>
  );
}

const MOVES = ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"];

/** Where a key leads from an item: along its lane, to its ends, or to what is nearest in another lane. */
function itemByKey(key: string, { current, used, rows }: {
  readonly current: ReportItem | undefined;
  readonly used: readonly ReportLane[];
  readonly rows: ReadonlyMap<string, readonly Placed[]>;
}): ReportItem | undefined {
  const row = current && rows.get(current.lane);
  const at = row?.findIndex(({ item }) => item === current) ?? -1;
  const beside = (by: number) => row === undefined ? rows.get(used[0]?.id ?? "")?.[0]?.item : row[at + by]?.item;
  const across = (by: number) => {
    const from = used.findIndex(({ id }) => id === current?.lane);
    const lane = used[Math.max(0, Math.min(used.length - 1, from + by))];
    return lane && nearest(rows.get(lane.id)!, row?.[at]?.x ?? 0)?.item;
  };
  switch (key) {
    case "ArrowRight":
      return beside(1);
    case "ArrowLeft":
      return beside(-1);
    case "ArrowDown":
      return across(1);
    case "ArrowUp":
      return across(-1);
    case "Home":
      return row?.[0]?.item;
    case "End":
      return row?.at(-1)?.item;
    default:
      return undefined;
  }
}

function Axis({ lanes, scale, width }: {
  readonly lanes: readonly ReportLane[];
  readonly scale: ReturnType<typeof timeScale>;
  readonly width: number;
}) {
  const bottom = lanes.length * LANE_HEIGHT;
  return (
    <>
      {lanes.map(({ id }, index) => (
        <rect
          key={id}
          class={index % 2 === 0 ? "band" : "band odd"}
          x="0"
          y={index * LANE_HEIGHT}
          width={width}
          height={LANE_HEIGHT}
        />
      ))}
      {scale.ticks.map(({ x, ms }) => (
        <g key={ms}>
          <line class="tick" x1={x + 4} x2={x + 4} y1="0" y2={bottom + 4} />
          <text class="axis digits" x={x + 4} y={bottom + AXIS_HEIGHT - 6} text-anchor={x < 20 ? "start" : "middle"}>
            {scale.stepSeconds < 60 ? timeOfDay(ms) : shortTime(ms)}
          </text>
        </g>
      ))}
      {scale.breaks.map(({ x, seconds }) => (
        <g key={x}>
          <rect class="break" x={x - 8} y="0" width="24" height={bottom} />
          <text class="axis digits" text-anchor="middle" transform={`translate(${x + 8} ${bottom / 2}) rotate(-90)`}>
            {age(seconds)}
          </text>
        </g>
      ))}
    </>
  );
}

function LaneRows({ used, lanes, current, placed }: {
  readonly used: readonly ReportLane[];
  readonly lanes: readonly ReportLane[];
  readonly current: ReportItem | undefined;
  readonly placed: Placed | undefined;
}) {
  return (
    <>
      {used.map((lane, index) => (
        <g key={lane.id} role="row" aria-rowindex={index + 1}>
          <text role="rowheader" class="name" style={laneStyle(lanes.indexOf(lane))} x="6" y={index * LANE_HEIGHT + 11}>
            {shownLine(lane.title)}
          </text>
          {lane.id === current?.lane && (
            <g id="timeline-cell" role="gridcell" aria-selected="true" aria-label={tell(current)}>
              {placed && <Marker placed={placed} index={index} />}
            </g>
          )}
        </g>
      ))}
    </>
  );
}

function tell(item: ReportItem): string {
  const { at, until, kind } = item;
  const took = until === undefined ? "" : ` (${duration(secondsBetween(at, until))})`;
  return `${timeOfDay(at)} ${KIND_WORDS[kind] ?? kind}: ${shownLine(titleText(item))}${took}`;
}

function Marker({ placed: { x, width }, index }: { readonly placed: Placed; readonly index: number }) {
  return (
    <rect
      class="marker"
      x={x - (width === 0 ? 7 : 2)}
      y={index * LANE_HEIGHT + BAR_TOP - 3}
      width={width === 0 ? 14 : width + 4}
      height={BAR_HEIGHT + 6}
      rx="3"
    />
  );
}

/** The item that somebody means who points there: the shortest that is there, else the next one. */
function nearest(row: readonly Placed[], x: number): Placed | undefined {
  const distance = ({ x: at, width }: Placed) =>
    width === 0 ? Math.max(0, Math.abs(at - x) - 4) : Math.max(0, at - x, x - at - width);
  return row.reduce<Placed | undefined>((best, one) => {
    if (best === undefined) return one;
    const by = distance(one) - distance(best);
    return by < 0 || by === 0 && one.width < best.width ? one : best;
  }, undefined);
}

/** A path of everything that is drawn alike; what would cover another exactly is left out. */
function drawPaths(
  lanes: readonly ReportLane[],
  rows: ReadonlyMap<string, readonly Placed[]>,
): readonly (readonly [name: string, path: string])[] {
  const paths = new Map<string, string[]>();
  lanes.forEach(({ id }, index) => {
    const drawn = new Set<string>();
    const y = index * LANE_HEIGHT + BAR_TOP;
    for (const { item, x, width } of rows.get(id) ?? []) {
      const name = `${width === 0 ? "moment" : "bar"} ${item.tone} k-${item.kind}${item.open ? " open" : ""}`;
      const shape = width === 0
        ? momentPath(item, Math.round(x), y)
        : `M${x.toFixed(1)} ${y}h${width.toFixed(1)}v${BAR_HEIGHT}h-${width.toFixed(1)}z`;
      const key = `${name} ${width === 0 ? Math.round(x) : shape}`;
      if (drawn.has(key)) continue;
      drawn.add(key);
      if (!paths.has(name)) paths.set(name, []);
      paths.get(name)!.push(shape);
    }
  });
  // Moments over bars, and what went wrong over all others.
  const rank = (name: string) => (name.startsWith("moment") ? 1 : 0) + (name.includes(" bad ") ? 2 : 0);
  return [...paths].sort(([a], [b]) => rank(a) - rank(b)).map(([name, shapes]) => [name, shapes.join("")]);
}

/** A shape by what it is, so that colour is not needed to tell them apart. */
function momentPath({ kind }: ReportItem, x: number, y: number): string {
  const middle = y + BAR_HEIGHT / 2;
  switch (kind) {
    case "verdict":
    case "end":
      return `M${x - 5} ${middle}a5 5 0 1 0 10 0a5 5 0 1 0 -10 0`;
    case "dialog":
    case "question":
    case "answer":
      return `M${x} ${middle - 6}l6 6l-6 6l-6 -6z`;
    case "kill":
    case "warning":
    case "limit":
    case "gap":
      return `M${x} ${middle - 6}l6 11h-12z`;
    default:
      return `M${x - 1} ${y - 1}h2.5v${BAR_HEIGHT + 2}h-2.5z`;
  }
}
