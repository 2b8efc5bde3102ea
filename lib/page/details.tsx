import type { ReportRef } from "../journal/items/source.ts";
import { useEffect, useState } from "preact/hooks";
import type { ReportDetail } from "../api/report/model.ts";
import { diffBlocks } from "./diff_lines.ts";
import { errorText, shownLine, shownText } from "./show.ts";
import { Terminal } from "./terminal.tsx";

export interface DetailSource {
  readonly now: (ref: string) => ReportDetail | undefined;
  readonly load: (ref: string) => Promise<ReportDetail>;
}

export function detailsOfDocument(): DetailSource {
  const elements = [...document.querySelectorAll("script[data-ref]")];
  const texts = new Map(elements.map((element) => [element.getAttribute("data-ref"), element.textContent]));
  return {
    now(ref) {
      const text = texts.get(ref) ?? undefined;
      return text === undefined ? undefined : JSON.parse(text);
    },
    load: (ref) => Promise.reject(new Error(`It is not in this file: ${ref}`)),
  };
}

export function Details({ refs, source, all }: {
  readonly refs: readonly ReportRef[];
  readonly source: DetailSource;
  readonly all: boolean;
}) {
  return (
    <div class="details">
      {refs.map((ref, index) => <OneDetail key={ref.ref} of={ref} source={source} open={all || index === 0} />)}
    </div>
  );
}

function OneDetail({ of, source, open: opens }: {
  readonly of: ReportRef;
  readonly source: DetailSource;
  readonly open: boolean;
}) {
  const [isOpen, setOpen] = useState(opens);
  useEffect(() => setOpen(opens), [opens]);
  return (
    <details
      open={isOpen || opens}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      class={`detail ${of.kind}`}
    >
      <summary>{shownLine(of.title)}</summary>
      {isOpen || opens ? <Loaded of={of} source={source} /> : null}
    </details>
  );
}

function Loaded({ of, source }: { readonly of: ReportRef; readonly source: DetailSource }) {
  const [detail, setDetail] = useState(() => source.now(of.ref));
  const [problem, setProblem] = useState("");
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (detail !== undefined) return;
    let isHere = true;
    setProblem("");
    source.load(of.ref).then(
      (loaded) => isHere && setDetail(loaded),
      (error: unknown) => isHere && setProblem(errorText(error)),
    );
    return () => isHere = false;
  }, [of.ref, attempt]);
  if (problem !== "") {
    return (
      <p class="problem">
        {shownLine(problem)} <button type="button" onClick={() => setAttempt(attempt + 1)}>Try again</button>
      </p>
    );
  }
  return detail === undefined ? <p class="quiet">Loading…</p> : <DetailBody detail={detail} />;
}

function DetailBody({ detail }: { readonly detail: ReportDetail }) {
  if (detail.problem !== undefined) return <p class="problem">{shownText(detail.problem)}</p>;
  return (
    <>
      <Content detail={detail} />
      {detail.note === undefined ? null : <p class="caution-note">{shownText(detail.note)}</p>}
      {detail.leftOut === undefined ? null : <p class="quiet">Left out: {shownLine(detail.leftOut)}</p>}
    </>
  );
}

function Content({ detail: { kind, text, title, columns } }: { readonly detail: ReportDetail }) {
  switch (kind) {
    case "screen":
      return <Terminal text={text} label={shownLine(title)} {...columns === undefined ? {} : { columns }} />;
    case "diff":
      return <Diff text={text} label={shownLine(title)} />;
    case "prompt":
    case "response":
    case "output":
    case "audit":
      return <pre class="source" tabIndex={0} role="group" aria-label={shownLine(title)}>{shownText(text)}</pre>;
  }
}

function Diff({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <pre class="source patch" tabIndex={0} role="group" aria-label={label}>
      {diffBlocks(text).map(({ kind, lines }, index) => {
        const shown = `${shownText(lines.join("\n"))}\n`;
        if (kind === "added") return <ins key={index} class="good">{shown}</ins>;
        return kind === "removed" ? <del key={index} class="bad">{shown}</del> : <span key={index} class={kind}>{shown}</span>;
      })}
    </pre>
  );
}
