import { useState } from "preact/hooks";
import type { Client } from "./client.ts";
import { errorText, shownLine, shownText } from "./show.ts";

const DRAFT = "task";

/** Starts a task in a workspace of a folder that is served. */
export function Start({ client, workdirs }: { readonly client: Client; readonly workdirs: readonly string[] }) {
  const [text, setText] = useState(() => sessionStorage.getItem(DRAFT) ?? "");
  const [workdir, setWorkdir] = useState(workdirs[0] ?? "");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  // The same words are the same request, whatever was lost on the way.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const write = (next: string) => {
    setText(next);
    setKey(crypto.randomUUID());
    sessionStorage.setItem(DRAFT, next);
  };
  const start = async () => {
    setBusy(true);
    setProblem("");
    try {
      const body = { kind: "exec", workdir, task: { text }, overrides: { workspace: true } };
      const { run } = await client.post("/v1/runs", body, { key }) as { readonly run: string };
      write("");
      location.assign(`/runs/${encodeURIComponent(run)}`);
    } catch (error) {
      setProblem(errorText(error));
    }
    setBusy(false);
  };
  return (
    <form
      class="start card"
      onSubmit={(event) => {
        event.preventDefault();
        start();
      }}
    >
      <label>
        <span class="small">What is to be done?</span>
        <textarea rows={2} value={text} onInput={(event) => write(event.currentTarget.value)} />
      </label>
      <div class="answer flow">
        {workdirs.length < 2
          ? null
          : (
            <select aria-label="Folder" value={workdir} onChange={(event) => setWorkdir(event.currentTarget.value)}>
              {workdirs.map((path) => <option key={path} value={path}>{shownLine(path)}</option>)}
            </select>
          )}
        <button type="submit" class="main-act" disabled={isBusy || text.trim() === ""}>
          {isBusy ? "Starting…" : "Start in a workspace"}
        </button>
      </div>
      {problem === "" ? null : <p class="problem" role="alert">{shownText(problem)}</p>}
    </form>
  );
}
