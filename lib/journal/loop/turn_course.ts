import { toldCost, usage } from "../../base/usage.ts";
import { adds, closes, responseDetail } from "../items/item_changes.ts";
import { flag, listOf, number, object, oneOf, optional, text } from "../../base/schema.ts";
import { isAtRest, TERMINAL_STATUSES } from "../../base/status.ts";
import { FAILURE_CLASSES, isMessageId, RECOVERIES, type Recovery } from "../../base/terms.ts";
import { COUNTED } from "../common.ts";
import { entriesOf } from "../entry.ts";
import { triedWith, unusableWith } from "../recovery.ts";
import { messageChanged } from "../message_progress.ts";
import { counted, tokensCounted } from "../progress.ts";
import { newIn, NOTHING_COUNTED, takeCount } from "../usage.ts";
import { waitsNoLonger } from "../waiting.ts";
import { detail, line, timed } from "../words/lines.ts";
import { byteSize, duration, workerStatusText } from "../words/words.ts";
import { changeWorker, workerOf } from "../workers.ts";
import { messageKind, role, TAKEN } from "./fields.ts";
import { countOf, findOpenTurn, inAgent, inTurn, type RunRecords } from "./state.ts";
import { isOfMessage, turnPlace, waitEnds } from "./place.ts";

const loopRecord = entriesOf<RunRecords>();

