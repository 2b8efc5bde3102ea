import type { NewDetail } from "../items/source.ts";
import { flag, number, oneOf, optional, present, text } from "../../base/schema.ts";
import { tokensIn } from "../../base/usage.ts";
import { entriesOf } from "../entry.ts";
import { closes, type ItemChange, opens } from "../items/item_changes.ts";
import { counted } from "../progress.ts";
import { waitsFor, waitsNoLonger } from "../waiting.ts";
import { detail, line } from "../words/lines.ts";
import { duration, plural } from "../words/words.ts";
import { messageKind, role, TAKEN } from "./fields.ts";
import { inTurn, newTurn, type RunRecords } from "./state.ts";
import { turnActivity, turnBegins, turnPlace, waitEnds } from "./place.ts";

const loopRecord = entriesOf<RunRecords>();

/** The turns of a review loop: how one begins, and its message goes out. */
export const TURN_BEGINS = {
  /** A prompt is about to be sent to a role. */
  turn_started: loopRecord({
    turnId: text,
    role,
    round: number,
    /** 1 for the first exchange between an author and its reviewer; 0 for the tester. */
    cycle: number,
    promptBytes: number,
    ...TAKEN,
  }, {
    state: ({ judged = [], ...state }, fact) => ({
      ...state,
      ...(fact.role === "programmer_review" && judged.length > 0 ? { judged } : {}),
      turn: newTurn(fact, tokensIn(state.tokens.byWorker[fact.role] ?? {})),
      // An earlier version did not tell it: by now others may have changed what they liked.
      changesDue: undefined,
    }),
    progress: (before, fact) =>
      fact.takenFrom === undefined ? { ...turnBegins(before, fact, "prompting"), ...counted(before, "turns") } : {},
    meter: ({ role: worker, takenFrom }) => takenFrom === undefined ? { kind: "turn_begins", worker } : undefined,
    words: (record) =>
      record.takenFrom === undefined ? detail(`${record.role}: its turn begins (${turnPlace(record)})`) : line(
        `${record.role}: its turn (${turnPlace(record)}) was done before the attempts, in run ${record.takenFrom}`,
      ),
    items: (fact, _words) => [workItem(fact, "works")],
  }),
  /** The turn that an earlier process has begun continues. */
  turn_resumed: loopRecord({ turnId: text, role, round: number, cycle: number }, {
    progress: (before, fact) => turnBegins(before, fact, "prompted"),
    meter: ({ role: worker }) => ({ kind: "turn_continues", worker }),
    words: (record) => line(`${record.role}: continues its turn (${turnPlace(record)})`),
    items: (fact, _words) => [workItem(fact, "continues its turn")],
  }),
  /** About to press keys: first to paste a message, then to submit it. */
  message_sending: loopRecord({
    turnId: text,
    role,
    terminalId: text,
    what: messageKind,
    /** Whether it is about to be pasted, or submitted. */
    step: oneOf("paste", "enter"),
    /** The file with the message's text, below the run's folder. */
    file: text,
    bytes: number,
    /** SHA-256 of the text, hexadecimal. */
    sha256: text,
    /** When it was dispatched, by the clock of the response folder's file system. */
    dispatchedAtMs: optional(number),
  }, {
    state: (state, { turnId, what, file, sha256, step, dispatchedAtMs }) =>
      inTurn(state, { turnId }, { message: { what, file, sha256, step }, ...present({ dispatchedAtMs }) }),
    words: ({ role, what, file, step }) => detail(`${role}: ${what} ${file}: ${step}`),
    items({ role: lane, turnId: turn, what, file, step, bytes }) {
      // It is kept before it is pasted; the same file is named again for the key that submits it.
      if (step === "enter") return [];
      const details: readonly NewDetail[] = [{ kind: "prompt", title: `The ${what}`, from: "file", path: file }];
      const title = `${what} of ${plural(bytes, "byte")}: being sent`;
      return opens(`message:${lane}`, { kind: "prompt", lane, turn, title, details });
    },
  }),
  /** A message cannot be sent yet: its agent is at work on something else, or a person's draft is in its composer. */
  message_held: loopRecord({
    turnId: text,
    role,
    terminalId: text,
    what: messageKind,
    obstacle: oneOf("at_work", "draft"),
    /** How long that is waited for at most. */
    timeoutSeconds: number,
    /** Shows the pane to a person; missing where the agent has none. */
    attachCommand: optional(text),
    passable: flag,
  }, {
    progress(before, { role: by, what, obstacle, at }) {
      const after = { ...before, ...waitEnds(before, { role: by, at }) };
      switch (obstacle) {
        case "at_work": {
          const doing = turnActivity(after, by, `at work on something else, its ${what} waits`);
          return { ...doing, ...waitsNoLonger(after, by) };
        }
        case "draft": {
          const text = `a person's draft is in its composer, and its ${what} waits`;
          return { ...turnActivity(after, by, text), ...waitsFor(after, { id: undefined, by, text, askedAt: at }) };
        }
      }
    },
    words: ({ role, terminalId, what, obstacle, timeoutSeconds, attachCommand }) =>
      obstacle === "at_work"
        ? line(
          `${role}: at work on something else; its ${what} waits, for at most ${duration(timeoutSeconds)}`,
          "caution",
        )
        : line(
          `${role}: a person's draft is in its composer (terminal ${terminalId}), and its ${what} waits, for at most ` +
            `${duration(timeoutSeconds)}; submit it or delete it${
              attachCommand === undefined ? "" : ` with: ${attachCommand}`
            }`,
          "caution",
          "always",
        ),
    items: ({ role: lane, turnId: turn }, { title, text }) =>
      opens(`held:${lane}`, { kind: "warning", lane, turn, title, text, tone: "caution" }),
  }),
  /** It does not wait any longer: the way is free, or it was given up. */
  message_released: loopRecord({ turnId: text, role, passable: flag }, {
    progress: (before, { role }) => ({ ...turnActivity(before, role, undefined), ...waitsNoLonger(before, role) }),
    words: ({ role }) => detail(`${role}: waits no longer`),
    items: ({ role: lane }) => closes(`held:${lane}`),
  }),
} as const;

function workItem(
  { role: lane, turnId: turn, round, cycle }: {
    readonly role: string;
    readonly turnId: string;
    readonly round: number;
    readonly cycle: number;
  },
  what: string,
): ItemChange {
  const place = cycle === 0 ? `round ${round}` : `round ${round}, cycle ${cycle}`;
  return opens(`turn:${lane}`, { kind: "work", lane, turn, title: `${what} (${place})` });
}
