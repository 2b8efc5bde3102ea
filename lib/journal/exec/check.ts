import { adds, closes, opens } from "../items/item_changes.ts";
import { flag, listOf, number, oneOf, optional, present, text } from "../../base/schema.ts";
import { detail, line, note, outputOf, paragraph, shortened, type ShownLine } from "../words/lines.ts";
import { duration, plural } from "../words/words.ts";
import { changeAgent } from "./place.ts";
import { atStage, attemptFailed, type ExecState, inStep, type StepState } from "./state.ts";
import { entriesOf } from "../entry.ts";
import { CHANGED } from "../common.ts";
import { steadyText } from "../../base/text/steady_text.ts";
import { cut } from "../../base/text/display_width.ts";

const stepRecord = entriesOf<ExecState>();

/** What is looked at after an attempt: the files that it changed, and the checks of its step. */
export const CHECK_RECORDS = {
  /** All files of the working directory are looked at, which can take a while. */
  files_look_started: stepRecord({ task: number, step: number, moment: oneOf("before", "after"), passable: flag }, {
    progress: (_before, { at }) => (
      { activity: { kind: "check", since: at, detail: "the files of the working directory" } }
    ),
    words: ({ moment }) => detail(`looking at the files of the working directory, ${moment} the step`),
  }),
  /** It was looked for files that the step may not write. */
  writes_checked: stepRecord({
    task: number,
    step: number,
    /** Files changed outside of allow_write, relative to the working directory. */
    outside: listOf(text),
    /** How many more there are. */
    more: optional(number),
    /** Why it cannot be told which files were changed. */
    untold: optional(text),
    /** Whether such files, or that it cannot be told, make the step fail. */
    enforced: flag,
    note: optional(text),
  }, {
    state(state, fact) {
      const problem = fact.enforced ? writesProblem(fact) : undefined;
      return problem === undefined
        ? atStage(state, { kind: "completed", writesChecked: true, checked: 0 })
        : attemptFailed(state, problem);
    },
    progress(before, { enforced, outside, untold, at }) {
      const isWrong = enforced && (outside.length > 0 || untold !== undefined);
      return { activity: undefined, ...(isWrong ? changeAgent(before, { status: "error", since: at }) : {}) };
    },
    words: ({ outside, more = 0, untold, enforced, note: why }) => {
      if (untold === undefined && outside.length === 0) return detail("nothing was written outside of allow_write");
      const others = more === 0 ? "" : ` and ${more} more`;
      const found = untold === undefined
        ? `${plural(outside.length + more, "file")} changed outside of allow_write: ${outside.join(", ")}${others}`
        : `cannot tell which files were changed: ${untold}`;
      return line(`${enforced ? "" : "warning: "}${found}${note(why)}`, enforced ? "bad" : "caution");
    },
    items: ({ outside, untold, enforced }, { title, lane }) =>
      outside.length === 0 && untold === undefined
        ? []
        : adds({ kind: "warning", lane, title, tone: enforced ? "bad" : "caution" }),
  }),
  /** What a step that is over has changed; with what its checks have. */
  files_changed: stepRecord({
    task: number,
    step: number,
    /** Relative to the working directory. */
    files: listOf(text),
    /** How many more there are. */
    more: optional(number),
    /** Where `files.txt` with all of them is, relative to the run's folder. */
    folder: text,
    /** Whether `diff.patch` is there, too. */
    hasPatch: flag,
    /** How many lines it adds and removes. */
    lines: optional(number),
    passable: flag,
  }, {
    state: (state, { files: names, more = 0, lines }) =>
      inStep(state, (step) => ({ ...step, files: { names, more, ...present({ lines }) } })),
    ...CHANGED,
  }),
  /** A check of the step begins. */
  check_started: stepRecord({
    task: number,
    step: number,
    /** Counts from 1. */
    check: number,
    description: text,
  }, {
    progress: (_before, { description, at }) => ({ activity: { kind: "check", since: at, detail: description } }),
    words: ({ description }) => detail(`check: ${description}`),
    items: ({ description }, { lane }) => opens("check", { kind: "check", lane, title: `check: ${description}` }),
  }),
  /** A check of the step has ended. */
  check_finished: stepRecord({
    task: number,
    step: number,
    check: number,
    /** What was checked, as when it started; missing in older journals. */
    description: optional(text),
    passed: flag,
    /** Whether it could not be made: it says nothing of the work then. */
    notMade: optional(flag),
    /** Why it failed, or what it found. */
    detail: text,
    /** The end of what a command wrote, without control characters; may be many lines. */
    output: text,
    seconds: number,
    /** What the review says that was checked; `none` where it states no unambiguous verdict. */
    verdict: optional(oneOf("APPROVED", "REVISE", "none")),
    /** A fingerprint of the working directory's files, where the check failed and may be tried again. */
    files: optional(text),
  }, {
    isRest: true,
    state(state, { notMade, passed, check: checked, detail, output, verdict }) {
      if (notMade === true) return inStep(state, (step) => withoutCheck(step, detail));
      if (passed) {
        return inStep(
          state,
          (step) => step.stage.kind === "completed" ? { ...step, stage: { ...step.stage, checked } } : step,
        );
      }
      const check = verdict === undefined ? "other" : verdict === "REVISE" ? "revise" : "no_verdict";
      return attemptFailed(state, detail, { output, check });
    },
    progress: (before, { passed, at }) => ({
      activity: undefined,
      ...(passed ? {} : changeAgent(before, { status: "error", since: at })),
    }),
    meter({ step, check, passed, detail, output, files }, state) {
      if (passed) return undefined;
      const name = state.current?.steps[step - 1] ?? "";
      const steady = steadyText(`${detail}\n${output}`);
      return { kind: "check_fails", check: `check ${check} of step ${name}`, output: steady, files };
    },
    words: ({ check, description, detail: found, passed, seconds, output }) => {
      const what = description === undefined || description === found ? "" : `, ${shortened(description)}`;
      const told = `check ${check}${what}: ${found} (${duration(seconds)})`;
      return passed ? [line(told, "good"), ...outputOf(output.trim())] : [line(told, "bad"), ...endOf(output.trim())];
    },
    items: ({ passed, output }, { title, lane }) =>
      closes("check", {
        ...{ kind: "check", lane, title, tone: passed ? "good" : "bad" },
        ...(output.trim() === ""
          ? {}
          : { text: output, details: [{ kind: "output", title: "What it wrote", from: "record", text: output }] }),
      }),
  }),
} as const;

