import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import type { Style } from "../screen/style.ts";
import { colorsOf, terminalRows, type TerminalSpan } from "./terminal_rows.ts";

export function Terminal({ text, label, columns, fits = false }: {
  readonly text: string;
  readonly label: string;
  readonly columns?: number;
  readonly fits?: boolean;
}) {
  const rows = useMemo(() => terminalRows(text), [text]);
  const end = useEndInView(fits, text);
  return (
    <pre
      class="terminal"
      {...end}
      style={fits && columns !== undefined ? { fontSize: `clamp(8px, calc(165cqw / ${columns}), 13px)` } : undefined}
      role="group"
      aria-label={label}
      tabIndex={0}
      dir="ltr"
    >
      <code style={columns === undefined ? undefined : { minWidth: `${columns}ch` }}>
        {rows.map((spans, index) => <Row key={index} spans={spans} />)}
      </code>
    </pre>
  );
}

function Row({ spans }: { readonly spans: readonly TerminalSpan[] }) {
  return <span class="row">{[...spans.map(drawSpan), "\n"]}</span>;
}

function drawSpan({ text, style, columns }: TerminalSpan, index: number) {
  const name = classOf(style);
  const colors = colorsOf(style);
  if (name === "" && columns === undefined && Object.keys(colors).length === 0) return text;
  const width = columns === undefined ? {} : { width: `${columns}ch` };
  return (
    <span key={index} class={columns === undefined ? name : `${name} cell`} style={{ ...colors, ...width }}>
      {text}
    </span>
  );
}

function classOf({ bold, dim, italic, underline }: Style): string {
  return [bold && "b", dim && "d", italic && "i", underline && "u"].filter((name) => name !== false).join(" ");
}

/** Pixels that do not count: a page that is zoomed has parts of them. */
const SLACK = 4;

export function useEndInView(follows: boolean, shown: unknown) {
  const ref = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (follows && isAtEnd.current && ref.current !== null) ref.current.scrollTop = ref.current.scrollHeight;
  }, [follows, shown]);
  const onScroll = ({ currentTarget: { scrollTop, scrollHeight, clientHeight } }: { currentTarget: HTMLElement }) => {
    isAtEnd.current = scrollTop + clientHeight >= scrollHeight - SLACK;
  };
  return { ref, onScroll };
}
