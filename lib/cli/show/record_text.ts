import type { AnsweredBy, AttemptReason, ExecEvent } from "../../jobs/pipeline/facts.ts";
import type { ReviewFact, RulesUsed } from "../../jobs/review_loop/facts.ts";
import type { HeadlessFact } from "../../providers/headless.ts";
import type { RunEnd } from "../../run/progress.ts";
import { sanitizeLine, sanitizeText } from "../../text/sanitize.ts";
import { cut } from "../console/layout.ts";
import { answerForm, dialogRequest } from "./dialog_text.ts";
import { costText, tokensOf, workerTokens } from "./usage_text.ts";
import { byteSize, duration, plural, workerStatusText } from "./words.ts";

/** What happens in a run of either job: the records of its journal, and what agents do meanwhile. */
export type ShownRecord = ReviewFact | ExecEvent;

/** How a line is meant, which decides its colour. */
export type Tone = "plain" | "good" | "bad" | "caution";

/**
 * Who is shown a line.
 *
 * - `result`: it belongs to standard output; `always`: also with `--quiet`
 * - `normal`: without flags; `detail`: with `--verbose` only
 * - `log`: like `detail`, and without flags where no live line shows it
 */
export type Importance = "result" | "always" | "normal" | "log" | "detail";

/** One fact for a person. Its text holds nothing that a terminal would act upon; it may be several lines. */
export interface ShownLine {
  readonly text: string;
  readonly tone: Tone;
  readonly importance: Importance;
}

/**
 * What a person is told of a record: the one place that puts records into words.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const record = { type: "round_started", round: 2, maxRounds: 8 } as const;
 * assertEquals(describeRecord(record), [{ text: "round 2 of 8", tone: "plain", importance: "normal" }]);
 * ```
 */
export function describeRecord(record: ShownRecord): readonly ShownLine[] {
  // The table's type holds each entry to its record; what TypeScript cannot see is that record and entry are a pair.
  const describe = WORDS[record.type] as (record: ShownRecord) => ShownLine | readonly ShownLine[];
  return [describe(record)].flat();
}

type RecordOf<Type extends ShownRecord["type"]> = Extract<ShownRecord, { readonly type: Type }>;

