import { adds, screenDetail } from "../items/item_changes.ts";
import { flag, listOf, number, oneOf, optional, text } from "../../base/schema.ts";
import { CHANGED, REPEATED } from "../common.ts";
import { entriesOf } from "../entry.ts";
import { LEFT, leftRunning, STAYED, withLeft } from "../left_running.ts";
import { detail, line } from "../words/lines.ts";
import { role } from "./fields.ts";
import { inTurn, type RunRecords } from "./state.ts";

const loopRecord = entriesOf<RunRecords>();

/** What a turn does to the files, what is kept of it, and what its agent repeats. */
export const WORK_RECORDS = {
  /** The files of the working directory were looked at, before and after a turn that is to change some. */
  files_seen: loopRecord({
    turnId: text,
    role,
    moment: oneOf("before", "after"),
    /** Their fingerprint; missing where it cannot be told. */
    files: optional(text),
    passable: flag,
  }, {
    state: (state, { turnId, moment }) => moment === "before" ? inTurn(state, { turnId }, { filesSeen: true }) : state,
    meter: ({ moment, turnId: turn, files }) =>
      moment === "before" ? { kind: "work_begins", files } : { kind: "work_ends", turn, files },
    words: ({ role, moment, files }) =>
      detail(`${role}: files ${moment} its turn: ${files === undefined ? "unknown" : files.slice(0, 12)}`),
  }),
  /**
   * What the files are was noted before a turn that is to change some, to tell afterwards what it has changed.
   */
  files_noted: loopRecord({
    turnId: text,
    role,
    /** SHA-256 of the note, hexadecimal. */
    baseline: text,
    passable: flag,
  }, {
    state: (state, { turnId, baseline }) => inTurn(state, { turnId }, { filesNote: baseline }),
    words: ({ role }) => detail(`${role}: its files were looked at before its turn`),
  }),
  /** What a turn that is over has changed. */
  files_changed: loopRecord({
    turnId: text,
    role,
    /** Relative to the working directory. */
    files: listOf(text),
    /** How many more there are. */
    more: optional(number),
    /** Where `files.txt` with all of them is, relative to the run's folder. */
    folder: text,
    /** Whether `diff.patch` is there, too. */
    hasPatch: flag,
    /** Whether that was seen only when the run was resumed: what others have changed meanwhile is in it. */
    late: optional(flag),
    passable: flag,
  }, {
    state: changesTold,
    ...CHANGED,
  }),
  /** What a turn that was to change some files has changed is not known. */
  changes_unknown: loopRecord({
    turnId: text,
    role,
    /** Without a full stop. */
    reason: text,
    passable: flag,
  }, {
    state: (state, { turnId }) => inTurn(changesTold(state, { turnId }), { turnId }, { changesUnknown: true }),
    words: ({ role, reason }) => line(`${role}: what it changed is not known: ${reason}`, "caution"),
    items: ({ role: lane, turnId: turn }, { title }) => adds({ kind: "changes", lane, turn, title, tone: "caution" }),
  }),
  /** What an agent showed was kept: at a dialog that a person is asked about, or when its turn failed. */
  screen_kept: loopRecord({
    turnId: text,
    role,
    moment: oneOf("dialog", "failure"),
    /** Below the run's folder: `….ansi`, or `….txt` of an agent without a pane. */
    file: text,
    passable: flag,
  }, {
    words: ({ role, moment, file }) =>
      detail(
        `${role}: ${moment === "dialog" ? "its dialog" : "what it showed when its turn failed"} is kept as ${file}`,
      ),
    items({ role: lane, turnId: turn, moment, file }) {
      const details = [screenDetail(file)];
      if (moment === "failure") {
        const what = "what it showed when its turn failed";
        return adds({ kind: "warning", lane, turn, title: what, details, tone: "bad" });
      }
      const otherwise = { kind: "dialog", lane, turn, title: "its screen at the dialog", details } as const;
      return [{ do: "amend", key: `dialog:${lane}`, item: { details }, otherwise }];
    },
  }),
  /** Commands that the agent has left running when its turn ended. */
  commands_left: loopRecord({ turnId: optional(text), role, left: listOf(leftRunning), passable: flag }, {
    state: (state, { role, turnId, left }) => ({
      ...state,
      left: withLeft(state.left, { left, by: turnId === undefined ? role : `${role} in ${turnId}` }),
    }),
    ...LEFT,
  }),
  /** Commands that stayed until the run ended have been ended. */
  commands_ended: loopRecord({ left: listOf(leftRunning), passable: flag }, STAYED),
  /** The agent has run one command that often, with the same output and nothing else in between. */
  command_repeated: loopRecord({ turnId: text, role, command: text, times: number, passable: flag }, {
    meter: ({ role: worker, command, times }) => ({ kind: "command_repeats", worker, command, times }),
    ...REPEATED,
  }),
} as const;

function changesTold(state: RunRecords, { turnId }: { readonly turnId: string }): RunRecords {
  return state.changesDue?.turnId === turnId ? { ...state, changesDue: undefined } : state;
}