/** How a turn goes on, to its response. */
export const TURN_GOES = {
  /** The agent has taken the message. */
  message_sent: loopRecord({
    turnId: text,
    role,
    what: messageKind,
    /** Of the turn, and of the message; missing in older journals. */
    round: optional(number),
    cycle: optional(number),
    bytes: optional(number),
  }, {
    state(state, { turnId, role }) {
      const sent = inAgent(state, role, { hasMemory: true });
      const message = findOpenTurn(state, turnId)?.message;
      return message === undefined
        ? sent
        : inTurn(sent, { turnId }, { message: { ...message, step: "sent" }, taken: true });
    },
    progress(before, { turnId, role, at }) {
      // One that was seen at work before is at work with it: a person has pressed Enter, or this process was gone. Its
      // status is recorded when it changes, not once more.
      const isAtWork = workerOf(before, role)?.status === "processing";
      return {
        ...(isAtWork ? {} : changeWorker(before, role, { status: "prompted", since: at })),
        ...waitEnds(before, { role, at }),
        ...(isOfMessage(before, turnId) ? messageChanged(before, turnId, { status: "sent", since: at }) : {}),
      };
    },
    words: ({ role, turnId, what, round, cycle, bytes }) => {
      if (what !== "prompt") return detail(`${role}: ${what} sent`);
      if (isMessageId(turnId)) return line(`${role}: message ${turnId} sent`);
      const size = bytes === undefined ? "" : ` of ${byteSize(bytes)}`;
      const place = round === undefined || cycle === undefined ? "" : ` (${turnPlace({ round, cycle })})`;
      return line(`${role}: prompt${size} sent${place}`);
    },
    items: ({ role: lane, turnId: turn, what }, { title }) =>
      closes(`message:${lane}`, { kind: "prompt", lane, turn, title: what === "prompt" ? title : `${what} sent` }),
  }),
  /** The agent that has the turn does something else than before. */
  status_changed: loopRecord({
    turnId: text,
    role,
    status: oneOf(...TERMINAL_STATUSES),
    /** What decided: a rule of the screen, or the record of the agent's CLI. */
    rule: optional(text),
    /** What that record, or a hook of the CLI, says. */
    record: optional(text),
  }, {
    progress(before, { role, status, at }) {
      const worker = workerOf(before, role)?.status;
      const isYetToBegin = worker === "prompting" || worker === "prompted";
      // One that rests before it was seen at work has not ended anything: it has yet to take its prompt up.
      const change = isYetToBegin && isAtRest(status) ? {} : changeWorker(before, role, { status, since: at });
      return { ...change, ...waitEnds(before, { role, at }) };
    },
    words: ({ role, status, rule }) => {
      const tone = status === "error" ? "bad" : status === "waiting_user_answer" ? "caution" : "plain";
      const protocol = (["acp", "process"] as const).find((one) => rule?.startsWith(`${one}.`));
      return line(`${role}: ${workerStatusText(status, protocol)}`, tone, tone === "plain" ? "detail" : "normal");
    },
    items: ({ role: lane, turnId: turn, status }, { title }) =>
      status === "error" ? adds({ kind: "warning", lane, turn, title, tone: "bad" }) : [],
  }),
  /**
   * How much of the time that it may take the turn has used so far, over all processes of the run: without the time in
   * which none ran, a person was waited for, or the next try after a failure.
   */
  turn_time: loopRecord({ turnId: text, role, usedSeconds: number, passable: flag }, {
    state: (state, { turnId, usedSeconds }) => inTurn(state, { turnId }, { usedSeconds }),
    words: ({ role, usedSeconds }) => detail(`${role}: its turn has taken ${duration(usedSeconds)} so far`),
  }),
  /** The agent's CLI says that its turn failed. */
  agent_failed: loopRecord({
    turnId: text,
    role,
    class: oneOf(...FAILURE_CLASSES),
    /** Its own words. */
    message: text,
    /** Where they stand. */
    evidence: text,
    /** When the account can be used again, ISO 8601, where that is said. */
    resetsAt: optional(text),
    /** When the turn is tried again, ISO 8601; missing where it is not. */
    retryAt: optional(text),
    /** Which one of its kind that is, from 1; 0 for a wait until the limit is reset. */
    retry: optional(number),
    /** What is done then; missing in older journals, which knew `reset` and `pause` only. */
    recovery: optional(oneOf(...RECOVERIES)),
    /** The login that another agent takes the place of, where that is done. */
    login: optional(text),
  }, {
    state(state, { retry, recovery = retry === 0 ? "reset" : "pause", at, ...fact }) {
      if (retry === undefined) return state;
      const { turnId, role: worker } = fact;
      const tried = triedWith(findOpenTurn(state, turnId)?.tried ?? {}, recovery);
      return { ...inTurn(state, { turnId }, { tried }), ...unusableWith(state, { ...fact, recovery, worker }, at) };
    },
    progress(before, { turnId, class: failureClass, role: worker, message: detail, retryAt: until, at }) {
      const isLimit = failureClass === "usage_limit";
      const kind = isLimit ? "usage_limit" : "retry";
      const waits = until !== undefined && !isOfMessage(before, turnId);
      return {
        ...changeWorker(before, worker, { status: isLimit ? "limited" : "error", since: at }),
        ...(waits ? { activity: { kind, worker, since: at, detail, until } } : {}),
      };
    },
    recovers: ({ class: failureClass, retry, retryAt, recovery = retry === 0 ? "reset" : "pause" }) =>
      retry === undefined ? undefined : { class: failureClass, recovery, until: retryAt },
    words: ({ role, class: failureClass, message, resetsAt, retryAt, recovery = "pause", at }) => {
      const reset = resetsAt === undefined ? "" : `; it is reset at ${resetsAt}`;
      const again = retryAt === undefined
        ? ""
        : `; ${RECOVERY_WORDS[recovery]}${isAtOnce(recovery, { at, retryAt }) ? "" : ` at ${retryAt}`}`;
      const shown = line(
        `${role} failed (${failureClass}): ${
          retryAt === undefined ? message : message.replace(/\.$/, "")
        }${reset}${again}`,
        retryAt === undefined ? "bad" : "caution",
      );
      return timed(shown, [resetsAt, retryAt]);
    },
    items: ({ role: lane, turnId: turn, class: failure, retryAt }, { title, times, text }) =>
      adds({
        kind: failure === "usage_limit" ? "limit" : retryAt === undefined ? "warning" : "retry",
        ...{ lane, turn, title, times, text, tone: retryAt === undefined ? "bad" : "caution" },
      }),
  }),
  /** What a role's session has used since its beginning, by the record of its CLI. */
  tokens_counted: loopRecord({
    role,
    /** The id of the CLI's own session. */
    session: text,
    usage,
    /** What it has cost, where the agent tells that. */
    cost: optional(toldCost),
    passable: flag,
  }, {
    state: (state, fact) => ({ ...state, tokens: takeCount(state.tokens, countOf(fact)) }),
    progress: (before, fact) => tokensCounted(before, countOf(fact)),
    meter(fact, state) {
      const usage = newIn(state?.tokens ?? NOTHING_COUNTED, countOf(fact));
      return { kind: "tokens_counted", worker: fact.role, usage };
    },
    ...COUNTED,
  }),
  /** The agent was at rest without a response file, and was reminded of it. */
  reminder_sent: loopRecord({ turnId: text, role, reminder: number }, {
    state: (state, { turnId, reminder }) => inTurn(state, { turnId }, { reminders: reminder }),
    progress: (before) => counted(before, "reminders"),
    words: ({ role, reminder }) => line(`${role}: reminded of its response file (reminder ${reminder})`, "caution"),
    // The message itself says so.
    items: () => [],
  }),
  /** The role's response file was read and archived: its turn is over. */
  response_received: loopRecord({
    turnId: text,
    role,
    bytes: number,
    /** The file in the archive, absolute. */
    archivedAs: text,
    /** SHA-256 of the file, hexadecimal. */
    sha256: text,
    seconds: number,
    /** What of the words of a review, written like no path, exists in the working directory. */
    names: optional(object({ files: listOf(text), folders: listOf(text) })),
    ...TAKEN,
  }, {
    isRest: true,
    paths: ({ archivedAs }, map) => ({ archivedAs: map(archivedAs) }),
    state(state, { turnId, role, archivedAs: path, bytes, sha256 }) {
      const baseline = state.turn?.filesNote;
      return {
        ...state,
        turn: undefined,
        changesDue: baseline === undefined ? undefined : { turnId, role, baseline },
        responses: [...state.responses, { turnId, role, path, bytes, sha256 }],
      };
    },
    progress: (before, { role, at }) => ({
      ...changeWorker(before, role, { status: "idle", since: at }),
      ...counted(before, "responses"),
      activity: undefined,
      ...waitsNoLonger(before, role),
    }),
    meter: ({ role: worker, seconds, takenFrom }) =>
      takenFrom === undefined ? { kind: "turn_ends", worker, seconds } : undefined,
    words({ role, bytes, seconds, archivedAs, takenFrom }) {
      const after = takenFrom === undefined ? ` after ${duration(seconds)}` : "";
      const kept = `kept as ${archivedAs.replace(/^.*\//, "")}`;
      return line(
        `${role}: response of ${byteSize(bytes)}${after}, ${kept}`,
        "plain",
        takenFrom === undefined ? "normal" : "detail",
      );
    },
    items: ({ role: lane, turnId: turn, archivedAs, sha256 }, { title }) => [
      closes(`turn:${lane}`),
      closes(`message:${lane}`),
      adds({
        ...{ kind: "response", lane, turn, title, tone: "plain" },
        details: [responseDetail(archived(archivedAs), sha256)],
      }),
    ],
  }),
} as const;

const RECOVERY_WORDS: Readonly<Record<Recovery, string>> = {
  reset: "trying again",
  pause: "trying again",
  continue: "trying again",
  interrupt: "interrupting it",
  restart: "starting its program again, with its session",
  fresh_session: "a new session takes its place",
  fallback: "another agent takes its place",
};

function isAtOnce(recovery: Recovery, { at, retryAt }: { readonly at: string; readonly retryAt: string }): boolean {
  if (recovery === "fallback") return Date.parse(retryAt) <= Date.parse(at);
  return recovery === "interrupt" || recovery === "restart" || recovery === "fresh_session";
}

/** The working directory may have been moved since: what counts is the name in the archive. */
function archived(path: string): string {
  return `responses/${path.replace(/^.*\//, "")}`;
}
