import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Report, type ReportDetail, waitingOf } from "../api/report/model.ts";
import { type Client, createClient } from "./client.ts";
import { type Connection, isIncrement, keepStream, type KeptStream } from "./connection.ts";
import type { DetailSource } from "./details.tsx";
import { withIncrement } from "./items.ts";
import { listen } from "./listen.ts";
import { CONDITIONS } from "./outcome.tsx";
import { ReportView } from "./report_view.tsx";
import { shownLine } from "./show.ts";
import { SignIn } from "./sign_in.tsx";
import { Steering } from "./steering.tsx";
import type { TokenKeeper } from "./token.ts";
import { keyOf, Questions } from "./questions.tsx";
import { Work } from "./work.tsx";
import { Workers } from "./workers.tsx";

export function LiveView({ run, token }: { readonly run: string; readonly token: TokenKeeper }) {
  const client = useMemo(() => createClient(token), [token]);
  const path = `/v1/runs/${encodeURIComponent(run)}`;
  const { report, connection, stream, reading } = useReport(client, path);
  const source = useMemo(() => detailsOfServer(client, path), [client, path, reading]);
  const now = useNow(report?.header.executed === true);
  useEffect(() => {
    if (report !== undefined) document.title = titleOf(report);
  }, [report]);

  if (connection.state === "signed_out") {
    return <SignIn problem={connection.problem} token={token} onToken={() => stream.current?.tryNow()} />;
  }
  if (report === undefined) return <Empty connection={connection} />;
  const { header } = report;
  return (
    <ReportView
      report={report}
      source={source}
      now={now}
      home="/"
      first={<Questions header={header} onAnswer={(answer) => client.post(`${path}/answer`, answer)} />}
    >
      <div class="live">
        <div class="live-line flow">
          <ConnectionLine connection={connection} isExecuted={header.executed} onTry={() => stream.current?.tryNow()} />
          <Steering
            header={header}
            onStop={() => client.post(`${path}/stop`, {})}
            onResume={() => client.post(`${path}/resume`, {})}
          />
        </div>
        {header.executed ? null : <Work client={client} path={path} stamp={header.endedAt ?? header.lastAt} />}
        <Workers header={header} client={client} path={path} now={now} />
      </div>
      <Announcements report={report} connection={connection} />
    </ReportView>
  );
}

function useReport(client: Client, path: string) {
  const [report, setReport] = useState<Report>();
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  const stream = useRef<KeptStream>(null);
  /** How often the report was read as a whole: what was loaded for an earlier one may be another's by now. */
  const [reading, setReading] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    stream.current = keepStream({
      client,
      signal: over.signal,
      path: (after) => `${path}/report/events${after === undefined ? "" : `?after=${encodeURIComponent(after)}`}`,
      async begin() {
        const whole = await client.get<Report>(`${path}/report`);
        setReport({ header: whole.header, items: whole.items });
        setReading((before) => before + 1);
        return String(whole.header.sequence);
      },
      onEvent(event) {
        if (isIncrement(event)) {
          setReport((before) => before === undefined ? before : withIncrement(before, event.data));
        } else stream.current?.restart();
      },
      onConnection: setConnection,
    });
    const tryNow = () => stream.current?.tryNow();
    const tryWhenSeen = () => document.visibilityState === "visible" && tryNow();
    over.signal.addEventListener("abort", listen(["online", "hashchange"], tryNow));
    over.signal.addEventListener("abort", listen(["visibilitychange"], tryWhenSeen));
    return () => over.abort();
  }, [client, path]);
  return { report, connection, stream, reading };
}

function detailsOfServer(client: Client, path: string): DetailSource {
  const loaded = new Map<string, ReportDetail>();
  return {
    now: (ref) => loaded.get(ref),
    async load(ref) {
      const detail = await client.get<ReportDetail>(`${path}/details?ref=${encodeURIComponent(ref)}`);
      loaded.set(ref, detail);
      return detail;
    },
  };
}

function useNow(isNeeded: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isNeeded) return;
    const timer = setInterval(() => document.visibilityState === "visible" && setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isNeeded]);
  return now;
}

const TITLE_MARKS: Readonly<Record<string, string>> = { active: "▶", good: "✓", bad: "✗", caution: "?", plain: "·" };

function titleOf({ header }: Report): string {
  const mark = TITLE_MARKS[CONDITIONS[header.condition]?.tone ?? "plain"] ?? "·";
  return `${mark} ${shownLine(header.about)}`;
}

function ConnectionLine({ connection, isExecuted, onTry }: {
  readonly connection: Connection;
  readonly isExecuted: boolean;
  readonly onTry: () => void;
}) {
  switch (connection.state) {
    case "open":
      return isExecuted ? <p class="connection good">Live</p> : <p class="connection">Nobody works on it</p>;
    case "connecting":
      return <p class="connection">Connecting…</p>;
    case "lost":
    case "gone":
    case "signed_out":
      return (
        <p class="connection bad" title={connection.problem}>
          {connection.state === "gone" ? "This run is not served any more" : "Connection lost, trying again"}
          <button type="button" onClick={onTry}>Try now</button>
        </p>
      );
  }
}

function Empty({ connection }: { readonly connection: Connection }) {
  const isGone = connection.state === "gone";
  return (
    <main class="page-problem">
      <h1>
        {isGone ? "This run is not here" : connection.state === "lost" ? "Connection lost, trying again" : "Loading…"}
      </h1>
      {"problem" in connection ? <p>{shownLine(connection.problem)}</p> : null}
      <p>
        <a href="/">All runs</a>
      </p>
    </main>
  );
}

/** Tells those who hear the page what has changed as a whole; not every entry. */
function Announcements({ report: { header }, connection }: {
  readonly report: Report;
  readonly connection: Connection;
}) {
  const words = CONDITIONS[header.condition]?.words ?? header.condition;
  return (
    <>
      <p class="unseen" role="status">{`${words}. ${shownLine(header.placeText)}.`}</p>
      {/* Each is told once: not those again that were there before. */}
      <div class="unseen" role="status" aria-atomic="false" aria-relevant="additions">
        {waitingOf(header).filter(({ answered }) => !answered).map((waiting) => (
          <p key={keyOf(waiting)}>{`${shownLine(waiting.by)} asks: ${shownLine(waiting.text)}`}</p>
        ))}
      </div>
      <p class="unseen" role="status">{connection.state === "lost" ? "Connection lost, trying again" : ""}</p>
    </>
  );
}
