import { adds, closes, opens } from "../items/item_changes.ts";
import { toldCost, usage } from "../../base/usage.ts";
import { flag, listOf, number, object, oneOf, optional, present, text } from "../../base/schema.ts";
import { line, note, outputOf, paragraph, tokensOf } from "../words/lines.ts";
import { duration } from "../words/words.ts";
import { counted, type Progress, tokensCounted } from "../progress.ts";
import type { Worker } from "../workers.ts";
import { newIn, takeCount } from "../usage.ts";
import { plainName } from "./place.ts";
import type { ExecState, LaneState } from "./state.ts";
import { entriesOf } from "../entry.ts";

const laneRecord = entriesOf<ExecState>();

const OF_LANE = {
  task: number,
  /** Absolute path of the task. */
  file: text,
} as const;

/** How a folder's tasks are done side by side, and come together. */
export const LANE_RECORDS = {
  /** The tasks are done side by side from now on, and come together in a target. */
  lanes_opened: laneRecord({
    /** The name of the target among the workspaces. */
    target: text,
    /** The commit that it began with. */
    base: text,
    /** How many at a time. */
    parallel: number,
  }, {
    state: (state, { target }) => ({ ...state, target, lanes: [] }),
    words: ({ target, parallel }) =>
      line(`up to ${parallel} tasks at a time, each in a workspace; they come together in ${target}`),
  }),
  /** A task, or the merge of one, is begun in a workspace. */
  lane_started: laneRecord({
    ...OF_LANE,
    of: number,
    purpose: oneOf("task", "merge"),
    workspace: text,
    /** Absolute path of the folder in which its agents work. */
    workdir: text,
    base: text,
    problem: optional(object({ conflicts: listOf(text), output: text })),
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { task: number, file, purpose, workspace, workdir, base, problem }) => ({
      ...withLane(state, {
        ...{ number, file, purpose, workspace, workdir, base, stage: "working" },
        ...present({ problem }),
      }),
      begun: Math.max(state.begun, number),
    }),
    progress: (before, { file, at }) => ({
      workers: [...others(before, file), laneWorker(file, { provider: "", status: "starting", since: at })],
    }),
    words: ({ task, of, file, purpose, workspace }) =>
      line(
        purpose === "task"
          ? `task ${task} of ${of}: ${plainName(file)}, in the workspace ${workspace}`
          : `${
            plainName(file)
          }: an agent brings it together with what was landed meanwhile, in the workspace ${workspace}`,
        "heading",
      ),
    items: ({ file }, { title }) => opens(`lane:${file}`, { kind: "round", lane: plainName(file), title }),
  }),
  /** An agent of it begins a turn. */
  lane_turn_started: laneRecord({
    ...OF_LANE,
    /** The id of the run of its own. */
    run: text,
    step: text,
    attempt: number,
    provider: text,
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { file }) => ({ ...state, tokens: withoutCount(state.tokens, file) }),
    progress: (before, { file, provider, at }) => ({
      workers: [...others(before, file), laneWorker(file, { provider, status: "processing", since: at })],
      tokens: withoutCount(before.tokens, file),
      ...counted(before, "turns"),
    }),
    meter: ({ file }) => ({ kind: "turn_begins", worker: plainName(file) }),
    words: ({ file, step, attempt, provider, run }) => [
      line(`${plainName(file)}: step "${step}"${attempt === 1 ? "" : `, attempt ${attempt}`} (${provider})`),
      line(`${plainName(file)} is run ${run}`, "plain", "detail"),
    ],
    items: ({ file }, { title }) => opens(`turn:${file}`, { kind: "work", lane: plainName(file), title }),
  }),
  /** What that turn has used so far. */
  lane_counted: laneRecord({ ...OF_LANE, usage, cost: optional(toldCost), passable: flag }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { file, usage }) => ({ ...state, tokens: takeCount(state.tokens, countOf(file, usage)) }),
    progress: (before, { file, usage }) => tokensCounted(before, countOf(file, usage)),
    meter: ({ file, usage }, { tokens }) => ({
      ...{ kind: "tokens_counted", worker: plainName(file) },
      usage: newIn(tokens, { source: file, usage }),
    }),
    words: () => [],
    items: () => [],
  }),
  /** That turn is over. */
  lane_turn_ended: laneRecord({ ...OF_LANE, outcome: oneOf("completed", "failed", "asked"), seconds: number, usage }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { file, usage }) => ({ ...state, tokens: takeCount(state.tokens, countOf(file, usage)) }),
    progress: (before, { file, outcome, usage, at }) => ({
      ...tokensCounted(before, countOf(file, usage)),
      workers: before.workers.map((worker) =>
        worker.name === plainName(file) ? { ...worker, since: at, status: STATUS_AFTER[outcome] } : worker
      ),
    }),
    meter: ({ file, usage, seconds, outcome }, { tokens }) => ({
      ...{ kind: "turn_ends", worker: plainName(file), seconds, failed: outcome === "failed" },
      usage: newIn(tokens, { source: file, usage }),
    }),
    words: ({ file, outcome, seconds, usage }) =>
      line(
        `${plainName(file)}: the agent's turn ${TURN_ENDS[outcome]} after ${duration(seconds)}${tokensOf(usage)}`,
        outcome === "completed" ? "plain" : "caution",
      ),
    items: ({ file }, { title }) => closes(`turn:${file}`, { kind: "work", lane: plainName(file), title }),
  }),
  /** An agent of it asks a person; its run has the question, and takes the answer. */
  lane_asked: laneRecord({ ...OF_LANE, run: text, text, answerCommand: text }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    words: ({ file, text: asked, answerCommand }) =>
      paragraph(`${plainName(file)} asks: ${asked.trim()}\nAnswer with:  ${answerCommand}`, "caution", "always"),
    items: ({ file, text }, { title }) =>
      adds({ kind: "question", lane: plainName(file), title: title.split("\n", 1)[0] ?? "", text, tone: "caution" }),
  }),
  /** Its run has ended, or waits for an answer. */
  lane_ended: laneRecord({
    ...OF_LANE,
    outcome: oneOf("pass", "fail", "waiting"),
    reason: text,
    /** What came of it; missing where that could not be taken. */
    commit: optional(text),
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { file, outcome, commit }) =>
      inTurn(changeLane(state, file, { stage: STAGE_AFTER[outcome], ...present({ commit }) }), file),
    progress: (before, { file, outcome }) => outcome === "waiting" ? {} : { workers: others(before, file) },
    words: ({ file, outcome, reason }) =>
      line(
        `${plainName(file)}: ${ENDS[outcome]}${outcome === "pass" ? "" : note(reason)}`,
        outcome === "pass" ? "plain" : "caution",
      ),
    items: ({ file }, { title }) => closes(`lane:${file}`, { kind: "note", lane: plainName(file), title }),
  }),
  /** It is merged with what was landed before; the target does not have it yet. */
  merge_started: laneRecord({ ...OF_LANE, commit: text, onto: text }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { file, commit }) => changeLane(state, file, { candidate: commit }),
    progress: (_before, { file, at }) => ({
      activity: { kind: "check", since: at, detail: `merge ${plainName(file)}` },
    }),
    words: ({ file, commit }) => line(`${plainName(file)}: merged as ${commit.slice(0, 12)}; its checks run there`),
    items: ({ file }, { title }) => opens("merge", { kind: "check", lane: plainName(file), title }),
  }),
  /** The merge is in the target, or was given up. */
  merge_finished: laneRecord({
    ...OF_LANE,
    /** `nothing`: it changes no file. `conflict`: git cannot merge it. `failed`: a check fails on the two together. */
    outcome: oneOf("landed", "nothing", "conflict", "failed"),
    detail: text,
    output: text,
  }, {
    paths: ({ file }, map) => ({ file: map(file) }),
    state: (state, { file, outcome }) =>
      outcome === "landed" || outcome === "nothing" ? changeLane(state, file, { stage: "landed" }) : state,
    progress: () => ({ activity: undefined }),
    words: ({ file, outcome, detail, output }) => [
      line(
        `${plainName(file)}: ${MERGED[outcome]}${note(detail)}`,
        outcome === "landed" ? "good" : outcome === "nothing" ? "plain" : "caution",
      ),
      ...outputOf(output),
    ],
    items: ({ file, outcome, output }, { title }) =>
      closes("merge", {
        ...{ kind: "verdict", lane: plainName(file), title, text: output },
        tone: outcome === "landed" ? "good" : outcome === "nothing" ? "plain" : "caution",
      }),
  }),
} as const;

