import { useEffect, useRef, useState } from "preact/hooks";
import type { Card } from "../api/card/card.ts";
import type { Client } from "./client.ts";
import { Confirmed } from "./confirmed.tsx";
import { diffBlocks } from "./diff_lines.ts";
import { errorText, shownLine, shownText } from "./show.ts";

interface Place {
  readonly client: Client;
  /** Of the run: `/v1/runs/ID`. */
  readonly path: string;
}

const MOST_FILES = 20;

/** What came of a run in its workspace, and what a person can do with it. */
export function Work({ client, path, stamp }: Place & {
  /** Changes whenever the run has ended anew. */
  readonly stamp: string;
}) {
  const [card, setCard] = useState<Card>();
  const [done, setDone] = useState<preact.ComponentChildren>();
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    let isHere = true;
    client.get<Card>(`${path}/card`).then(
      (read) => isHere && setCard(read),
      (error: unknown) => isHere && setProblem(errorText(error)),
    );
    return () => isHere = false;
  }, [client, path, stamp]);
  if (card === undefined) {
    return problem === ""
      ? null
      : <p class="problem" role="alert">{`What came of it is not known: ${shownText(problem)}`}</p>;
  }
  const verbs = new Set(card.next.map(({ verb }) => verb));
  const { changes } = card;
  if (!verbs.has("discard")) return <InCheckout client={client} path={path} changes={changes} />;
  const act = async (does: () => Promise<preact.ComponentChildren>) => {
    setBusy(true);
    setProblem("");
    try {
      setDone(await does());
      return true;
    } catch (error) {
      setProblem(errorText(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  const apply = () =>
    act(async () => {
      const { files } = await client.post(`${path}/apply`, {}) as { readonly files: readonly string[] };
      return files.length === 0 ? "All of it is in the checkout." : `In the checkout: ${shownLine(files.join(", "))}`;
    });
  const discard = () =>
    act(async () => {
      const { ref } = await client.post(`${path}/discard`, {}) as { readonly ref: string };
      return `The workspace is gone. ${shownLine(ref)} keeps what was done in it.`;
    });
  const reply = (text: string, key: string) =>
    act(async () => {
      const { run } = await client.post(`${path}/reply`, { text }, { key }) as { readonly run: string };
      return <a href={`/runs/${encodeURIComponent(run)}`}>The next round has begun</a>;
    });
  return (
    <section class="work card" aria-labelledby="work">
      <h2 id="work">What was changed</h2>
      <Files changes={changes} />
      {done === undefined ? null : <p class="good" role="status">{done}</p>}
      {problem === "" ? null : <p class="problem" role="alert">{shownText(problem)}</p>}
      <div class="answer flow">
        {verbs.has("apply")
          ? <button type="button" class="main-act" disabled={isBusy} onClick={apply}>Apply to the checkout</button>
          : null}
        <Confirmed
          verb="Discard"
          disabled={isBusy}
          question="Remove the workspace?"
          text="What was done in it stays on a ref of the repository."
          yes="Remove it"
          onYes={discard}
        />
      </div>
      {verbs.has("reply") ? <Reply client={client} path={path} isBusy={isBusy} onReply={reply} /> : null}
    </section>
  );
}

/** What was changed in the checkout itself: there is nothing to apply. */
function InCheckout({ changes, ...place }: Place & { readonly changes: Card["changes"] }) {
  return changes?.added === undefined ? null : (
    <section class="work card" aria-labelledby="work">
      <h2 id="work">What was changed</h2>
      <Files changes={changes} />
      <Patch {...place} />
    </section>
  );
}

function Files({ changes }: { readonly changes: Card["changes"] }) {
  const { files = [] } = changes ?? {};
  if (files.length === 0) return <p class="quiet">No file.</p>;
  return (
    <ul class="files">
      {files.slice(0, MOST_FILES).map(({ added, path, removed }) => (
        <li key={path}>
          <code>{shownLine(path)}</code>
          {added === undefined || removed === undefined
            ? null
            : <span class="quiet digits">{` +${added} −${removed}`}</span>}
        </li>
      ))}
      {files.length > MOST_FILES ? <li class="quiet">{`and ${files.length - MOST_FILES} more`}</li> : null}
    </ul>
  );
}

/** A comment on the work, also on lines of it, which begins another round. */
function Reply({ client, isBusy, onReply, path }: Place & {
  readonly isBusy: boolean;
  /** Whether it was taken. */
  readonly onReply: (text: string, key: string) => Promise<boolean>;
}) {
  const draftKey = `reply ${path}`;
  const [text, setText] = useState(() => sessionStorage.getItem(draftKey) ?? "");
  // The same words are the same request, whatever was lost on the way.
  const [key, setKey] = useState(() => crypto.randomUUID());
  const box = useRef<HTMLTextAreaElement>(null);
  const write = (next: string) => {
    setText(next);
    setKey(crypto.randomUUID());
    sessionStorage.setItem(draftKey, next);
  };
  const quote = (line: string) => {
    write(`${text === "" || text.endsWith("\n") ? text : `${text}\n`}${line}\n`);
    box.current?.focus();
  };
  return (
    <form
      class="reply"
      onSubmit={(event) => {
        event.preventDefault();
        // What was not taken is not lost.
        onReply(text, key).then((isTaken) => isTaken && write(""));
      }}
    >
      <Patch client={client} path={path} onLine={quote} />
      <label>
        <span class="small">Your comment, for another round</span>
        <textarea ref={box} rows={3} value={text} onInput={(event) => write(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={isBusy || text.trim() === ""}>Reply</button>
    </form>
  );
}

function Patch({ client, onLine, path }: Place & Commenting) {
  const [patch, setPatch] = useState<string>();
  const [problem, setProblem] = useState("");
  const load = () => {
    if (patch !== undefined) return;
    client.get<{ readonly patch: string }>(`${path}/work`).then(
      (read) => setPatch(read.patch),
      (error: unknown) => setProblem(errorText(error)),
    );
  };
  return (
    <details class="detail diff" onToggle={(event) => event.currentTarget.open && load()}>
      <summary>The changes, line by line</summary>
      {problem === "" ? null : <p class="problem">{shownText(problem)}</p>}
      {patch === undefined ? <p class="quiet">Loading…</p> : <Lines patch={patch} {...(onLine && { onLine })} />}
    </details>
  );
}

interface Commenting {
  /** @default nothing can be said of a line */
  readonly onLine?: (line: string) => void;
}

/** A line is quoted with its file and number, which is what an agent needs of it. */
function Lines({ onLine, patch }: Commenting & { readonly patch: string }) {
  return (
    <div class="source patch" role="group" aria-label="The changes">
      {linesOf(patch).map(({ at, kind, text }, index) =>
        at === undefined || onLine === undefined
          ? <span key={index} class={TONES[kind] ?? kind}>{`${shownLine(text)}\n`}</span>
          : (
            <button
              key={index}
              type="button"
              class={`line ${TONES[kind] ?? kind}`}
              title={`Comment on ${at}`}
              onClick={() => onLine(`> ${at}: ${text.slice(1).trim()}`)}
            >
              {`${shownLine(text)}\n`}
            </button>
          )
      )}
    </div>
  );
}

const TONES: Readonly<Record<string, string>> = { added: "good", removed: "bad" };

interface PatchLine {
  readonly kind: string;
  readonly text: string;
  /** `src/price.js:12`; missing for what is no line of the result. */
  readonly at?: string;
}

/** The lines of a patch, with where each one is in the result. */
export function linesOf(patch: string): readonly PatchLine[] {
  const lines: PatchLine[] = [];
  let path = "";
  let at = 0;
  for (const { kind, lines: block } of diffBlocks(patch)) {
    for (const text of block) {
      const file = kind === "file" ? /^\+\+\+ b\/(.*?)\t?$/.exec(text)?.[1] : undefined;
      const first = kind === "place" ? /^@@ .*\+(\d+)/.exec(text)?.[1] : undefined;
      if (file !== undefined) path = file;
      if (first !== undefined) at = Number(first);
      const isLine = kind === "added" || kind === "same" && !text.startsWith("\\");
      lines.push({ kind, text, ...(isLine ? { at: `${path}:${at++}` } : {}) });
    }
  }
  return lines;
}
