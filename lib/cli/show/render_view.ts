import { type Counts, levelOf, type Progress, tasksPassed } from "../../journal/progress.ts";
import type { OutsideMessageProgress } from "../../journal/message_progress.ts";
import { recoveredText } from "../../journal/recovery.ts";
import type { Worker } from "../../journal/workers.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { conditionStyle, paint, paintAfterRole, type Style } from "../console/color.ts";
import { inColumns, padEnd, wrap } from "../console/layout.ts";
import { dialogRequest, tokensOf, workerTokens } from "../../journal/words/lines.ts";
import type { AgentView, QuestionView, RunView } from "../../api/show/run_view.ts";
import { conditionText, messageText, placeText, turnText } from "../../api/show/run_words.ts";
import { ago, forHowLong, localTime, plural } from "../../journal/words/words.ts";

export interface RenderViewOptions {
  readonly now: Date;
  readonly columns?: number;
  readonly color?: boolean;
}

/**
 * How a run is, for a person: lines without their ends, which hold nothing that a terminal would act upon but colours.
 *
 * Commands are never wrapped or cut, so that they can be copied.
 */
export function renderView(view: RunView, options: RenderViewOptions): readonly string[] {
  const { now, columns = Infinity, color = false } = options;
  const { progress, question, commands, problem, agents = [] } = view;
  const rows: Row[] = [];
  if (progress !== null) rows.push(...headRows(view, progress, now));
  rows.push(["folder", view.folder]);
  if (progress !== null) rows.push(...workRows(view, progress));
  for (const [index, text] of alignedAgents(agents, progress?.workers).entries()) {
    rows.push([index === 0 ? "agents" : "", text, agents[index]!.alive ? undefined : "faint"]);
  }
  if (question !== undefined) rows.push(...questionRows(question, view, now));
  const others = progress?.alsoWaiting.length ?? 0;
  if (question !== undefined && others > 0) rows.push(["", `besides: ${plural(others, "question")}`, "caution"]);
  if (problem !== undefined) {
    rows.push(...prose(["problem", problem.message, "bad"]));
    if (problem.hint !== undefined) rows.push(...prose(["", problem.hint]));
  }
  if (commands.resume !== undefined) rows.push(["resume", commands.resume]);
  if (commands.attach !== undefined) rows.push(["watch", commands.attach]);
  if (commands.attachTmux !== undefined) rows.push(["", commands.attachTmux]);
  if (commands.stop !== undefined && !view.executed) rows.push(["stop", commands.stop]);
  const room = Math.max(MIN_PROSE_WIDTH, columns - NAME_WIDTH - 4);
  const wrapped = rows.flatMap(([name, text, style, isProse]): Row[] =>
    isProse === true && columns !== Infinity
      ? wrap(text, room).map((row, index) => [index === 0 ? name : "", row, style])
      : [[name, text, style]]
  );
  return [
    headline(view, color),
    ...wrapped.map(([name, text, style]) =>
      `  ${paint(padEnd(name, NAME_WIDTH), "faint", color)}  ${paintAfterRole(sanitizeLine(text), style, color)}`
        .trimEnd()
    ),
  ];
}

type Row = readonly [name: string, text: string, style?: Style | undefined, isProse?: boolean];

const NAME_WIDTH = 8;
const MIN_PROSE_WIDTH = 30;

function prose([name, text, style]: Row): readonly Row[] {
  return text.trim().split("\n").map((row, index): Row => [index === 0 ? name : "", row.trim(), style, true]);
}

function headline({ run, progress, executed, owner, agentsAlive, state, question }: RunView, color: boolean): string {
  const job = progress === null ? "" : ` (${progress.job})`;
  const how = conditionText({ condition: state, question, answered: question?.answered ?? false });
  const by = executed ? `, executed by ${sanitizeLine(owner ?? "another process")}` : "";
  const left = !executed && agentsAlive ? ", its agents are alive" : "";
  return `run ${sanitizeLine(run)}${job}: ${paint(how, conditionStyle(state), color)}${by}${left}`;
}

function headRows(view: RunView, progress: Progress, now: Date): Row[] {
  const { startedAt, executedSince, lastAt, finished, configFile, about, activity } = progress;
  const isUnderWay = view.executed && finished === undefined;
  const end = finished?.at ?? lastAt;
  const took = isUnderWay
    ? `, ${ago(startedAt, now)}`
    : `, ended ${localTime(end)} (${forHowLong(startedAt, new Date(end))})`;
  const resumed = executedSince === startedAt ? "" : `; resumed ${localTime(executedSince)}`;
  const rows: Row[] = [["job", about], ["began", `${localTime(startedAt)}${took}${resumed}`]];
  if (finished === undefined) {
    rows.push([isUnderWay ? "now" : "stood at", placeText(progress)]);
    if (isUnderWay && activity !== undefined) {
      const turn = turnText(progress, now);
      rows.push(["", `for ${forHowLong(activity.since, now)}${turn === undefined ? "" : `; ${turn}`}`]);
    }
  } else if (view.state !== "waiting") {
    rows.push(...prose(["because", finished.reason, conditionStyle(view.state)]));
  }
  rows.push(["config", configFile ?? "none"]);
  return rows;
}

