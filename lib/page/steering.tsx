import { useRef, useState } from "preact/hooks";
import type { ReportHeader } from "../api/report/model.ts";
import { shownText } from "./show.ts";

export function Steering({ header, onStop, onResume }: {
  readonly header: ReportHeader;
  readonly onStop: () => Promise<unknown>;
  readonly onResume: () => Promise<unknown>;
}) {
  const [asked, setAsked] = useState("");
  const [problem, setProblem] = useState("");
  const canResume = !header.executed && header.resumeCommand !== undefined;
  const act = async (what: string, does: () => Promise<unknown>) => {
    setProblem("");
    setAsked(what);
    try {
      await does();
    } catch (error) {
      setAsked("");
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  // What was asked for has come about, or was overtaken.
  if (asked === "Stopping…" && !header.executed || asked === "Resuming…" && header.executed) setAsked("");
  if (!header.executed && !canResume) return null;
  return (
    <div class="steering">
      {header.executed
        ? (
          <Confirmed
            verb="Stop"
            asked={asked}
            text="Its agents are ended. What was done stays, and the run can be resumed."
            onYes={() => act("Stopping…", onStop)}
          />
        )
        : (
          <Confirmed
            verb="Resume"
            asked={asked}
            text="A process of its own continues it where it was, on the machine of the server."
            onYes={() => act("Resuming…", onResume)}
          />
        )}
      {problem === "" ? null : <p class="problem" role="alert">{shownText(problem)}</p>}
    </div>
  );
}

function Confirmed({ verb, asked, text, onYes }: {
  readonly verb: "Stop" | "Resume";
  readonly asked: string;
  readonly text: string;
  readonly onYes: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current!.close();
  return (
    <>
      <button type="button" disabled={asked !== ""} onClick={() => dialog.current!.showModal()}>{asked || verb}</button>
      <dialog ref={dialog} aria-labelledby="confirm-question">
        <h2 id="confirm-question">{`${verb} this run?`}</h2>
        <p>{text}</p>
        <div class="answer flow">
          <button
            type="button"
            class="main-act"
            onClick={() => {
              close();
              onYes();
            }}
          >
            {`${verb} the run`}
          </button>
          <button type="button" onClick={close} autofocus>Cancel</button>
        </div>
      </dialog>
    </>
  );
}