const WORDS: {
  readonly [Type in ShownRecord["type"]]: (record: RecordOf<Type>) => ShownLine | readonly ShownLine[];
} = {
  // Both jobs
  run_started: (record) => [
    line(
      `run ${record.runId}${record.job === "run" ? `, starting with ${record.startAgent}` : ""}; ` +
        `its records are in ${record.folder}`,
    ),
    ...("rules" in record ? rulesLines(record) : []),
  ],
  run_resumed: (record) => [
    line(`run ${record.runId} resumed; its records are in ${record.folder}`),
    ...(record.carriedFrom === undefined
      ? []
      : [line(`it was carried here from ${record.carriedFrom}: agents begin new sessions`)]),
    ...("rules" in record ? rulesLines(record) : []),
  ],
  warning: (record) => {
    const who = "role" in record && record.role !== undefined ? `${record.role}: ` : "";
    return text(`warning: ${who}${record.message}`, "caution", "always");
  },
  run_finished: (record) => {
    const { outcome, reason, seconds, resumeCommand } = record;
    const isLoop = "rounds" in record;
    // What broke a review loop off is an error, and is told as one.
    const because = !isLoop || outcome === "fail" ? `: ${reason}` : "";
    const after = `after ${isLoop ? `${plural(record.rounds, "round")}, ` : ""}${duration(seconds)}`;
    const byWorker = isLoop ? record.usageByRole : record.usageByStep;
    return [
      line(
        `${OUTCOMES[outcome]} ${after}${because}${tokensOf(record.usage ?? {})}${costText(record.cost)}`,
        outcome === "pass" ? "good" : "bad",
        "result",
      ),
      ...workerTokens(byWorker ?? {}, record.cost?.byWorker).map((each) => line(each, "plain", "result")),
      ...(resumeCommand === undefined ? [] : [line(`Resume with: ${resumeCommand}`, "plain", "result")]),
    ];
  },

  // The review loop
  session_opening: ({ session, socket }) => detail(`tmux: opening session ${session} on socket ${socket}`),
  session_opened: ({ attachCommand }) => line(`watch the agents with: ${attachCommand}`),
  session_adopted: ({ attachCommand }) => line(`watch the agents with: ${attachCommand}`),
  agent_starting: ({ role, provider, resumes }) =>
    resumes === undefined
      ? detail(`${role}: starting ${provider}`)
      : line(`${role}: starting ${provider} again, with its session ${resumes}`),
  agent_adopted: ({ role, terminalId }) => line(`${role}: still alive in terminal ${terminalId}`),
  agent_lost: ({ role, reason, restart, maxRestarts }) =>
    line(
      `${role}: its program has ended (${reason}); starting it again (restart ${restart} of at most ${maxRestarts})`,
      "caution",
    ),
  agent_session: ({ role, sessionId }) => detail(`${role}: its session is ${sessionId}`),
  agent_ready: ({ role, seconds }) => line(`${role}: ready after ${duration(seconds)}`),
  agent_rules_seen: ({ role, rules }) => detail(`${role}: its screens are recognised by ${rules.join(", ")}`),
  round_started: ({ round, maxRounds }) => line(`round ${round} of ${maxRounds}`),
  turn_started: (record) =>
    line(`${record.role}: prompt of ${byteSize(record.promptBytes)} sent (${turnPlace(record)})`),
  turn_resumed: (record) => line(`${record.role}: continues its turn (${turnPlace(record)})`),
  message_sending: ({ role, what, file, step }) => detail(`${role}: ${what} ${file}: ${step}`),
  message_held: ({ role, terminalId, what, obstacle, timeoutSeconds, attachCommand }) =>
    obstacle === "at_work"
      ? line(
        `${role}: at work on something else; its ${what} waits, for at most ${duration(timeoutSeconds)}`,
        "caution",
      )
      : line(
        `${role}: a person's draft stands in its composer (terminal ${terminalId}), and its ${what} waits, for at most ` +
          `${duration(timeoutSeconds)}; submit it or delete it with: ${attachCommand}`,
        "caution",
        "always",
      ),
  message_released: ({ role }) => detail(`${role}: waits no longer`),
  files_seen: ({ role, moment, files }) =>
    detail(`${role}: files ${moment} its turn: ${files === undefined ? "unknown" : files.slice(0, 12)}`),
  command_repeated: (record) => {
    const who = "role" in record ? record.role : "the agent";
    return line(`${who} ran one command ${record.times} times in a row: ${shortened(record.command)}`, "caution");
  },
  message_sent: ({ role, what }) => detail(`${role}: ${what} accepted`),
  turn_time: ({ role, usedSeconds }) => detail(`${role}: its turn has taken ${duration(usedSeconds)} so far`),
  status_changed: ({ role, status }) => {
    const tone = status === "error" ? "bad" : status === "waiting_user_answer" ? "caution" : "plain";
    return line(`${role}: ${workerStatusText(status)}`, tone, tone === "plain" ? "detail" : "normal");
  },
  agent_failed: ({ role, class: failureClass, message, resetsAt, retryAt }) => {
    const reset = resetsAt === undefined ? "" : `; it is reset at ${resetsAt}`;
    const again = retryAt === undefined ? "" : `; trying again at ${retryAt}`;
    return line(
      `${role} failed (${failureClass}): ${message}${reset}${again}`,
      retryAt === undefined ? "bad" : "caution",
    );
  },
  dialog_waiting: (record) => {
    const { role, terminalId, subject, reason, question, questions, runId, attachCommand, timeoutSeconds } = record;
    const lines = [
      `${role} ${dialogRequest(record)} (terminal ${terminalId}; waits for a person for at most ${
        duration(timeoutSeconds)
      })`,
      ...(subject === undefined ? [] : subject.split("\n").map((row) => `  | ${row}`)),
      `not decided automatically: ${reason}`,
      `look at it with: ${attachCommand}`,
      ...(question === undefined
        ? []
        : [`answer it there, or with: panewright answer ${runId} --question ${question} ${answerForm(questions)}`]),
    ];
    return text(lines.join("\n"), "caution", "always");
  },
  dialog_closed: ({ role, seconds }) => line(`${role}: the dialog waited for ${duration(seconds)}`),
  dialog_answered: ({ role, kind, answer, replies, rule, result }) => {
    const how = { accept: "accepted", decline: "declined", reply: "answered" }[answer];
    const outcome = result === "closed" ? "" : `, but it was ${result}`;
    const said = replies === undefined ? "" : `: ${replies.replaceAll("\n", "; ")}`;
    const told = `${role}: dialog (${kind}) ${how} by ${rule}${outcome}${said}`;
    // What an agent was told is a part of the work.
    return answer === "reply" ? line(told) : detail(told);
  },
  reminder_sent: ({ role, reminder }) =>
    line(`${role}: reminded of its response file (reminder ${reminder})`, "caution"),
  response_received: ({ role, bytes, seconds, archivedAs }) =>
    line(
      `${role}: response of ${byteSize(bytes)} after ${duration(seconds)}, kept as ${archivedAs.replace(/^.*\//, "")}`,
    ),
  review_decided: (record) =>
    line(
      `${record.role}: ${record.verdict} (${turnPlace(record)})${note(record.note)}`,
      record.verdict === "APPROVED" ? "good" : "caution",
    ),
  review_limit_reached: ({ role, then }) =>
    then === "proceed"
      ? line(`${role}: no approval by the last cycle; the work continues`, "caution")
      : line(`${role}: no approval by the last cycle; the run ends`, "bad"),
  test_command_started: ({ command }) => line(`project tests: ${command}`),
  test_command_finished: ({ passed, timedOut, exitCode, seconds, output }) => {
    const took = `after ${duration(seconds)}`;
    const how = passed
      ? `passed ${took}`
      : timedOut
      ? `stopped ${took}: time limit`
      : `failed ${took}: exit code ${exitCode}`;
    return [line(`project tests ${how}`, passed ? "good" : "bad"), ...outputOf(output)];
  },
  round_finished: ({ round, verdict, note: why }) =>
    line(`round ${round}: ${verdict}${note(why)}`, verdict === "PASS" ? "good" : "bad"),
  post_processed: ({ command }) => detail(`post-processing: ${command}`),
  panes_left: ({ attachCommand }) =>
    line(`the panes stay open; look at them with: ${attachCommand}`, "plain", "always"),

  // The pipeline
  task_started: ({ task, of, file, pipeline, steps }) =>
    line(`task ${taskCount(task, of)}: ${file}, pipeline ${pipeline} (${steps.join(", ")})`),
  task_skipped: ({ task, of, file, run }) =>
    line(
      `task ${taskCount(task, of)}: ${file}: skipped, since run ${run} passed it, and nothing of it has changed; ` +
        "--force does it again",
    ),
  step_started: ({ step, name, provider, model, autonomyLevel }) =>
    line(
      `step ${step} "${name}": ${provider}${model === undefined ? "" : ` ${model}`}, autonomy level ${autonomyLevel}`,
    ),
  attempt_started: ({ attempt, reason, promptBytes, native }) =>
    line(
      `attempt ${attempt}${REASONS[reason]}: prompt of ${byteSize(promptBytes)} sent` +
        (native ? " to its session" : ""),
      "plain",
      reason === "first" ? "detail" : "normal",
    ),
  session_found: ({ sessionId }) => detail(`session ${sessionId}`),
  agent_activity: ({ fact }) => activityLines(fact),
  tokens_counted: (record) => {
    const whose = "role" in record ? `${record.role}: ` : "";
    return detail(`${whose}so far${tokensOf(record.usage)}`);
  },
  attempt_finished: ({ outcome, seconds, error, usage }) =>
    outcome === "completed"
      ? line(`the agent's turn ended after ${duration(seconds)}${tokensOf(usage)}`)
      : line(`the agent's turn failed after ${duration(seconds)}${note(error)}${tokensOf(usage)}`, "bad"),
  question_asked: ({ question, stepName, text: asked }) =>
    text(`question ${question} of step "${stepName}": ${asked.trim()}`, "caution"),
  question_answered: ({ question, by, answer }) => text(`answer to ${question}, ${GIVEN[by]}: ${answer.trim()}`),
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
  files_changed: ({ files, more = 0 }) => {
    if (files.length === 0) return detail("no file was changed");
    const others = files.length + more - NAMED_FILES;
    return line(
      `changed ${plural(files.length + more, "file")}: ${files.slice(0, NAMED_FILES).join(", ")}` +
        (others > 0 ? ` and ${others} more` : ""),
    );
  },
  writes_checked: ({ outside, more = 0, untold, enforced, note: why }) => {
    if (untold === undefined && outside.length === 0) return detail("nothing was written outside of allow_write");
    const others = more === 0 ? "" : ` and ${more} more`;
    const found = untold === undefined
      ? `${plural(outside.length + more, "file")} changed outside of allow_write: ${outside.join(", ")}${others}`
      : `which files were changed cannot be told: ${untold}`;
    return line(`${enforced ? "" : "warning: "}${found}${note(why)}`, enforced ? "bad" : "caution");
  },
  check_started: ({ description }) => detail(`check: ${description}`),
  check_finished: ({ check, description, detail: found, passed, seconds, output }) => {
    const what = description === undefined || description === found ? "" : `, ${shortened(description)}`;
    const told = `check ${check}${what}: ${found} (${duration(seconds)})`;
    return passed ? [line(told, "good"), ...outputOf(output.trim())] : [line(told, "bad"), ...endOf(output.trim())];
  },
  step_finished: ({ step, name, outcome, attempts, reason }) =>
    line(
      `step ${step} "${name}": ${outcome.toUpperCase()} after ${plural(attempts, "attempt")}${note(reason)}`,
      outcome === "pass" ? "good" : "bad",
    ),
  task_finished: ({ task, outcome }) =>
    outcome === "pass" ? line(`task ${task}: PASS`, "good") : line(`task ${task}: FAIL`, "bad", "detail"),
};

