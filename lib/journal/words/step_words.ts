import { cut } from "../../base/text/display_width.ts";
import type { AgentFact } from "../../base/activity.ts";
import type { AnsweredBy, AttemptReason } from "../exec/attempt_facts.ts";
import type { ExecEvent } from "../exec/facts.ts";
import { titleOf } from "../exec/task_title.ts";
import type { ReviewFact } from "../loop/facts.ts";
import { detail, line, note, outputOf, type RecordWords, shortened, type ShownLine, text } from "./shown_line.ts";
import { tokensOf, toldCostText } from "./usage_text.ts";
import { byteSize, duration, plural } from "./words.ts";

/** A record that only a pipeline has. */
type StepOnly = Exclude<ExecEvent, { readonly type: ReviewFact["type"] }>;

/** The words for the records of a pipeline's tasks and steps. */
export const STEP_WORDS: RecordWords<StepOnly> = {
  task_started: ({ task, of, file, isText, text: said, pipeline, steps }) =>
    line(
      `task ${taskCount(task, of)}: ${isText === true ? titleOf(said) : file}, pipeline ${pipeline} (${
        steps.join(", ")
      })`,
      "heading",
    ),
  task_skipped: ({ task, of, file, run }) =>
    line(
      `task ${taskCount(task, of)}: ${file}: skipped, since run ${run} passed it, and nothing of it has changed; ` +
        "--force does it again",
    ),
  step_started: ({ step, round, name, provider, model, autonomyLevel, sandbox, permissions }) =>
    line(
      `step ${step} "${name}"${roundText(round)}: ${provider}${
        model === undefined ? "" : ` ${model}`
      }, autonomy level ${autonomyLevel}` +
        (sandbox === undefined || permissions === undefined ? "" : `; ${permissionText({ sandbox, permissions })}`),
      "heading",
    ),
  attempt_started: ({ attempt, reason, promptBytes, native }) =>
    line(
      `attempt ${attempt}${REASONS[reason]}: prompt of ${byteSize(promptBytes)} sent` +
        (native ? " to its session" : ""),
      "plain",
      reason === "first" ? "detail" : "normal",
    ),
  agent_permitted: ({ mode }) => line(mode),
  call_decided: ({ decision, kind, subject, rule, reason }) => {
    const told = `${DECIDED[decision]} by ${rule}: ${kind} ${shortened(subject)}`;
    return decision === "allow" ? line(told, "plain", "log") : line(`${told}. ${reason}`, "caution");
  },
  session_found: ({ sessionId }) => detail(`session ${sessionId}`),
  agent_activity: ({ fact }) => activityLines(fact),
  attempt_finished: ({ outcome, seconds, error, usage, cost }) => {
    const used = `${tokensOf(usage)}${toldCostText(cost)}`;
    return outcome === "completed"
      ? line(`the agent's turn ended after ${duration(seconds)}${used}`)
      : line(`the agent's turn failed after ${duration(seconds)}${note(error)}${used}`, "bad");
  },
  question_asked: ({ question, stepName, text: asked }) =>
    text(`question ${question} of step "${stepName}": ${asked.trim()}`, "caution"),
  question_answered: ({ question, by, who, answer }) =>
    text(`answer to ${question}, ${GIVEN[by]}${who === undefined ? "" : ` (${who})`}: ${answer.trim()}`),
  question_waiting: ({ text: asked, answerCommand, resumeCommand }) => [
    text(asked.trim(), "caution", "result"),
    line(`Answer with:  ${answerCommand}`, "plain", "result"),
    line(`Then resume:  ${resumeCommand}`, "plain", "result"),
  ],
  usage_limit_reached: ({ message, resetsAt }) => {
    const until = resetsAt === undefined ? "" : `; it is reset at ${resetsAt}`;
    return line(`the account's usage limit is reached, waiting: ${message}${until}`, "caution");
  },
  usage_limit_waited: () => line("the usage limit should be reset: trying again"),
  files_look_started: ({ moment }) => detail(`looking at the files of the working directory, ${moment} the step`),
  writes_checked: ({ outside, more = 0, untold, enforced, note: why }) => {
    if (untold === undefined && outside.length === 0) return detail("nothing was written outside of allow_write");
    const others = more === 0 ? "" : ` and ${more} more`;
    const found = untold === undefined
      ? `${plural(outside.length + more, "file")} changed outside of allow_write: ${outside.join(", ")}${others}`
      : `cannot tell which files were changed: ${untold}`;
    return line(`${enforced ? "" : "warning: "}${found}${note(why)}`, enforced ? "bad" : "caution");
  },
  check_started: ({ description }) => detail(`check: ${description}`),
  check_finished: ({ check, description, detail: found, passed, seconds, output }) => {
    const what = description === undefined || description === found ? "" : `, ${shortened(description)}`;
    const told = `check ${check}${what}: ${found} (${duration(seconds)})`;
    return passed ? [line(told, "good"), ...outputOf(output.trim())] : [line(told, "bad"), ...endOf(output.trim())];
  },
  step_finished: ({ step, name, outcome, attempts, reason, next }) =>
    line(
      `step ${step} "${name}": ${outcome.toUpperCase()} after ${plural(attempts, "attempt")}${note(reason)}` +
        (next === undefined ? "" : `; next: ${nextText(next)}`),
      outcome === "pass" ? "good" : next === undefined ? "bad" : "caution",
    ),
  task_finished: ({ task, outcome }) =>
    outcome === "pass" ? line(`task ${task}: PASS`, "good") : line(`task ${task}: FAIL`, "bad", "detail"),
};

