import { flag, number, oneOf, optional, present, text } from "../../base/schema.ts";
import type { Role } from "../../base/roles.ts";
import { MESSAGE_WAYS } from "../../base/terms.ts";
import { tokensIn } from "../../base/usage.ts";
import { entriesOf } from "../entry.ts";
import { adds, closes, type ItemChange, opens, responseDetail } from "../items/item_changes.ts";
import { messageChanged } from "../message_progress.ts";
import type { Change, Progress } from "../progress.ts";
import { waitsNoLonger } from "../waiting.ts";
import { detail, line } from "../words/lines.ts";
import { byteSize, duration, senderText } from "../words/words.ts";
import { changeWorker } from "../workers.ts";
import { role } from "./fields.ts";
import { inMessage, newTurn, type RunRecords } from "./state.ts";

const loopRecord = entriesOf<RunRecords>();

/** What comes to the agents of a review loop from outside: messages. */
export const OUTSIDE_RECORDS = {
  /**
   * A message from outside for a role's agent has arrived. Its turn has the message's id, and the records of turns:
   * `message_sent` says that the agent has it. No round and no verdict comes of it.
   */
  message_received: loopRecord({
    messageId: text,
    role,
    /** How it came; who sends over MCP is a model. */
    by: oneOf(...MESSAGE_WAYS),
    /** Who sends it, as the sender says. */
    who: optional(text),
    /** Whether the agent is asked for a response. */
    wantsResponse: flag,
    /** Of its text, which is in the run's inbox. */
    bytes: number,
    sha256: text,
  }, {
    state(state, { messageId: id, role, by, who, wantsResponse, sha256 }) {
      const from = who === undefined ? { by } : { by, who };
      const message = { id, role, ...from, wantsResponse, sha256, turn: undefined, isOver: false };
      return { ...state, messages: [...state.messages, message] };
    },
    progress(before, { messageId: id, role: worker, by, who, wantsResponse, at }) {
      const from = who === undefined ? { by } : { by, who };
      const message = { id, worker, ...from, wantsResponse, receivedAt: at, status: "waiting", since: at } as const;
      return { messages: [...before.messages, message] };
    },
    words: ({ role, messageId, by, who, bytes }) =>
      line(`${role}: message ${messageId} of ${byteSize(bytes)} has arrived from ${senderText({ by, who })}`),
    items: ({ role: lane, messageId: turn }, { title }) =>
      opens(`outside:${turn}`, { kind: "message", lane, turn, title }),
  }),
  /** The agent is free for it: its turn begins. */
  message_started: loopRecord({ messageId: text, role }, {
    state(state, { messageId: turnId, role }) {
      const turn = newTurn({ turnId, role }, tokensIn(state.tokens.byWorker[role] ?? {}));
      return inMessage(state, turnId, { turn });
    },
    progress: (before, fact) => sending(before, fact, "prompting"),
    meter: ({ role: worker }) => ({ kind: "turn_begins", worker }),
    words: ({ role, messageId }) => detail(`${role}: the turn of message ${messageId} begins`),
    items: ({ role: lane, messageId: turn }) => [messageBegins(lane, turn, "works on a message from outside")],
  }),
  /** The turn that an earlier process has begun continues. */
  message_resumed: loopRecord({ messageId: text, role }, {
    progress: (before, fact) => sending(before, fact, "prompted"),
    meter: ({ role: worker }) => ({ kind: "turn_continues", worker }),
    words: ({ role, messageId }) => line(`${role}: continues the turn of message ${messageId}`),
    items: ({ role: lane, messageId: turn }, { title }) => [messageBegins(lane, turn, title)],
  }),
  /** The message's turn is over. */
  message_answered: loopRecord({
    messageId: text,
    role,
    seconds: number,
    /** The response; missing where none was wanted. */
    bytes: optional(number),
    /** The file that it was archived as, absolute. */
    archivedAs: optional(text),
    sha256: optional(text),
  }, {
    paths: ({ archivedAs }, map) => archivedAs === undefined ? {} : { archivedAs: map(archivedAs) },
    state: (state, { messageId }) => inMessage(state, messageId, { turn: undefined, isOver: true }),
    progress: (before, { messageId, role, archivedAs, at }) => ({
      ...messageChanged(before, messageId, { status: "answered", since: at, ...present({ archivedAs }) }),
      ...changeWorker(before, role, { status: "idle", since: at }),
      ...waitsNoLonger(before, role),
    }),
    meter: ({ role: worker, seconds }) => ({ kind: "turn_ends", worker, seconds }),
    words: ({ role, messageId, bytes, seconds, archivedAs }) =>
      bytes === undefined || archivedAs === undefined
        ? line(`${role}: at rest after message ${messageId} (${duration(seconds)}); no response was wanted`)
        : line(
          `${role}: response of ${byteSize(bytes)} to message ${messageId} after ${duration(seconds)}, kept as ` +
            archivedAs.split("/").slice(-3).join("/"),
        ),
    items: ({ role: lane, messageId: turn, archivedAs, sha256 }, { title }) => [
      closes(`turn:${lane}`),
      closes(`message:${lane}`),
      closes(`outside:${turn}`),
      adds({
        ...{ kind: archivedAs === undefined ? "note" : "response", lane, turn, title },
        ...(archivedAs === undefined ? {} : { details: [responseDetail(replyPath(archivedAs), sha256)] }),
      }),
    ],
  }),
  /** The message is not sent any more, or its turn has failed; the run continues. */
  message_failed: loopRecord({
    messageId: text,
    role,
    /** As a full sentence. */
    reason: text,
    /** How long its turn took; missing where it was not begun. */
    seconds: optional(number),
  }, {
    state: (state, { messageId }) => inMessage(state, messageId, { turn: undefined, isOver: true }),
    progress: (before, { messageId, role, reason, seconds, at }) => ({
      ...messageChanged(before, messageId, { status: "failed", since: at, reason }),
      ...(seconds === undefined ? {} : waitsNoLonger(before, role)),
    }),
    meter: ({ role: worker, seconds }) => seconds === undefined ? undefined : { kind: "turn_ends", worker, seconds },
    words: ({ role, messageId, reason }) => line(`${role}: message ${messageId} failed: ${reason}`, "caution"),
    items: ({ role: lane, messageId: turn, seconds }, { title }) => [
      // Without a time its turn was not begun: the one under way is another one.
      ...(seconds === undefined ? [] : [closes(`turn:${lane}`)]),
      closes(`outside:${turn}`, { kind: "message", lane, turn, title, tone: "caution" }),
    ],
  }),
} as const;

function messageBegins(lane: string, turn: string, title: string): ItemChange {
  return opens(`turn:${lane}`, { kind: "work", lane, turn, title });
}

function replyPath(path: string): string {
  return path.split("/").slice(-3).join("/");
}

function sending(
  before: Progress,
  { messageId, role, at }: { readonly messageId: string; readonly role: Role; readonly at: string },
  status: "prompting" | "prompted",
): Change {
  return {
    ...messageChanged(before, messageId, { status: "sending", since: at }),
    ...changeWorker(before, role, { status, since: at }),
  };
}