/** How many of the files that a step has changed a line names. */
const NAMED_FILES = 5;

const OUTCOMES: Readonly<Record<RunEnd, string>> = {
  pass: "PASS",
  fail: "FAIL",
  waiting: "WAITING",
  needs_human: "STOPPED FOR A PERSON",
  error: "ERROR",
  interrupted: "INTERRUPTED",
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
  timeout: "since nobody answered in time",
  level: "since level 0 does not ask",
  cap: "since the step has asked its share",
};

/** Installed rules are told always, as a status may rest on them; built-in ones where they take the place of others. */
function rulesLines(
  { rules = {}, rulesBefore = {} }: { readonly rules?: RulesUsed; readonly rulesBefore?: RulesUsed },
): readonly ShownLine[] {
  return Object.entries(rules).flatMap(([provider, { version, sha256, key }]) => {
    const before = rulesBefore[provider];
    const changed = before !== undefined && (before.version !== version || before.sha256 !== sha256);
    if (key === undefined && !changed) return [];
    const now = `${provider} is read with ${key === undefined ? "the built-in rules" : "rules"} ${version}`;
    const signed = key === undefined ? "" : `, signed by ${key}`;
    return [line(`${now}${signed}${changed ? `; before, with ${before.version}` : ""}`, changed ? "caution" : "plain")];
  });
}