function nextText({ step, name, round }: NonNullable<Extract<ExecEvent, { type: "step_finished" }>["next"]>): string {
  return name === undefined ? "the task is done" : `step ${step} "${name}"${roundText(round)}`;
}

/** The first round goes without saying. */
function roundText(round = 1): string {
  return round === 1 ? "" : `, round ${round}`;
}

/** What an agent may do, as far as the configuration says it. */
export function permissionText({ sandbox, permissions }: StepPermissions): string {
  return `sandbox: ${SANDBOXES[sandbox]}; permissions: ${PERMITTED_BY[permissions]}`;
}

type StepPermissions = Required<Pick<Extract<ExecEvent, { type: "step_started" }>, "sandbox" | "permissions">>;

const SANDBOXES: Readonly<Record<StepPermissions["sandbox"], string>> = {
  cli: "its CLI's, on",
  off: "as its CLI's settings say",
};

const PERMITTED_BY: Readonly<Record<StepPermissions["permissions"], string>> = {
  policy: "by the policy",
  person: "by a person (permissions.auto_accept is off)",
  dry_run: "by a person (permissions.dry_run is on)",
};

const DECIDED: Readonly<Record<Extract<ExecEvent, { type: "call_decided" }>["decision"], string>> = {
  allow: "permitted",
  ask: "put to a person",
  deny: "refused",
};

const REASONS: Readonly<Record<AttemptReason, string>> = {
  first: "",
  retry: ", since the one before failed",
  answered: ", with the answer",
  interrupted: ", since the one before was interrupted",
  limit_reset: ", since the usage limit is reset",
};

const GIVEN: Readonly<Record<AnsweredBy, string>> = {
  terminal: "given here",
  command: "given by panewright answer",
  http: "given over HTTP",
  mcp: "given by a model over MCP",
  notification: "given by the button of a notification",
  timeout: "since nobody answered in time",
  level: "since level 0 does not ask",
  cap: "since the step has asked its share",
};

function activityLines(fact: AgentFact): readonly ShownLine[] {
  switch (fact.type) {
    case "said":
      return [line(`said: ${shortened(fact.text)}`)];
    case "ran":
      return [line(`$ ${shortened(fact.command)}`, "plain", "log")];
    case "saw": {
      const isBad = fact.exitCode !== undefined && fact.exitCode !== 0;
      return isBad ? [line(`exit code ${fact.exitCode}: ${shortened(fact.command)}`, "plain", "log")] : [];
    }
    case "permitted":
      return [line(fact.mode)];
    case "trouble":
      return [line(shortened(fact.text), "caution")];
    case "session":
    case "reasoned":
    case "usage":
      return [];
  }
}

/** `2 of 6`, but for a task that is tried anew after all others. */
function taskCount(task: number, of = 0): string {
  return task > of ? String(task) : `${task} of ${of}`;
}

/** What a check wrote that failed: its end for everybody, what came before with `--verbose`. */
function endOf(output: string): readonly ShownLine[] {
  const lines = output.split("\n");
  const end = lines.slice(-END_LINES).map((row) => cut(row, END_WIDTH)).join("\n");
  return [...outputOf(lines.slice(0, -END_LINES).join("\n")), ...(end === "" ? [] : [text(end)])];
}

/** Lines of a failed check's output that everybody is shown, and columns of each. */
const END_LINES = 20;
const END_WIDTH = 500;