function workRows({ folder }: RunView, progress: Progress): Row[] {
  const { job, done, counts, usage, pipeline, workers: [agent], warnings, recovered } = progress;
  const soFar = job === "run" ? loopText(counts) : `${plural(tasksPassed(progress), "task")} passed`;
  const rows: Row[] = [
    ["so far", `${soFar}${tokensOf(usage).replace(" · ", ", ")}`],
    ...workerTokens(progress.tokens.byWorker).map((each): Row => ["", each]),
  ];
  const ended = done.findLast(({ unit }) => unit === "round" || unit === "step");
  if (ended !== undefined) {
    const { unit, number, name, outcome, reason } = ended;
    const what = `${unit} ${number}${name === undefined ? "" : `, ${name}`}: ${outcome.toUpperCase()}`;
    rows.push(["", `last: ${what}`], ...(reason === undefined ? [] : prose(["", reason])));
  }
  const { messages } = progress;
  const isOver = ({ status }: OutsideMessageProgress) => status === "answered" || status === "failed";
  const shown = messages.filter((message) => !isOver(message) || message === messages.findLast(isOver));
  shown.forEach((message, index) => rows.push([index === 0 ? "messages" : "", messageText(message)]));
  if (recovered.length > 0) rows.push(...prose(["", `recovered: ${recoveredText(recovered)}`]));
  if (warnings.length > 0) rows.push(...prose(["warned", warnings.at(-1)!.message, "caution"]));
  if (job === "run" || pipeline === undefined) return rows;
  const attempts = plural(levelOf(progress, "attempt")?.number ?? 0, "attempt");
  rows.push(["task", `${levelOf(progress, "task")?.name}, pipeline ${pipeline.name}, ${attempts} of this step`]);
  if (agent?.folder !== undefined) rows.push(["step log", `${folder}/${agent.folder}/log.txt`]);
  return rows;
}

function loopText({ turns, responses, reminders, acceptedDialogs, declinedDialogs }: Counts): string {
  return [
    plural(turns, "turn"),
    plural(responses, "response"),
    plural(reminders, "reminder"),
    `${plural(acceptedDialogs, "dialog")} accepted`,
    ...(declinedDialogs === 0 ? [] : [`${declinedDialogs} declined`]),
  ].join(", ");
}

function questionRows(question: QuestionView, { executed }: RunView, now: Date): Row[] {
  const { id, by, text, askedAt, dialog, answered, answerCommand } = question;
  if (id === undefined && dialog === undefined) {
    return [["draft", `${by}, seen ${ago(askedAt, now)}`], ["", text], ["", "submit or delete it in the agent's pane"]];
  }
  const name = id === undefined ? "" : `${id}: `;
  const asked = `asked ${ago(askedAt, now)}`;
  const rows: Row[] = dialog === undefined
    ? [["question", `${name}step ${by}, ${asked}`, "caution"], ...quoted(text.trim())]
    : [
      ["dialog", `${name}the ${by} ${dialogRequest(dialog)}, ${asked}`, "caution"],
      ...quoted(dialog.subject ?? ""),
      ...prose(["", dialog.reason]),
    ];
  if (answered) rows.push(["", executed ? "answered; the run continues by itself" : "answered"]);
  else rows.push(["answer", answerCommand ?? "in the agent's pane"]);
  return rows;
}

function quoted(text: string): readonly Row[] {
  return text === "" ? [] : text.split("\n").map((row): Row => ["", `| ${row}`]);
}

function alignedAgents(agents: readonly AgentView[], workers: readonly Worker[] = []): readonly string[] {
  // After a resume, an agent is started when its turn comes.
  const isStarting = (role: string) => workers.some(({ name, status }) => name === role && status === "starting");
  const placeAndState = ({ role, protocol, terminalId, pid, alive }: AgentView): readonly [string, string] => {
    const place = terminalId ?? (pid === undefined ? undefined : `process ${pid}`);
    if (place !== undefined) return [place, alive ? "alive" : "gone"];
    if (isStarting(role)) return ["", "starting"];
    return protocol === "process" ? ["no pane", "a process for each message"] : ["", "not started"];
  };
  return inColumns(agents.map((agent) => [
    agent.role,
    agent.provider,
    ...placeAndState(agent),
    agent.sessionId === undefined ? "" : `session ${agent.sessionId}`,
  ]));
}
