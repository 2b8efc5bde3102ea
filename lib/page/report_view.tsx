import type { ReportItem } from "../journal/items/source.ts";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Report } from "../api/report/model.ts";
import type { DetailSource } from "./details.tsx";
import { countKinds, type Filter, filterItems, itemOfFragment, KIND_WORDS, NO_FILTER } from "./items.ts";
import { listen } from "./listen.ts";
import { type FocusRequest, ItemList, useFocusOn } from "./list.tsx";
import { Outcome } from "./outcome.tsx";
import { Panels } from "./panels.tsx";
import { numberText, shownLine } from "./show.ts";
import { ThemeButton } from "./theme.tsx";
import { Timeline } from "./timeline.tsx";

const TIMELINE_MS = 5000;

export function ReportView({ report, source, now, first, children, note, home }: {
  readonly report: Report;
  readonly source: DetailSource;
  readonly now?: number;
  readonly first?: preact.ComponentChildren;
  readonly children?: preact.ComponentChildren;
  readonly note?: string;
  readonly home?: string;
}) {
  const { header, items } = report;
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const all = useIsForPaper();
  const shown = useMemo(() => filterItems(items, filter), [items, filter]);
  // The timeline of a long run is not drawn anew every second.
  const coarseNow = header.executed && now !== undefined ? Math.floor(now / TIMELINE_MS) * TIMELINE_MS : 0;
  const end = Math.max(Date.parse(header.lastAt) || 0, coarseNow);

  const { selected, opened, select, goTo, open, toggle } = useSelection(items, () => setFilter(NO_FILTER));
  const places = { items: shown, lanes: header.lanes, selected };
  return (
    <>
      <a class="skip" href="#happened">Skip to what happened</a>
      <header class="top">
        <h1>
          <span class="product small">
            {home === undefined ? "panewright" : <a href={home}>panewright: all runs</a>}
          </span>
          <span class="about">{shownLine(header.about)}</span>
        </h1>
        <ThemeButton />
      </header>
      <main tabIndex={-1}>
        {first}
        <Outcome header={header} {...header.executed && now !== undefined ? { now } : {}} />
        {children}
        <div class="columns">
          <section id="happened" class="happened" aria-labelledby="happened-title" tabIndex={-1}>
            <h2 id="happened-title">What happened</h2>
            <Timeline {...places} end={end} onSelect={select} onOpen={open} />
            <Filters filter={filter} report={report} shown={shown.length} onChange={setFilter} />
            {shown.length === 0
              ? <p class="quiet">{items.length === 0 ? "Nothing is recorded yet." : "Nothing matches."}</p>
              : <ItemList {...places} source={source} opened={opened} all={all} onSelect={goTo} onToggle={toggle} />}
          </section>
          <Panels header={header} />
        </div>
      </main>
      {note === undefined ? null : <footer class="quiet">{shownLine(note)}</footer>}
    </>
  );
}

function useSelection(items: readonly ReportItem[], showAll: () => void) {
  const [selected, setSelected] = useState<string>();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [focus, setFocus] = useState<FocusRequest>();
  useFocusOn(focus);
  const select = (item: ReportItem) => setSelected(item.id);
  const goTo = (item: ReportItem, whole = false) => {
    setSelected(item.id);
    setFocus({ id: item.id, whole });
    showFragment(item.id);
  };
  const open = (item: ReportItem) => {
    setOpened((now) => new Set(now).add(item.id));
    goTo(item, true);
  };
  const toggle = (item: ReportItem) => {
    setOpened((now) => {
      const next = new Set(now);
      if (!next.delete(item.id)) next.add(item.id);
      return next;
    });
    setSelected(item.id);
    showFragment(item.id);
  };
  const present = useRef(items);
  present.current = items;
  useEffect(() => {
    const follow = () => {
      const item = itemOfFragment(present.current, location.hash);
      if (item === undefined) return;
      showAll();
      open(item);
    };
    follow();
    return listen(["hashchange"], follow);
    // A run that is followed is not led back to the link whenever something happens.
  }, []);
  return { selected, opened, select, goTo, open, toggle };
}

function Filters({ filter, report: { header, items }, shown, onChange }: {
  readonly filter: Filter;
  readonly report: Report;
  readonly shown: number;
  readonly onChange: (filter: Filter) => void;
}) {
  const kinds = useMemo(() => [...countKinds(items)], [items]);
  return (
    <form class="filters flow" role="search" aria-label="Filter" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="small">Role or step</span>
        <select value={filter.lane} onChange={(event) => onChange({ ...filter, lane: event.currentTarget.value })}>
          <option value="">All</option>
          {header.lanes.map(({ id, title }) => <option key={id} value={id}>{shownLine(title)}</option>)}
        </select>
      </label>
      <label>
        <span class="small">Kind</span>
        <select value={filter.kind} onChange={(event) => onChange({ ...filter, kind: event.currentTarget.value })}>
          <option value="">All</option>
          {kinds.map(([kind, count]) => (
            <option key={kind} value={kind}>{`${KIND_WORDS[kind] ?? kind} (${count})`}</option>
          ))}
        </select>
      </label>
      <label class="text">
        <span class="small">Text</span>
        <input
          type="search"
          value={filter.text}
          onInput={(event) => onChange({ ...filter, text: event.currentTarget.value })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={filter.troubles}
          onChange={(event) => onChange({ ...filter, troubles: event.currentTarget.checked })}
        />
        <span>Only trouble</span>
      </label>
      <output class="quiet digits" aria-live="polite">
        {shown === items.length
          ? `${numberText(shown)} entries`
          : `${numberText(shown)} of ${numberText(items.length)}`}
      </output>
    </form>
  );
}

/** Puts the item into the address, so that it can be copied; without an entry in the history. */
function showFragment(id: string): void {
  try {
    history.replaceState(history.state, "", `#${encodeURIComponent(id)}`);
  } catch {
    // Where a file may not change its address.
  }
}

function useIsForPaper(): boolean {
  const [is, setIs] = useState(false);
  useEffect(() => {
    const leaves = [listen(["beforeprint"], () => setIs(true)), listen(["afterprint"], () => setIs(false))];
    return () => leaves.forEach((leave) => leave());
  }, []);
  return is;
}