const STAGE_AFTER = { pass: "passed", fail: "failed", waiting: "waiting" } as const;

const STATUS_AFTER = { completed: "completed", failed: "error", asked: "waiting_user_answer" } as const;

const TURN_ENDS = { completed: "ended", failed: "failed", asked: "asks" } as const;

const ENDS = { pass: "passed in its workspace", fail: "failed", waiting: "waits" } as const;

const MERGED = {
  landed: "landed",
  nothing: "nothing to land, as it changes no file",
  conflict: "cannot be merged with what was landed before",
  failed: "merged with what was landed before, a check fails",
} as const;

/** A process that takes up the run plays all anew that has not come to its end. */
export function lanesTakenUp({ lanes }: Pick<ExecState, "lanes">): Pick<ExecState, "lanes"> {
  if (lanes === undefined) return {};
  return { lanes: lanes.map((lane) => lane.stage === "failed" ? again(lane) : lane) };
}

/** What was not merged is merged anew, and may have another agent for that. */
function again(lane: LaneState): LaneState {
  return lane.commit === undefined ? { ...lane, stage: "working" } : { ...lane, stage: "passed", purpose: "task" };
}

function withLane(state: ExecState, lane: LaneState): ExecState {
  return { ...state, lanes: [...(state.lanes ?? []).filter(({ file }) => file !== lane.file), lane] };
}

function changeLane(state: ExecState, of: string, change: Partial<LaneState>): ExecState {
  return { ...state, lanes: (state.lanes ?? []).map((lane) => lane.file === of ? { ...lane, ...change } : lane) };
}

/** First come, first merged. */
function inTurn(state: ExecState, of: string): ExecState {
  const { lanes = [] } = state;
  return { ...state, lanes: lanes.toSorted((one, other) => Number(one.file === of) - Number(other.file === of)) };
}

function others({ workers }: Progress, file: string): readonly Worker[] {
  return workers.filter(({ name }) => name !== plainName(file));
}

function laneWorker(file: string, about: Pick<Worker, "provider" | "status" | "since">): Worker {
  return { name: plainName(file), ...about, sessionId: undefined, pane: undefined, folder: undefined };
}

function countOf(file: string, usage: Parameters<typeof newIn>[1]["usage"]) {
  return { worker: plainName(file), source: file, usage };
}

function withoutCount(tokens: ExecState["tokens"], file: string): ExecState["tokens"] {
  const { [file]: _, ...bySource } = tokens.bySource;
  return { ...tokens, bySource };
}
