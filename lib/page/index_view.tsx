import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { age } from "../journal/words/words.ts";
import type { OutputFields } from "../api/output/outputs.ts";
import { type Client, createClient, RefusedError } from "./client.ts";
import { CONDITIONS } from "./outcome.tsx";
import { errorText, secondsBetween, shownLine, timeOfDay } from "./show.ts";
import { listen } from "./listen.ts";
import { Start } from "./start.tsx";
import { SignIn } from "./sign_in.tsx";
import { ThemeButton } from "./theme.tsx";
import type { TokenKeeper } from "./token.ts";

type ListedRun = OutputFields["run"] & { readonly workdir: string };

interface RunList {
  readonly workdirs: readonly string[];
  readonly runs: readonly ListedRun[];
}

const PAUSE_MS = 4000;

export function IndexView({ token }: { readonly token: TokenKeeper }) {
  const client = useMemo(() => createClient(token), [token]);
  const { list, problem, look } = useRuns(client);
  const [only, setOnly] = useState("");
  if (problem?.isSignedOut) {
    return <SignIn problem={problem.text} token={token} onToken={() => look.current()} />;
  }
  const runs = list?.runs.filter(({ about = "", run, workdir }) =>
    `${about} ${run} ${workdir}`.toLowerCase().includes(only.toLowerCase())
  );
  return (
    <>
      <header class="top">
        <h1>
          <span class="product small">panewright</span>
          <span class="about">Runs</span>
        </h1>
        <ThemeButton />
      </header>
      <main>
        <p class={problem === undefined ? "unseen" : "connection bad"} role="status">
          {problem === undefined ? "" : `Connection lost, trying again: ${shownLine(problem.text)}`}
        </p>
        {list === undefined || runs === undefined ? (problem === undefined ? <p class="quiet">Loading…</p> : null) : (
          <>
            <Start client={client} workdirs={list.workdirs} />
            <form class="filters flow" role="search" onSubmit={(event) => event.preventDefault()}>
              <label class="text">
                <span class="small">Text</span>
                <input type="search" value={only} onInput={(event) => setOnly(event.currentTarget.value)} />
              </label>
              <output class="quiet digits" aria-live="polite">{`${runs.length} of ${list.runs.length} runs`}</output>
            </form>
            {list.runs.length === 0
              ? (
                <p>
                  Nothing has run in {list.workdirs.map(shownLine).join(", ")} yet.
                </p>
              )
              : (
                <ul class="runs">
                  {runs.map((run) => (
                    <Listed key={`${run.workdir} ${run.run}`} run={run} hasOthers={list.workdirs.length > 1} />
                  ))}
                </ul>
              )}
          </>
        )}
      </main>
    </>
  );
}

function Listed({ run, hasOthers }: { readonly run: ListedRun; readonly hasOthers: boolean }) {
  const { words, tone } = CONDITIONS[run.state] ?? { words: run.state, tone: "plain" };
  const { startedAt, lastRecordAt } = run;
  const says = run.problem ?? run.reason ?? "";
  return (
    <li class={`listed card ${tone}`}>
      <a href={`/runs/${encodeURIComponent(run.run)}`}>{shownLine(run.about ?? run.run)}</a>
      <span class="state">{words}</span>
      {says === "" ? null : <span class="says">{shownLine(says)}</span>}
      <span class="quiet">
        <code>{shownLine(run.run)}</code>
        {hasOthers ? ` in ${shownLine(run.workdir)}` : ""}
        {startedAt === null ? "" : `, began ${timeOfDay(startedAt)}, ${age(secondsBetween(startedAt, Date.now()))} ago`}
        {lastRecordAt === null ? "" : `, last record ${age(secondsBetween(lastRecordAt, Date.now()))} ago`}
      </span>
    </li>
  );
}

function useRuns(client: Client) {
  const [list, setList] = useState<RunList>();
  const [problem, setProblem] = useState<{ readonly text: string; readonly isSignedOut: boolean }>();
  const look = useRef(() => {});
  useEffect(() => {
    let timer = 0;
    let isHere = true;
    look.current = async () => {
      clearTimeout(timer);
      if (document.visibilityState === "visible") {
        try {
          const found = await client.get<RunList>("/v1/runs");
          if (!isHere) return;
          setList(found);
          setProblem(undefined);
        } catch (error) {
          if (!isHere) return;
          const isSignedOut = error instanceof RefusedError && error.status === 401;
          setProblem({ text: errorText(error), isSignedOut });
        }
      }
      timer = setTimeout(look.current, PAUSE_MS);
    };
    const again = () => look.current();
    again();
    const leave = listen(["hashchange", "visibilitychange"], again);
    return () => {
      isHere = false;
      clearTimeout(timer);
      leave();
    };
  }, [client]);
  return { list, problem, look };
}
