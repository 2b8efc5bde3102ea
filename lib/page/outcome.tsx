import { duration } from "../journal/words/words.ts";
import type { Condition } from "../run/condition.ts";
import type { ReportHeader } from "../api/report/model.ts";
import { dayOf, numberText, secondsBetween, shownLine, shownText, timeOfDay } from "./show.ts";

export const CONDITIONS: Readonly<Record<Condition, { readonly words: string; readonly tone: string }>> = {
  running: { words: "Running", tone: "active" },
  waiting: { words: "Waiting for an answer", tone: "caution" },
  passed: { words: "Passed", tone: "good" },
  failed: { words: "Failed", tone: "bad" },
  stopped: { words: "Stopped", tone: "caution" },
  killed: { words: "Killed", tone: "bad" },
  needs_person: { words: "Needs a person", tone: "caution" },
  error: { words: "Error", tone: "bad" },
  empty: { words: "Nothing recorded", tone: "plain" },
  unreadable: { words: "Unreadable", tone: "bad" },
};

export function Outcome({ header, now }: {
  readonly header: ReportHeader;
  readonly now?: number;
}) {
  const { remarks = [] } = header;
  const known = CONDITIONS[header.condition] ?? { words: header.condition, tone: "plain" };
  const { words, tone } = header.condition === "passed" && remarks.length > 0
    ? { words: "Passed, with remarks", tone: "caution" }
    : known;
  const end = header.endedAt ?? header.lastAt;
  const tokens = header.tokens.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
  return (
    <section class={`outcome card ${tone}`} aria-labelledby="outcome">
      <h2 id="outcome" class="flow">
        <span class="badge">{words}</span>
        {header.placeText === "" ? null : <span class="place">{shownLine(header.placeText)}</span>}
      </h2>
      {header.why === "" ? null : <p class="why words">{shownText(header.why)}</p>}
      {remarks.length === 0 ? null : (
        <ul class="remarks words">
          {remarks.map((remark, index) => <li key={index}>{shownText(remark)}</li>)}
        </ul>
      )}
      {header.problem === undefined ? null : <p class="problem">{shownText(header.problem)}</p>}
      {header.resumeCommand === undefined ? null : (
        <p class="resume">
          Resume with <code>{shownLine(header.resumeCommand)}</code>
        </p>
      )}
      <dl class="facts flow">
        <Fact name="Began">
          <time dateTime={header.startedAt} title={header.startedAt}>
            {dayOf(header.startedAt)}, {timeOfDay(header.startedAt)}
          </time>
        </Fact>
        <Fact name={header.endedAt === undefined ? "Last record" : "Ended"}>
          <time dateTime={end} title={end}>
            {dayOf(end) === dayOf(header.startedAt) ? "" : `${dayOf(end)}, `}
            {timeOfDay(end)}
          </time>
        </Fact>
        <Fact name={now === undefined ? "Took" : "For"}>{duration(secondsBetween(header.startedAt, now ?? end))}</Fact>
        <Fact name="Turns">{numberText(header.counts.turns)}</Fact>
        {tokens === 0 ? null : <Fact name="Tokens">{numberText(tokens)}</Fact>}
        {header.cost === undefined ? null : <Fact name="Cost">{header.cost.total.toFixed(2)}</Fact>}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt class="small">{name}</dt>
      <dd class="digits">{children}</dd>
    </div>
  );
}
