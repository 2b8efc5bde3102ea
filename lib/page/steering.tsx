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
  if (asked === "stop" && !header.executed || asked === "resume" && header.executed) setAsked("");
  if (!header.executed && !canResume) return null;
  return (
    <div class="steering">
      {header.executed
        ? (
          <Confirmed
            label={asked === "stop" ? "Stopping…" : "Stop"}
            disabled={asked !== ""}
            question="Stop this run?"
            text="Its agents are ended. What was done stays, and the run can be resumed."
            yes="Stop the run"
            onYes={() => act("stop", onStop)}
          />
        )
        : (
          <Confirmed
            label={asked === "resume" ? "Resuming…" : "Resume"}
            disabled={asked !== ""}
            question="Resume this run?"
            text="A process of its own continues it where it was, on the machine of the server."
            yes="Resume the run"
            onYes={() => act("resume", onResume)}
          />
        )}
      {problem === "" ? null : <p class="problem" role="alert">{shownText(problem)}</p>}
    </div>
  );
}

function Confirmed({ label, disabled, question, text, yes, onYes }: {
  readonly label: string;
  readonly disabled: boolean;
  readonly question: string;
  readonly text: string;
  readonly yes: string;
  readonly onYes: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const close = () => dialog.current!.close();
  return (
    <>
      <button type="button" disabled={disabled} onClick={() => dialog.current!.showModal()}>{label}</button>
      <dialog ref={dialog} aria-labelledby="confirm-question">
        <h2 id="confirm-question">{question}</h2>
        <p>{text}</p>
        <div class="answer">
          <button
            type="button"
            class="main-act"
            onClick={() => {
              close();
              onYes();
            }}
          >
            {yes}
          </button>
          <button type="button" onClick={close} autofocus>Cancel</button>
        </div>
      </dialog>
    </>
  );
}
