import { useState } from "preact/hooks";
import type { ReportHeader } from "../api/report/model.ts";
import { Confirmed } from "./confirmed.tsx";
import { errorText, shownText } from "./show.ts";

const STOP = {
  verb: "Stop",
  doing: "Stopping…",
  text: "Its agents are ended. What was done stays, and the run can be resumed.",
} as const;

const RESUME = {
  verb: "Resume",
  doing: "Resuming…",
  text: "A process of its own continues it where it was, on the machine of the server.",
} as const;

export function Steering({ header, onStop, onResume }: {
  readonly header: ReportHeader;
  readonly onStop: () => Promise<unknown>;
  readonly onResume: () => Promise<unknown>;
}) {
  const [asked, setAsked] = useState("");
  const [problem, setProblem] = useState("");
  const { verb, text, doing, does } = header.executed ? { ...STOP, does: onStop } : { ...RESUME, does: onResume };
  const act = async (what: string, does: () => Promise<unknown>) => {
    setProblem("");
    setAsked(what);
    try {
      await does();
    } catch (error) {
      setAsked("");
      setProblem(errorText(error));
    }
  };
  // What was asked for has come about, or was overtaken.
  if (asked !== "" && asked !== doing) setAsked("");
  if (!header.executed && header.resumeCommand === undefined) return null;
  return (
    <div class="steering">
      <Confirmed
        verb={verb}
        busy={asked}
        question={`${verb} this run?`}
        text={text}
        yes={`${verb} the run`}
        onYes={() => act(doing, does)}
      />
      {problem === "" ? null : <p class="problem" role="alert">{shownText(problem)}</p>}
    </div>
  );
}
