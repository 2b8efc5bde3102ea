import type { ExecSummary, ReviewSummary, RunSummary } from "../../jobs/overview/summary.ts";
import { tokensOf } from "./describe_exec_event.ts";
import { padEnd } from "../console/layout.ts";
import { agentText, ago, conditionText, forHowLong, localTime, placeText } from "./run_words.ts";
import type { AgentView, RunView } from "./run_view.ts";
import { sanitizeLine } from "../../text/sanitize.ts";
import { plural } from "./words.ts";

/**
 * How a run is, for a person: lines without their ends, which hold nothing that a terminal would act upon.
 *
 * Commands are never wrapped or cut, so that they can be copied.
 */
export function renderView(view: RunView, now: Date): readonly string[] {
  const { summary, question, commands, problem, agents = [] } = view;
  const rows: Row[] = [];
  if (summary !== null) rows.push(...headRows(view, summary, now));
  rows.push(["folder", view.folder]);
  if (summary?.job === "run") rows.push(["so far", countsText(summary)]);
  if (summary?.job === "exec") rows.push(...execRows(view, summary));
  for (const [index, text] of alignedAgents(agents).entries()) rows.push([index === 0 ? "agents" : "", text]);
  if (question !== undefined) {
    const name = question.id === undefined ? "a dialog" : question.id;
    rows.push(["question", `${name} of ${question.by}, asked ${ago(question.askedAt, now)}`]);
    rows.push(...question.text.trim().split("\n").map((text): Row => ["", `| ${text}`]));
    if (question.answered) rows.push(["", view.executed ? "answered; the run goes on by itself" : "answered"]);
    else rows.push(["answer", question.answerCommand ?? "in the agent's pane"]);
  }
  if (problem !== undefined) {
    rows.push(["problem", problem.message]);
    if (problem.hint !== undefined) rows.push(["", problem.hint]);
  }
  if (commands.resume !== undefined) rows.push(["go on", commands.resume]);
  if (commands.attach !== undefined) rows.push(["watch", commands.attach], ["", commands.attachTmux ?? ""]);
  if (commands.stop !== undefined && !view.executed) rows.push(["end them", commands.stop]);
  return [
    headline(view),
    ...rows.map(([name, text]) => `  ${padEnd(name, NAME_WIDTH)}  ${sanitizeLine(text)}`.trimEnd()),
  ];
}

type Row = readonly [name: string, text: string];

const NAME_WIDTH = 8;

function headline(view: RunView): string {
  const { run, summary, executed, owner, agentsAlive } = view;
  const job = summary === null ? "" : ` (${summary.job})`;
  const state = conditionText({
    condition: view.state,
    question: view.question,
    answered: view.question?.answered ?? false,
  });
  const by = executed ? `, executed by ${sanitizeLine(owner ?? "another process")}` : "";
  const left = !executed && agentsAlive ? ", its agents are alive" : "";
  return `run ${sanitizeLine(run)}${job}: ${state}${by}${left}`;
}

function headRows(view: RunView, summary: RunSummary, now: Date): Row[] {
  const { startedAt, executedSince, lastAt, finished, configFile, about } = summary;
  const isUnderWay = view.executed && finished === undefined;
  const end = finished?.at ?? lastAt;
  const took = isUnderWay
    ? `, ${ago(startedAt, now)}`
    : `, ended ${localTime(end)} (${forHowLong(startedAt, new Date(end))})`;
  const resumed = executedSince === startedAt ? "" : `; gone on with ${localTime(executedSince)}`;
  const rows: Row[] = [["job", about], ["began", `${localTime(startedAt)}${took}${resumed}`]];
  if (finished === undefined) {
    rows.push([isUnderWay ? "now" : "stood at", placeText(summary)]);
    const agent = summary.job === "run" && isUnderWay ? agentText(summary, now) : undefined;
    const since = summary.job === "run" && summary.activity.kind !== "none" ? summary.activity.since : undefined;
    if (isUnderWay && since !== undefined) {
      rows.push(["", `for ${forHowLong(since, now)}${agent === undefined ? "" : `; ${agent}`}`]);
    }
  } else if (view.state !== "waiting") {
    rows.push(["because", finished.reason]);
  }
  rows.push(["config", configFile ?? "none"]);
  return rows;
}

function countsText({ counts }: ReviewSummary): string {
  const { turns, responses, reminders, acceptedDialogs, declinedDialogs } = counts;
  return [
    plural(turns, "turn"),
    plural(responses, "response"),
    plural(reminders, "reminder"),
    `${plural(acceptedDialogs, "dialog")} accepted`,
    ...(declinedDialogs === 0 ? [] : [`${declinedDialogs} declined`]),
  ].join(", ");
}

function execRows(view: RunView, { task, tasksPassed, usage }: ExecSummary): Row[] {
  const tokens = tokensOf(usage).replace(/^ · /, "");
  const rows: Row[] = [[
    "so far",
    [`${plural(tasksPassed, "task")} passed`, ...(tokens === "" ? [] : [tokens])].join(", "),
  ]];
  if (task === undefined) return rows;
  rows.push(["task", `${task.file}, pipeline ${task.pipeline}, ${plural(task.attempts, "attempt")} of this step`]);
  if (task.attemptFolder !== undefined) rows.push(["step log", `${view.folder}/${task.attemptFolder}/log.txt`]);
  return rows;
}

function alignedAgents(agents: readonly AgentView[]): readonly string[] {
  const cells = agents.map(({ role, provider, terminalId, sessionId, alive }) => [
    role,
    provider,
    terminalId ?? "",
    terminalId === undefined ? "starting" : alive ? "alive" : "gone",
    sessionId === undefined ? "" : `session ${sessionId}`,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells.map((row) => row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join("  ").trimEnd());
}