/** What a step has written that it may not; `undefined` where it is all right. */
function writesProblem(
  { outside, more = 0, untold, note }: {
    readonly outside: readonly string[];
    readonly more?: number;
    readonly untold?: string;
    readonly note?: string;
  },
): string | undefined {
  if (untold !== undefined) return `cannot tell which files it changed: ${untold}`;
  if (outside.length === 0) return undefined;
  const others = more === 0 ? "" : ` and ${more} more`;
  return `it changed files outside of allow_write: ${outside.join(", ")}${others}${
    note === undefined ? "" : ` (${note})`
  }`;
}

/** The agent has no part in a check that could not be made, and is not told of it. */
function withoutCheck(step: StepState, reason: string): StepState {
  const { stage } = step;
  if (stage.kind !== "completed") return step;
  return { ...step, stage: { kind: "unchecked", reason, final: false, writesChecked: stage.writesChecked } };
}

/** What a check wrote that failed: its end for everybody, what came before with `--verbose`. */
function endOf(output: string): readonly ShownLine[] {
  const lines = output.split("\n");
  const end = lines.slice(-END_LINES).map((row) => cut(row, END_WIDTH)).join("\n");
  return [...outputOf(lines.slice(0, -END_LINES).join("\n")), ...(end === "" ? [] : [paragraph(end)])];
}

/** Lines of a failed check's output that everybody is shown, and columns of each. */
const END_LINES = 20;

const END_WIDTH = 500;
