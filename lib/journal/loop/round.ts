import { adds, closes, opens } from "../items/item_changes.ts";
import { flag, listOf, number, oneOf, optional, present, text } from "../../base/schema.ts";
import { entriesOf } from "../entry.ts";
import { detail, line, note, outputOf, shortened } from "../words/lines.ts";
import { duration } from "../words/words.ts";
import { role } from "./fields.ts";
import type { RunRecords } from "./state.ts";
import { inRound, turnPlace } from "./place.ts";

const loopRecord = entriesOf<RunRecords>();

/** A round begins. */
export const ROUND_BEGINS = {
  /** A round begins: work, its review, and the test. */
  round_started: loopRecord({ round: number, maxRounds: number }, {
    progress: (before, { round: number, maxRounds: of }) => inRound(before, { number, of }),
    words: ({ round, maxRounds }) => line(`round ${round} of ${maxRounds}`, "heading"),
    items: (_fact, { title }) => opens("round", { kind: "round", title }),
  }),
} as const;

/** Verdicts of a round, and the project's tests. */
export const ROUND_RECORDS = {
  /** A reviewer has given its verdict. */
  review_decided: loopRecord({
    role,
    round: number,
    cycle: number,
    verdict: oneOf("APPROVED", "REVISE"),
    /** Why an approval was not accepted, or a verdict had to be assumed. */
    note: optional(text),
  }, {
    progress: (before, { cycle: number, role: name, verdict, note: reason, at }) => ({
      done: [...before.done, {
        ...{ unit: "cycle", number, name, outcome: verdict === "APPROVED" ? "pass" : "fail" },
        ...{ at, ...present({ reason }) },
      }],
    }),
    words: (record) =>
      line(
        `${record.role}: ${record.verdict} (${turnPlace(record)})${note(record.note)}`,
        record.verdict === "APPROVED" ? "good" : "caution",
      ),
    items: ({ role: lane, verdict }, { title }) =>
      adds({ kind: "verdict", lane, title, tone: verdict === "APPROVED" ? "good" : "caution" }),
  }),
  /** The reviewer has not approved in as many exchanges as are allowed. */
  review_limit_reached: loopRecord({ role, round: number, then: oneOf("proceed", "fail") }, {
    words: ({ role, then }) =>
      then === "proceed"
        ? line(`${role}: no approval by the last cycle; the work continues`, "caution")
        : line(`${role}: no approval by the last cycle; the run ends`, "bad"),
    items: ({ role: lane, then }, { title }) =>
      adds({ kind: "limit", lane, title, tone: then === "proceed" ? "caution" : "bad" }),
  }),
  /** The project's test command runs. */
  test_command_started: loopRecord({ round: number, command: text }, {
    progress: (_before, { command, at }) => ({ activity: { kind: "tests", since: at, detail: command } }),
    words: ({ command }) => line(`project tests: ${command}`),
    items: ({ command }) => opens("tests", { kind: "tests", title: "project tests", text: command }),
  }),
  /** The project's test command has ended. */
  test_command_finished: loopRecord({
    round: number,
    passed: flag,
    exitCode: number,
    seconds: number,
    timedOut: flag,
    /** The end of what the command wrote, without control characters; may be many lines. */
    output: text,
    /** Whether older output was dropped. */
    truncated: flag,
    /** Why what has passed does not hold. */
    problem: optional(text),
  }, {
    isRest: true,
    progress: () => ({ activity: undefined }),
    words: ({ passed, problem, timedOut, exitCode, seconds, output }) => {
      const took = `after ${duration(seconds)}`;
      const how = passed
        ? `passed ${took}`
        : problem !== undefined
        ? `passed ${took}, but that does not hold: ${shortened(problem)}`
        : timedOut
        ? `stopped ${took}: time limit`
        : `failed ${took}: exit code ${exitCode}`;
      return [line(`project tests ${how}`, passed ? "good" : "bad"), ...outputOf(output)];
    },
    items: ({ passed, output, truncated }, { title }) =>
      closes("tests", {
        ...{ kind: "tests", title, tone: passed ? "good" : "bad" },
        ...(output.trim() === "" ? {} : {
          text: output,
          details: [{
            kind: "output",
            title: truncated ? "What the tests wrote, as far as it was kept" : "What the tests wrote",
            from: "record",
            text: output,
          }],
        }),
      }),
  }),
  /** The round is over, with its verdict. */
  round_finished: loopRecord({ round: number, verdict: oneOf("PASS", "FAIL"), note: optional(text) }, {
    progress: (before, { round: number, verdict, note: reason, at }) => ({
      done: [...before.done, {
        ...{ unit: "round", number, outcome: verdict === "PASS" ? "pass" : "fail" },
        ...{ at, ...present({ reason }) },
      }],
    }),
    words: ({ round, verdict, note: why }) =>
      line(`round ${round}: ${verdict}${note(why)}`, verdict === "PASS" ? "good" : "bad"),
    items: ({ verdict }, { title }) => [
      closes("round"),
      adds({ kind: "verdict", title, tone: verdict === "PASS" ? "good" : "bad" }),
    ],
  }),
  /** By what git would run something was noted, before any agent worked: a hash and a name for each. */
  git_noted: loopRecord({ acts: listOf(text), passable: flag }, {
    state: (state, { acts: gitActs }) => ({ ...state, gitActs: state.gitActs ?? gitActs }),
    words: () => detail("what git would run at a commit was noted"),
  }),
  /** A command of the post-processing has ended; `problem` says what went wrong. */
  post_processed: loopRecord({ command: text, problem: optional(text) }, {
    state: (state, { command }) => ({ ...state, postProcessed: [...state.postProcessed, command] }),
    words: ({ command }) => detail(`post-processing: ${command}`),
    items: ({ command, problem }) =>
      adds({
        ...{ kind: "note", title: `post-processing: ${command}`, tone: problem === undefined ? "plain" : "bad" },
        ...present({ text: problem }),
      }),
  }),
} as const;