/** Columns of a line about what an agent does. */
const ACTIVITY_WIDTH = 160;

function activityLines(fact: HeadlessFact): readonly ShownLine[] {
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

function shortened(value: string): string {
  return cut(sanitizeLine(value.trim().replaceAll(/\s+/g, " ")), ACTIVITY_WIDTH);
}

/** `2 of 6`, but for a task that is tried anew after all others. */
function taskCount(task: number, of = 0): string {
  return task > of ? String(task) : `${task} of ${of}`;
}

function turnPlace({ round, cycle }: { readonly round: number; readonly cycle: number }): string {
  return cycle === 0 ? `round ${round}` : `round ${round}, cycle ${cycle}`;
}

/** What a command wrote. */
function outputOf(output: string): readonly ShownLine[] {
  return output === "" ? [] : [text(output, "plain", "detail")];
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

function note(why: string | undefined): string {
  return why === undefined || why === "" ? "" : `: ${why}`;
}

function detail(value: string): ShownLine {
  return line(value, "plain", "detail");
}

function line(value: string, tone: Tone = "plain", importance: Importance = "normal"): ShownLine {
  return { text: sanitizeLine(value), tone, importance };
}

/** Like {@linkcode line}, for several lines. */
function text(value: string, tone: Tone = "plain", importance: Importance = "normal"): ShownLine {
  return { text: sanitizeText(value), tone, importance };
}
