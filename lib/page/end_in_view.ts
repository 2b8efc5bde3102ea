import { useLayoutEffect, useRef } from "preact/hooks";

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
