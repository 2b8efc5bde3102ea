import { useEffect, useState } from "preact/hooks";
import { duration } from "../journal/words/words.ts";
import type { ScreenEvent } from "../api/output/screen_event.ts";
import type { ReportHeader, ReportWorker } from "../api/report/model.ts";
import type { Client } from "./client.ts";
import { type Connection, keepStream } from "./connection.ts";
import { secondsBetween, shownLine } from "./show.ts";
import { Terminal, useEndInView } from "./terminal.tsx";

const WIDE = "(min-width: 900px)";

const NOBODY = "";
const WHO_WORKS = "*";

export function Workers({ header, client, path, now }: {
  readonly header: ReportHeader;
  readonly client: Client;
  readonly path: string;
  readonly now: number;
}) {
  const [watched, setWatched] = useState(() => matchMedia(WIDE).matches ? WHO_WORKS : NOBODY);
  if (header.workers.length === 0) return null;
  const working = header.activity?.worker ?? header.waiting?.by;
  const name = watched === WHO_WORKS ? working : watched;
  // What the agents of steps do is told by the entries; they have no screens.
  const canWatch = ({ shows }: ReportWorker) => header.executed && header.job !== "exec" && shows !== "nothing";
  const shown = header.workers.find((worker) => worker.name === name && canWatch(worker));
  return (
    <section class="workers" aria-labelledby="workers">
      <h2 id="workers">Agents</h2>
      <ul>
        {header.workers.map((worker) => (
          <li key={worker.name}>
            <button
              type="button"
              class={worker.name === working ? "worker active" : "worker"}
              aria-pressed={worker === shown}
              disabled={!canWatch(worker)}
              onClick={() => setWatched(worker === shown ? NOBODY : worker.name)}
            >
              <span class="worker-name">{shownLine(worker.name)}</span>
              <span class="quiet">{shownLine(worker.provider)}</span>
              <span>{shownLine(worker.statusText)}</span>
              <span class="quiet">
                {header.executed ? duration(secondsBetween(worker.since, Math.max(now, Date.parse(worker.since)))) : ""}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {shown === undefined ? null : <Watched key={shown.name} worker={shown} client={client} path={path} />}
    </section>
  );
}

type Row = Extract<ScreenEvent, { readonly type: "activity" }>["rows"][number];

const MAX_ROWS = 300;

function Watched({ worker, client, path }: {
  readonly worker: ReportWorker;
  readonly client: Client;
  readonly path: string;
}) {
  const [last, setLast] = useState<ScreenEvent>();
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  useEffect(() => {
    const over = new AbortController();
    keepStream({
      client,
      signal: over.signal,
      path: () => `${path}/screens/${encodeURIComponent(worker.name)}`,
      onEvent(event) {
        const told = event.data as ScreenEvent;
        setLast(told);
        if (told.type === "activity") {
          setRows((before) => [...told.isReset ? [] : before, ...told.rows].slice(-MAX_ROWS));
        }
        if (told.type === "end") over.abort();
      },
      onConnection: setConnection,
    });
    return () => over.abort();
  }, [worker.name]);
  const label = `Screen of ${shownLine(worker.name)}`;
  if (last === undefined) {
    return <p class="quiet">{"problem" in connection ? shownLine(connection.problem) : "Loading its screen…"}</p>;
  }
  switch (last.type) {
    case "end":
      return <p class="quiet">{shownLine(last.why)}</p>;
    case "screen":
      return last.pane === null
        ? <p class="quiet">{shownLine(last.why ?? "It has no screen.")}</p>
        : <Terminal text={last.pane.text} label={label} columns={last.pane.columns} fits />;
    case "activity":
      return <Activity rows={rows} doing={last.doing} label={label} />;
  }
}

function Activity({ rows, doing, label }: {
  readonly rows: readonly Row[];
  readonly doing: string;
  readonly label: string;
}) {
  const end = useEndInView(true, rows);
  return (
    <div class="activity">
      <pre class="source" {...end} tabIndex={0} role="group" aria-label={label}>
        {rows.map(({ mark, text, style = "" }, index) => (
          <span key={index} class={`row ${style}`}>{[shownLine(mark), shownLine(text), "\n"]}</span>
        ))}
      </pre>
      {doing === "" ? null : <p class="quiet">{shownLine(doing)}</p>}
    </div>
  );
}
