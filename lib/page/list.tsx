import type { ReportItem } from "../journal/items/source.ts";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { duration, withLocalTimes } from "../journal/words/words.ts";
import type { ReportLane } from "../api/report/model.ts";
import { Details, type DetailSource } from "./details.tsx";
import { KIND_WORDS, titleText } from "./items.ts";
import { dayOf, laneStyle, secondsBetween, shownLine, shownText, timeOfDay } from "./show.ts";

const CHUNK = 40;

const ITEM_HEIGHT = 37;

function rowId(item: ReportItem): string {
  return `item-${item.id}`;
}

interface ItemListProps {
  readonly items: readonly ReportItem[];
  readonly lanes: readonly ReportLane[];
  readonly source: DetailSource;
  readonly selected: string | undefined;
  readonly opened: ReadonlySet<string>;
  readonly all: boolean;
  readonly onSelect: (item: ReportItem) => void;
  readonly onToggle: (item: ReportItem) => void;
}

export function ItemList(props: ItemListProps) {
  const { items, selected, all, source, onSelect, onToggle } = props;
  const chunks = useMemo(() => {
    const count = Math.ceil(items.length / CHUNK);
    return Array.from({ length: count }, (_, index) => items.slice(index * CHUNK, (index + 1) * CHUNK));
  }, [items]);
  const lanes = useMemo(() => new Map(props.lanes.map((lane, index) => [lane.id, { lane, index }])), [props.lanes]);
  const at = selected === undefined ? -1 : items.findIndex(({ id }) => id === selected);

  const moveTo = (index: number) => {
    const item = items[Math.max(0, Math.min(items.length - 1, index))];
    if (item !== undefined) props.onSelect(item);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLElement) || !event.target.classList.contains("head")) return;
    // Without a selected one, the first can be reached.
    const from = Math.max(0, at);
    const item = items[from];
    const isOpen = item !== undefined && props.opened.has(item.id);
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity },
    };
    const by = steps[event.key];
    if (by !== undefined) moveTo(from + by);
    else if (item !== undefined && (event.key === "ArrowRight" && !isOpen || event.key === "ArrowLeft" && isOpen)) {
      props.onToggle(item);
    } else return;
    event.preventDefault();
  };

  return (
    <div class="items card" role="list" aria-label="What happened" onKeyDown={onKeyDown}>
      {chunks.map((chunk, index) => (
        <Chunk
          key={index}
          isFirst={index === 0}
          count={chunk.length}
          isNeeded={all || at >= index * CHUNK && at < (index + 1) * CHUNK}
          draw={() =>
            chunk.map((item, offset) => {
              const place = index * CHUNK + offset;
              const before = items[place - 1];
              return (
                <Item
                  key={item.id}
                  item={item}
                  lane={lanes.get(item.lane)}
                  place={place + 1}
                  of={items.length}
                  day={before === undefined || dayOf(before.at) !== dayOf(item.at) ? dayOf(item.at) : ""}
                  isSelected={item.id === selected || at < 0 && place === 0}
                  isOpen={all || props.opened.has(item.id)}
                  {...{ all, source, onSelect, onToggle }}
                />
              );
            })}
        />
      ))}
    </div>
  );
}

/** Items that are drawn only where they are near: a long run has thousands. */
function Chunk({ isFirst, count, isNeeded, draw }: {
  readonly isFirst: boolean;
  readonly count: number;
  readonly isNeeded: boolean;
  readonly draw: () => preact.ComponentChildren;
}) {
  const element = useRef<HTMLDivElement>(null);
  const height = useRef(0);
  const [isNear, setNear] = useState(isFirst);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => {
      if (entry === undefined) return;
      if (!entry.isIntersecting) height.current = entry.boundingClientRect.height;
      setNear(entry.isIntersecting || element.current?.contains(document.activeElement) === true);
    }, { rootMargin: "800px" });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  const isDrawn = isNear || isNeeded;
  const room = height.current === 0 ? count * ITEM_HEIGHT : height.current;
  return (
    <div ref={element} role="presentation" style={isDrawn ? { height: "auto" } : { height: `${room}px` }}>
      {isDrawn ? draw() : null}
    </div>
  );
}

const TONE_WORDS = { plain: "", good: "good: ", bad: "bad: ", caution: "caution: " } as const;
const TONE_MARKS = { plain: "", good: "✓", bad: "✗", caution: "!" } as const;

type ItemProps = Pick<ItemListProps, "all" | "source" | "onSelect" | "onToggle"> & {
  readonly item: ReportItem;
  readonly lane: { readonly lane: ReportLane; readonly index: number } | undefined;
  readonly place: number;
  readonly of: number;
  readonly day: string;
  readonly isSelected: boolean;
  readonly isOpen: boolean;
};

function Item({ item, lane, place, of, day, isSelected, isOpen, all, source, onSelect, onToggle }: ItemProps) {
  const { text, details = [], tone, kind, at, until, open } = item;
  const hasMore = (text ?? "") !== "" || details.length > 0;
  const name = `${rowId(item)}-more`;
  return (
    <div class={`item ${tone} k-${kind}`} id={rowId(item)} role="listitem" aria-posinset={place} aria-setsize={of}>
      {day === "" ? null : <p class="day small">{day}</p>}
      <button
        type="button"
        class="head"
        tabIndex={isSelected ? 0 : -1}
        aria-expanded={isOpen}
        aria-controls={isOpen ? name : undefined}
        onFocus={() => isSelected ? undefined : onSelect(item)}
        onClick={() => onToggle(item)}
      >
        <time class="quiet digits" dateTime={at} title={at}>{timeOfDay(at)}</time>
        <span class="lane" style={laneStyle(lane?.index ?? 0)}>{shownLine(lane?.lane.title ?? item.lane)}</span>
        <span class="kind quiet">{KIND_WORDS[kind] ?? kind}</span>
        <span class="title">
          <span class="mark" aria-hidden="true">{TONE_MARKS[tone]}</span>
          <span class="unseen">{TONE_WORDS[tone]}</span>
          {shownLine(titleText(item))}
        </span>
        <span class="took quiet digits">
          {until === undefined ? open ? "now" : "" : duration(secondsBetween(at, until))}
        </span>
        <span class="arrow small" aria-hidden="true">{isOpen ? "▾" : "▸"}</span>
      </button>
      {isOpen && (
        <div class="more" id={name}>
          {(text ?? "") === "" ? null : <p class="words">{shownText(withLocalTimes({ ...item, text: text! }))}</p>}
          {details.length === 0 ? null : <Details refs={details} source={source} all={all} />}
          <p class="quiet facts">
            {hasMore ? null : "Nothing more is recorded. "}
            <a href={`#${encodeURIComponent(item.id)}`}>Record {item.sequence}</a> · <time>{at}</time>
            {until === undefined ? null : (
              <>
                {" to "}
                <time>{until}</time>
              </>
            )}
            {item.turn === undefined ? null : ` · turn ${shownLine(item.turn)}`}
          </p>
        </div>
      )}
    </div>
  );
}

export interface FocusRequest {
  readonly id: string;
  readonly whole: boolean;
}

export function useFocusOn(request: FocusRequest | undefined): void {
  useLayoutEffect(() => {
    if (request === undefined) return;
    const element = document.getElementById(`item-${request.id}`);
    const head = element?.querySelector<HTMLElement>(".head");
    head?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: request.whole ? "start" : "nearest" });
  }, [request]);
}
