import { adds, auditDetail, closes, opens } from "../items/item_changes.ts";
import type { NewDetail } from "../items/source.ts";
import { toldCost, usage } from "../../base/usage.ts";
import { flag, listOf, number, object, oneOf, optional, present, text } from "../../base/schema.ts";
import { detail, line, note, shortened, type ShownLine, timed, tokensOf, toldCostText } from "../words/lines.ts";
import { byteSize, duration } from "../words/words.ts";
import { atLevel, counted } from "../progress.ts";
import { attemptUsed, changeAgent, turnOf } from "./place.ts";
import { type AttemptReason, attemptReason } from "./fields.ts";
import { atStage, attemptFailed, type ExecState, inStep, newOfAttempt, tokensOfAttempt, workerOf } from "./state.ts";
import { entriesOf } from "../entry.ts";
import { LEFT, leftRunning, STAYED, withLeft } from "../left_running.ts";
import { COUNTED, REPEATED } from "../common.ts";
import { triedWith, unusableWith } from "../recovery.ts";
import { auditEnd } from "../run_facts.ts";
import { FAILURE_CLASSES, RECOVERIES } from "../../base/terms.ts";
import type { AgentFact } from "../../base/activity.ts";

const stepRecord = entriesOf<ExecState>();

/** What the agent of an attempt does. */
export const ATTEMPT_RECORDS = {
  /** A step's agent is started. */
  attempt_started: stepRecord({
    task: number,
    step: number,
    /** Counts from 1 in its step. */
    attempt: number,
    reason: attemptReason,
    /** Whether the CLI's own session is resumed. */
    native: flag,
    /** Relative to the run's folder. */
    folder: text,
    promptBytes: number,
    /** ISO 8601; missing in older journals. */
    startedAt: optional(text),
    /** Whose login it has, where another agent than the step's own plays it. */
    login: optional(text),
  }, {
    state(state, { attempt: attempts, reason, native, folder, startedAt: attemptStartedAt, login }) {
      const forgotten = native ? {} : { sessionId: undefined, isCompacted: undefined };
      const stage = { kind: "running", reason, native, folder } as const;
      const said = state.current?.step.said;
      return atStage({ ...state, tokens: { ...state.tokens, bySource: {} } }, stage, {
        attempts,
        ...{ attemptStartedAt, login, ...forgotten, ...present({ said: said && { ...said, isHeard: true } }) },
      });
    },
    progress(before, { attempt: number, native, folder, at }) {
      const session = native ? {} : { sessionId: undefined };
      return {
        ...atLevel(before, { unit: "attempt", number }),
        ...changeAgent(before, { status: "processing", since: at, folder, ...session }),
        ...counted(before, "turns"),
        tokens: { ...before.tokens, bySource: {} },
        activity: { kind: "turn", since: at, worker: before.workers[0]?.name ?? "" },
      };
    },
    meter: (_fact, state) => ({ kind: "turn_begins", worker: workerOf(state) }),
    words: ({ attempt, reason, promptBytes, native, login }) =>
      line(
        `attempt ${attempt}${REASONS[reason]}: prompt of ${byteSize(promptBytes)} sent` +
          (native ? " to its session" : login === undefined ? "" : ` to ${login}`),
        "plain",
        reason === "first" && login === undefined ? "detail" : "normal",
      ),
    items: ({ folder, ...place }, { title, lane }) =>
      opens("attempt", {
        ...{ kind: "work", lane, turn: turnOf(place), title },
        details: [{ kind: "prompt", title: "The prompt", from: "file", path: `${folder}/prompt.md` }, {
          kind: "output",
          title: "What the agent said and ran",
          from: "file",
          path: `${folder}/log.txt`,
        }],
      }),
  }),
  /** The CLI's session of the attempt under way has a name. */
  session_found: stepRecord({ sessionId: text }, {
    state: (state, { sessionId }) => inStep(state, (step) => ({ ...step, sessionId })),
    progress: (before, { sessionId }) => changeAgent(before, { sessionId }),
    words: ({ sessionId }) => detail(`session ${sessionId}`),
    items: () => [],
  }),
  /** What the CLI says that the agent of the attempt under way may do: its sandbox, its permission mode. */
  agent_permitted: stepRecord({ mode: text, passable: flag }, {
    words: ({ mode }) => line(mode),
    items: () => [],
  }),
  /** A call of a tool was decided about, before it ran. */
  call_decided: stepRecord({
    task: number,
    step: number,
    attempt: number,
    decision: oneOf("ask", "allow", "deny"),
    kind: text,
    /** The CLI's name of the tool. */
    tool: text,
    /** The command, the files. */
    subject: text,
    /** Which rule decided, or `person`. */
    rule: text,
    reason: text,
    /** Which call it was, where a person's yes to it is used up. */
    call: optional(text),
    /** Where the audit log ends once the decision is in it. */
    audit: auditEnd,
    passable: flag,
  }, {
    state: (state, fact) =>
      fact.call === undefined ? state : inStep(state, (step) => ({
        ...step,
        verdicts: step.verdicts.filter(({ call, answer }) => call !== fact.call || answer !== "accept"),
      })),
    words: ({ decision, kind, subject, rule, reason }) => {
      const told = `${DECIDED[decision]} by ${rule}: ${kind} ${shortened(subject)}`;
      return decision === "allow" ? line(told, "plain", "log") : line(`${told}. ${reason}`, "caution");
    },
    items: ({ decision, subject, audit, ...place }, { title, lane }) =>
      adds({
        ...{ kind: "dialog", lane, turn: turnOf(place), title, text: subject },
        ...{ tone: decision === "allow" ? "plain" : "caution", details: auditDetail(audit) },
      }),
  }),
  /** What the attempt under way has used so far, told after each reply of a model. */
  tokens_counted: stepRecord({
    usage,
    /** What it has cost, where the agent tells that. */
    cost: optional(toldCost),
    passable: flag,
  }, {
    state: (state, { usage }) => tokensOfAttempt(state, usage),
    progress: (before, { usage }) => attemptUsed(before, usage),
    meter: ({ usage }, state) => ({
      kind: "tokens_counted",
      worker: workerOf(state),
      usage: newOfAttempt(state, usage),
    }),
    ...COUNTED,
  }),
  /** Its agent has run one command that often, with the same output and nothing else in between. */
  command_repeated: stepRecord({ command: text, times: number, passable: flag }, {
    meter: ({ command, times }, state) => ({ kind: "command_repeats", worker: workerOf(state), command, times }),
    ...REPEATED,
  }),
  /** Commands that its agent has left running when its turn ended. */
  commands_left: stepRecord(
    { task: number, step: number, attempt: number, left: listOf(leftRunning), passable: flag },
    {
      state: (state, { attempt, left }) => ({
        ...state,
        left: withLeft(state.left, { left, by: `attempt ${attempt} of ${workerOf(state)}` }),
      }),
      words: LEFT.words,
      items: ({ left, ...place }, told) => LEFT.items({ left, turnId: turnOf(place) }, told),
    },
  ),
  /** Commands that stayed until the run ended have been ended. */
  commands_ended: stepRecord({ left: listOf(leftRunning), passable: flag }, STAYED),
  /** The agent has ended its turn, or failed. */
  attempt_finished: stepRecord({
    task: number,
    step: number,
    attempt: number,
    outcome: oneOf("completed", "failed"),
    /** Why it failed. */
    error: optional(text),
    /** Of what kind the failure is; missing where there is none, and in older journals. */
    failure: optional(oneOf(...FAILURE_CLASSES)),
    timedOut: flag,
    exitCode: number,
    finalText: text,
    sessionId: optional(text),
    /** Whether its conversation was made shorter. */
    compacted: optional(flag),
    usage,
    cost: optional(toldCost),
    usageLimit: optional(object({ resetsAt: optional(text), message: text })),
    attemptLog: text,
    seconds: number,
  }, {
    isRest: true,
    state(state, fact) {
      const { attemptLog, usageLimit } = fact;
      const { sessionId, compacted: isCompacted } = fact;
      const known = { attemptLog, ...present({ sessionId, isCompacted }) };
      const after = tokensOfAttempt(state, fact.usage);
      if (fact.outcome === "completed") {
        return atStage(after, { kind: "completed", writesChecked: false, checked: 0 }, {
          ...known,
          finalText: fact.finalText,
          feedback: undefined,
        });
      }
      if (usageLimit !== undefined) {
        const { message, resetsAt } = usageLimit;
        return atStage(after, { kind: "usage_limit", message, resetsAt }, known);
      }
      if (fact.failure === "auth") return atStage(after, { kind: "auth", message: fact.error ?? "" }, known);
      const stage = state.current?.step.stage;
      const isKnown = fact.failure !== undefined && fact.failure !== "other";
      if (stage?.kind === "running" && stage.native && !fact.timedOut && !isKnown) {
        // The agent is not to blame for a lost session: a new process gets the answer.
        const attemptLog = state.current?.step.attemptLog ?? "";
        return atStage(after, { kind: "ready", reason: stage.reason, sessionLost: true }, {
          attemptLog: [attemptLog, fact.attemptLog].filter((log) => log !== "").join("\n\n"),
        });
      }
      const failed = inStep(after, (step) => ({ ...step, ...known }));
      return attemptFailed(failed, fact.error ?? "the agent's turn failed", {
        failure: fact.timedOut ? undefined : fact.failure,
      });
    },
    progress: (before, { outcome, usage, usageLimit, sessionId, at }) => {
      const status = outcome === "completed" ? "completed" : usageLimit === undefined ? "error" : "limited";
      return {
        ...changeAgent(before, { status, since: at, ...present({ sessionId }) }),
        ...(outcome === "completed" ? counted(before, "responses") : {}),
        activity: undefined,
        ...attemptUsed(before, usage),
      };
    },
    meter: ({ outcome, seconds, usage }, state) => (
      { kind: "turn_ends", seconds, usage: newOfAttempt(state, usage), failed: outcome === "failed" }
    ),
    words: ({ outcome, seconds, error, usage, cost }) => {
      const used = `${tokensOf(usage)}${toldCostText(cost)}`;
      return outcome === "completed"
        ? line(`the agent's turn ended after ${duration(seconds)}${used}`)
        : line(`the agent's turn failed after ${duration(seconds)}${note(error)}${used}`, "bad");
    },
    items({ outcome, finalText, ...place }, { title, lane }) {
      const isGood = outcome === "completed";
      const details: readonly NewDetail[] = finalText.trim() === ""
        ? []
        : [{ kind: "response", title: "The agent's last message", from: "record", text: finalText }];
      return [
        closes("attempt"),
        adds({
          ...{ kind: "response", lane, turn: turnOf(place), title, details },
          ...{ text: finalText, tone: isGood ? "plain" : "bad" },
        }),
      ];
    },
  }),
  /** What the attempt failed of passes, or another session helps: the next one is no retry of the step. */
  attempt_recovering: stepRecord({
    task: number,
    step: number,
    attempt: number,
    class: oneOf(...FAILURE_CLASSES),
    /** What was said of the failure. */
    message: text,
    recovery: oneOf(...RECOVERIES),
    /** Which one of its kind this is, from 1. */
    retry: number,
    /** ISO 8601. */
    retryAt: text,
    /** The login that another agent takes the place of, where that is done. */
    login: optional(text),
    /** When its account can be used again, ISO 8601, where that is said. */
    resetsAt: optional(text),
  }, {
    state(state, { recovery, retryAt: notBefore, at, ...fact }) {
      const worker = workerOf(state);
      const isFailed = state.current?.step.stage.kind === "failed";
      const sessionLost = recovery === "fresh_session" || recovery === "fallback";
      const after = inStep(state, (step) => ({
        ...step,
        ...{ failures: Math.max(0, step.failures - (isFailed ? 1 : 0)), feedback: undefined },
        tried: triedWith(step.tried ?? {}, recovery),
        stage: { kind: "ready", reason: "recovered", sessionLost, notBefore },
      }));
      return { ...after, ...unusableWith(state, { ...fact, recovery, worker }, at) };
    },
    progress: (before, { message: detail, retryAt: until, at }) => ({
      activity: { kind: "retry", worker: before.workers[0]?.name ?? "", since: at, detail, until },
    }),
    recovers: ({ class: failureClass, recovery, retryAt: until }) => ({ class: failureClass, recovery, until }),
    words: ({ class: failureClass, recovery, retryAt }) =>
      recovery === "fresh_session" || recovery === "fallback"
        ? line(
          `that is no fault of the step (${failureClass}): ${
            recovery === "fallback" ? "another agent" : "a new session"
          } takes its place`,
          "caution",
        )
        : timed(line(`that passes (${failureClass}); trying again at ${retryAt}`, "caution"), [retryAt]),
    items: ({ message, ...place }, { title, times, lane }) =>
      adds({ kind: "retry", lane, turn: turnOf(place), title, times, text: message, tone: "caution" }),
  }),
} as const;

const REASONS: Readonly<Record<AttemptReason, string>> = {
  first: "",
  retry: ", since the one before failed",
  answered: ", with the answer",
  interrupted: ", since the one before was interrupted",
  limit_reset: ", since the usage limit is reset",
  recovered: ", since the one before failed of what passes",
  handed_back: ", in the session that a person hands back",
  told: ", with what a person says",
};

const DECIDED: Readonly<Record<"allow" | "ask" | "deny", string>> = {
  allow: "permitted",
  ask: "put to a person",
  deny: "refused",
};

/** What an agent says and does at this moment; the journal has it not. */
export function activityLines(fact: AgentFact): readonly ShownLine[] {
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
