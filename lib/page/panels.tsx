import type { GivenAnswer } from "../journal/progress.ts";
import type { ReportAudit, ReportHeader, ReportTokens } from "../api/report/model.ts";
import { dayOf, numberText, shownLine, shownText, timeOfDay } from "./show.ts";

export function Panels({ header }: { readonly header: ReportHeader }) {
  return (
    <aside class="panels" aria-label="The run as a whole">
      <Task header={header} />
      <Decisions answers={header.answers} />
      <Tokens tokens={header.tokens} header={header} />
      <Done header={header} />
      {header.audit === undefined ? null : <Audit audit={header.audit} />}
      <Cautions title="Warnings" rows={header.warnings.map(warningRow)} />
      <Cautions title="Missing records" rows={header.gaps.map(gapRow)} />
      <Facts header={header} />
    </aside>
  );
}

function Panel({ title, children }: { readonly title: string; readonly children: preact.ComponentChildren }) {
  const id = `panel-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return (
    <section class="panel card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

function Task({ header: { task } }: { readonly header: ReportHeader }) {
  return task === "" ? null : (
    <Panel title="Task">
      <p class="words task" tabIndex={0} role="group" aria-label="What the agents are to do">{shownText(task)}</p>
    </Panel>
  );
}

const ANSWERED_BY: Readonly<Record<string, string>> = {
  terminal: "in the terminal",
  command: "by panewright answer",
  timeout: "by nobody in time: the default",
  level: "by nobody: the agent was told to decide",
  cap: "by nobody: it had asked its share",
  assume: "by nobody: its best guess, to be confirmed",
  person: "by a person in the pane",
  http: "in the browser or over HTTP",
  mcp: "by a model over MCP",
  notification: "by a notification's button",
};

function Decisions({ answers }: { readonly answers: readonly GivenAnswer[] }) {
  return (
    <Panel title="Decided by people">
      {answers.length === 0 ? <p class="quiet">Nobody was asked.</p> : (
        <ul>
          {answers.map(({ worker, asked, answer, by, who, at }, index) => (
            <li key={index} class={by === "mcp" ? "model" : ""}>
              <p class="words asked">{shownText(asked)}</p>
              <p class="words answer">→ {shownText(answer)}</p>
              <p class="quiet">
                {shownLine(worker)}, {ANSWERED_BY[by] ?? shownLine(by)}
                {who === undefined ? "" : ` (${shownLine(who)})`}, <time dateTime={at}>{timeOfDay(at)}</time>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Tokens({ tokens, header }: { readonly tokens: readonly ReportTokens[]; readonly header: ReportHeader }) {
  if (tokens.length === 0) return null;
  const most = Math.max(...tokens.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens), 1);
  return (
    <Panel title="Tokens">
      <div class="scroll" tabIndex={0} role="group" aria-label="Tokens by role and model">
        <table>
          <thead>
            <tr>
              <th scope="col">Role or step</th>
              {["In", "Cached", "Out"].map((name) => <th key={name} scope="col" class="number">{name}</th>)}
            </tr>
          </thead>
          <tbody>
            {tokens.map((one) => {
              const share = (part: number) => `${100 * part / most}`;
              const { worker, model, inputTokens, cachedInputTokens, outputTokens, cost } = one;
              const fresh = inputTokens - Math.min(inputTokens, cachedInputTokens);
              return (
                <tr key={`${worker} ${model}`}>
                  <th scope="row">
                    {shownLine(worker)}
                    <span class="small model">
                      {shownLine(model)}
                      {cost === undefined ? "" : ` · ${cost.toFixed(2)}`}
                    </span>
                    <svg class="share" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                      <rect class="fresh" x="0" y="0" height="4" width={share(fresh)} />
                      <rect class="cached" x={share(fresh)} y="0" height="4" width={share(inputTokens - fresh)} />
                      <rect class="out" x={share(inputTokens)} y="0" height="4" width={share(outputTokens)} />
                    </svg>
                  </th>
                  {[inputTokens, cachedInputTokens, outputTokens].map((count, column) => (
                    <td key={column} class="number">{numberText(count)}</td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {header.cost === undefined ? null : (
        <p class="quiet">
          {header.cost.total.toFixed(2)} in all, by prices of {shownLine(header.cost.pricesOf)}
        </p>
      )}
    </Panel>
  );
}

function Done({ header: { done } }: { readonly header: ReportHeader }) {
  return done.length === 0 ? null : (
    <Panel title="Finished">
      <ol>
        {done.map(({ unit, number, name, outcome, reason }, index) => (
          <li key={index} class={outcome === "pass" ? "good" : "bad"}>
            <span class="mark" aria-hidden="true">{outcome === "pass" ? "✓" : "✗"}</span>
            {`${unit} ${number}${name === undefined ? "" : ` ${shownLine(name)}`}: ${outcome}`}
            {reason === undefined ? null : <span class="quiet">{` ${shownLine(reason)}`}</span>}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const VERDICTS = {
  intact: { words: "Intact", tone: "good", mark: "✓" },
  broken: { words: "Broken", tone: "bad", mark: "✗" },
  unknown: { words: "Unknown", tone: "caution", mark: "!" },
  none: { words: "No log", tone: "plain", mark: "" },
} as const;

function Audit({ audit: { verdict, text, records, head } }: { readonly audit: ReportAudit }) {
  const { words, tone, mark } = VERDICTS[verdict];
  return (
    <Panel title="Audit log">
      <p class={tone}>
        <span class="mark" aria-hidden="true">{mark}</span>
        <strong>{words}</strong>: {shownText(text)}
      </p>
      {head === undefined ? null : (
        <p class="quiet">
          {records === 1 ? "1 record" : `${numberText(records)} records`}, head{" "}
          <code title={head}>{head.slice(0, 16)}…</code>
        </p>
      )}
    </Panel>
  );
}

function Cautions({ title, rows }: { readonly title: string; readonly rows: readonly preact.ComponentChildren[] }) {
  return rows.length === 0 ? null : (
    <Panel title={title}>
      <ul>
        {rows.map((row, index) => <li key={index} class="caution">{row}</li>)}
      </ul>
    </Panel>
  );
}

function warningRow({ at, message }: ReportHeader["warnings"][number]) {
  return [<time key="at" class="quiet" dateTime={at}>{timeOfDay(at)}</time>, " ", shownText(message)];
}

function gapRow({ from, to, reason }: ReportHeader["gaps"][number]) {
  return `${from === to ? `Line ${from}` : `Lines ${from} to ${to}`}: ${shownText(reason)}`;
}

function Facts({ header }: { readonly header: ReportHeader }) {
  const { reminders, responses, acceptedDialogs, declinedDialogs } = header.counts;
  const facts = [
    ["Run", <code key="run">{shownLine(header.runId)}</code>],
    ["Folder", <code key="folder">{shownLine(header.workdir)}</code>],
    ["Day", dayOf(header.startedAt)],
    ["Responses", numberText(responses)],
    ["Reminders", numberText(reminders)],
    ["Dialogs", `${numberText(acceptedDialogs)} accepted, ${numberText(declinedDialogs)} declined by the policy`],
    ["Recovered", header.recovered && shownLine(header.recovered)],
    ["panewright", header.panewright && shownLine(header.panewright)],
  ];
  return (
    <Panel title="About">
      <dl class="pairs">
        {facts.map(([name, value]) =>
          value === undefined ? null : [<dt key="name">{name}</dt>, <dd key="value">{value}</dd>]
        )}
      </dl>
    </Panel>
  );
}
