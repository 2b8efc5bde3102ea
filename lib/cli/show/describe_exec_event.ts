import type { HeadlessFact } from "../../providers/headless.ts";
import type { AnsweredBy, AttemptReason, ExecEvent, ExecOutcome, Usage } from "../../jobs/pipeline/facts.ts";
import { totalUsage } from "../../jobs/pipeline/usage.ts";
import type { ProgressLine, Tone } from "./describe_event.ts";
import { cut } from "../console/layout.ts";
import { sanitizeLine, sanitizeText } from "../../text/sanitize.ts";
import { byteSize, duration, plural } from "./words.ts";

/**
 * What a person is told of an event of `panewright exec`.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const event = { type: "check_started", task: 1, step: 2, check: 1, description: "npm test" } as const;
 * assertEquals(describeExecEvent(event), [{ text: "check: npm test", tone: "plain", detail: true }]);
 * ```
 */
export function describeExecEvent(event: ExecEvent): ProgressLine[] {
  switch (event.type) {
    case "run_started":
      return [line(`run ${event.runId}; its records are in ${event.folder}`)];
    case "run_resumed":
      return [line(`run ${event.runId} goes on`)];
    case "task_started":
      return [line(`task ${event.task}: ${event.file}, pipeline ${event.pipeline} (${event.steps.join(", ")})`)];
    case "step_started": {
      const model = event.model === undefined ? "" : ` ${event.model}`;
      return [
        line(`step ${event.step} "${event.name}": ${event.provider}${model}, autonomy level ${event.autonomyLevel}`),
      ];
    }
    case "attempt_started":
      return [line(
        `attempt ${event.attempt}${REASONS[event.reason]}: prompt of ${byteSize(event.promptBytes)} sent` +
          (event.native ? " to the session as it was" : ""),
        { detail: event.reason === "first" },
      )];
    case "session_found":
      return [line(`session ${event.sessionId}`, { detail: true })];
    case "agent_activity":
      return [...activity(event.fact)];
    case "attempt_finished": {
      const tokens = tokensOf(event.usage);
      if (event.outcome === "completed") {
        return [line(`the agent's turn ended after ${duration(event.seconds)}${tokens}`)];
      }
      return [
        line(`the agent's turn failed after ${duration(event.seconds)}${note(event.error)}${tokens}`, { tone: "bad" }),
      ];
    }
    case "question_asked":
      return [
        text(`question ${event.question} of step "${event.stepName}": ${event.text.trim()}`, { tone: "caution" }),
      ];
    case "question_answered":
      return [text(`answer to ${event.question}, ${GIVEN[event.by]}: ${event.answer.trim()}`)];
    case "question_waiting":
      return [
        text(event.text.trim(), { tone: "caution" }),
        line(`Answer with:  ${event.answerCommand}`),
        line(`Then go on:   ${event.resumeCommand}`),
      ];
    case "usage_limit_reached": {
      const until = event.resetsAt === undefined ? "" : `; it is reset at ${event.resetsAt}`;
      return [line(`the account's usage limit is reached, waiting: ${event.message}${until}`, { tone: "caution" })];
    }
    case "usage_limit_waited":
      return [line("the usage limit should be reset: trying again")];
    case "writes_checked": {
      if (event.outside.length === 0) return [line("nothing was written outside of allow_write", { detail: true })];
      const files = `${plural(event.outside.length, "file")} changed outside of allow_write: ${
        event.outside.join(", ")
      }`;
      return [
        line(`${event.enforced ? "" : "warning: "}${files}${note(event.note)}`, {
          tone: event.enforced ? "bad" : "caution",
        }),
      ];
    }
    case "check_started":
      return [line(`check: ${event.description}`, { detail: true })];
    case "check_finished":
      return [
        line(`check ${event.check}: ${event.detail} (${duration(event.seconds)})`, {
          tone: event.passed ? "good" : "bad",
        }),
        ...(event.output.trim() === "" ? [] : [text(event.output.trim(), { detail: true })]),
      ];
    case "step_finished":
      return [
        line(
          `step ${event.step} "${event.name}": ${event.outcome.toUpperCase()} after ${
            plural(event.attempts, "attempt")
          }${note(event.reason)}`,
          {
            tone: event.outcome === "pass" ? "good" : "bad",
          },
        ),
      ];
    case "task_finished":
      return [
        line(`task ${event.task}: ${event.outcome.toUpperCase()}`, {
          tone: event.outcome === "pass" ? "good" : "bad",
          detail: event.outcome === "fail",
        }),
      ];
    case "warning":
      return [text(`warning: ${event.message}`, { tone: "caution" })];
    case "run_finished":
      return [
        line(`${OUTCOMES[event.outcome]} after ${duration(event.seconds)}: ${event.reason}${tokensOf(event.usage)}`),
        ...(event.resumeCommand === undefined ? [] : [line(`Go on with: ${event.resumeCommand}`)]),
      ];
  }
}

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

const OUTCOMES: Readonly<Record<ExecOutcome, string>> = {
  pass: "PASS",
  fail: "FAIL",
  waiting: "WAITING",
  error: "ERROR",
  interrupted: "INTERRUPTED",
};

/** Columns of a line about what an agent does. */
const ACTIVITY_WIDTH = 160;

function* activity(fact: HeadlessFact): Generator<ProgressLine> {
  switch (fact.type) {
    case "said":
      yield line(`said: ${shortened(fact.text)}`);
      break;
    case "ran":
      yield line(`$ ${shortened(fact.command)}`, { detail: true });
      break;
    case "saw":
      if (fact.exitCode !== undefined && fact.exitCode !== 0) {
        yield line(`exit code ${fact.exitCode}: ${shortened(fact.command)}`, { detail: true });
      }
      break;
    case "trouble":
      yield line(shortened(fact.text), { tone: "caution" });
      break;
    case "session":
    case "reasoned":
    case "usage":
      break;
  }
}

function shortened(value: string): string {
  return cut(sanitizeLine(value.trim().replaceAll(/\s+/g, " ")), ACTIVITY_WIDTH);
}

/**
 * The tokens of a run or an attempt, as the end of a line.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(
 *   tokensOf({ "gpt-5": { inputTokens: 1200, cachedInputTokens: 0, outputTokens: 40 } }),
 *   " · 1200 tokens in, 40 out (gpt-5)",
 * );
 * ```
 */
export function tokensOf(usage: Usage): string {
  const { inputTokens, cachedInputTokens, outputTokens } = totalUsage(usage);
  if (inputTokens === 0 && outputTokens === 0) return "";
  const cached = cachedInputTokens === 0 ? "" : ` (${cachedInputTokens} cached)`;
  return ` · ${inputTokens} tokens in${cached}, ${outputTokens} out (${
    Object.keys(usage).map(sanitizeLine).join(", ")
  })`;
}

function note(reason: string | undefined): string {
  return reason === undefined || reason === "" ? "" : `: ${reason}`;
}

interface LineOptions {
  readonly tone?: Tone;
  readonly detail?: boolean;
}

function line(value: string, { tone = "plain", detail = false }: LineOptions = {}): ProgressLine {
  return { text: sanitizeLine(value), tone, detail };
}

/** Like {@linkcode line}, for several lines. */
function text(value: string, { tone = "plain", detail = false }: LineOptions = {}): ProgressLine {
  return { text: sanitizeText(value), tone, detail };
}
