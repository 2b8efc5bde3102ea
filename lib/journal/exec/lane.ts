import { adds, closes, opens } from "../items/item_changes.ts";
import { type Usage, usage } from "../../base/usage.ts";
import { flag, listOf, number, object, oneOf, optional, present, text } from "../../base/schema.ts";
import { line, note, outputOf, paragraph, tokensOf } from "../words/lines.ts";
import { duration } from "../words/words.ts";
import { type Change, counted, type Progress, tokensCounted } from "../progress.ts";
import type { Worker } from "../workers.ts";
import { newIn, takeCount } from "../usage.ts";
import { plainName } from "./place.ts";
import type { ExecState, LaneState } from "./state.ts";
import { entriesOf } from "../entry.ts";
import type { MapPath } from "../paths.ts";

const laneRecord = entriesOf<ExecState>();

export const OF_WORK = {
  task: number,
  /** Absolute path of the task; only a name where the task is in no file. */
  file: text,
  /** The step of it, where its steps are done side by side; missing for a whole task. */
  part: optional(text),
} as const;

const OF_LANE = {
  ...OF_WORK,
  /** Which attempt of it, from 1; missing where it is tried once, and of what judges its attempts. */
  attempt: optional(number),
} as const;

/** What the lane of a task, of a step or of an attempt is called. */
export function laneName({ attempt, ...work }: Lane): string {
  return attempt === undefined ? workName(work) : `${workName(work)}#${attempt}`;
}

/** What a task, or a step that is done beside others, is called. */
export function workName({ file, part }: Pick<Lane, "file" | "part">): string {
  return part === undefined ? plainName(file) : `${plainName(file)}/${part}`;
}

/** A task or a step of one, or an attempt of either. */
export type Lane = Pick<LaneState, "file" | "part" | "attempt">;

export function isSameWork(one: Lane, other: Lane): boolean {
  return one.file === other.file && one.part === other.part;
}

export function isSameLane(one: Lane, other: Lane): boolean {
  return isSameWork(one, other) && one.attempt === other.attempt;
}

export const ITS_FILE = { paths: ({ file }: { readonly file: string }, map: MapPath) => ({ file: map(file) }) };

/** How tasks are done side by side, and come together. */
export const LANE_RECORDS = {
  /** Tasks are done side by side from now on, and come together in a target. */
  lanes_opened: laneRecord({
    /** The name of the target among the workspaces. */
    target: text,
    /** The commit that it began with. */
    base: text,
    /** How many lanes at a time. */
    parallel: number,
  }, {
    state: (state, { target }) => ({ ...state, target, lanes: [] }),
    progress: (_before, { target }) => ({ target }),
    words: ({ target, parallel }) =>
      line(`up to ${parallel} at a time, each in a workspace; what passes comes together in ${target}`),
  }),
  /** A task, an attempt of one, or the merge of one is begun in a workspace. */
  lane_started: laneRecord({
    ...OF_LANE,
    /** How many tasks, and steps that are done side by side, there are. */
    of: number,
    purpose: oneOf("task", "lead", "merge", "judge"),
    workspace: text,
    /** Absolute path of the folder in which its agents work. */
    workdir: text,
    base: text,
    problem: optional(object({ conflicts: listOf(text), output: text })),
    /** Of an attempt of a role: the run of those before it, and where they have worked. */
    lead: optional(object({ run: text, workdir: text })),
  }, {
    ...ITS_FILE,
    state: (state, { task: number, file, part, attempt, purpose, workspace, workdir, base, problem, lead }) => ({
      ...withLane(state, {
        ...{ number, file, purpose, workspace, workdir, base, stage: "working" },
        ...present({ part, attempt, problem, lead }),
      }),
      begun: Math.max(state.begun, number),
    }),
    progress: (before, { at, ...lane }) => withLaneAt(before, { lane, provider: "", status: "starting", since: at }),
    words: ({ task, of, purpose, workspace, ...lane }) =>
      line(
        purpose === "task"
          ? `${lane.part === undefined ? "task" : "step"} ${task} of ${of}: ${
            laneName(lane)
          }, in the workspace ${workspace}`
          : `${laneName(lane)}: ${WORK_OF[purpose]}, in the workspace ${workspace}`,
        "heading",
      ),
    items: (lane, { title }) => opens(`lane:${laneName(lane)}`, { kind: "round", lane: laneName(lane), title }),
  }),
  /** Its own run has begun, and no agent of it yet: whoever continues finds it. */
  lane_run_begun: laneRecord({ ...OF_LANE, run: text, passable: flag }, {
    ...ITS_FILE,
    state: (state, { run, ...lane }) => changeLane(state, lane, { run }),
    words: ({ run, ...lane }) => line(`${laneName(lane)}: its run ${run} begins`, "plain", "detail"),
    items: () => [],
  }),
  /** An agent of it begins a turn. */
  lane_turn_started: laneRecord({
    ...OF_LANE,
    /** The id of the run of its own. */
    run: text,
    step: text,
    /** Counts from 1 in the step. */
    stepAttempt: number,
    provider: text,
    /** The id of the turn, where the roles of a review loop do the task: the step is a role then. */
    turn: optional(text),
  }, {
    ...ITS_FILE,
    state: (state, { run, ...lane }) => ({
      ...changeLane(state, lane, { run }),
      tokens: withoutCount(state.tokens, lane),
    }),
    progress: (before, { provider, at, ...lane }) => ({
      ...withLaneAt(before, { lane, provider, status: "processing", since: at }),
      tokens: withoutCount(before.tokens, lane),
      ...counted(before, "turns"),
    }),
    meter: (lane) => ({ kind: "turn_begins", worker: laneName(lane) }),
    words: ({ step, stepAttempt, provider, run, turn, ...lane }) => [
      line(
        turn === undefined
          ? `${laneName(lane)}: step "${step}"${stepAttempt === 1 ? "" : `, attempt ${stepAttempt}`} (${provider})`
          : `${laneName(lane)}: ${step} begins its turn ${turn} (${provider})`,
      ),
      line(`${laneName(lane)} is run ${run}`, "plain", "detail"),
    ],
    items: (lane, { title }) => opens(`turn:${laneName(lane)}`, { kind: "work", lane: laneName(lane), title }),
  }),
  /** What that turn has used so far. */
  lane_counted: laneRecord({ ...OF_LANE, usage, passable: flag }, {
    ...ITS_FILE,
    state: (state, fact) => ({ ...state, tokens: takeCount(state.tokens, countOf(fact)) }),
    progress: (before, fact) => tokensCounted(before, countOf(fact)),
    meter: (fact, { tokens }) => ({
      ...{ kind: "tokens_counted", worker: laneName(fact) },
      usage: newIn(tokens, countOf(fact)),
    }),
    words: () => [],
    items: () => [],
  }),
  /** That turn is over. */
  lane_turn_ended: laneRecord({ ...OF_LANE, outcome: oneOf("completed", "failed", "asked"), seconds: number, usage }, {
    ...ITS_FILE,
    state: (state, fact) => ({ ...state, tokens: takeCount(state.tokens, countOf(fact)) }),
    progress: (before, { at, outcome, ...fact }) => ({
      ...tokensCounted(before, countOf(fact)),
      workers: before.workers.map((worker) =>
        worker.name === laneName(fact) ? { ...worker, since: at, status: STATUS_AFTER[outcome] } : worker
      ),
    }),
    meter: ({ seconds, outcome, ...fact }, { tokens }) => ({
      ...{ kind: "turn_ends", worker: laneName(fact), seconds, failed: outcome === "failed" },
      usage: newIn(tokens, countOf(fact)),
    }),
    words: ({ outcome, seconds, usage, ...lane }) =>
      line(
        `${laneName(lane)}: the agent ${TURN_ENDS[outcome]} after ${duration(seconds)}${tokensOf(usage)}`,
        outcome === "completed" ? "plain" : "caution",
      ),
    items: (lane, { title }) => closes(`turn:${laneName(lane)}`, { kind: "work", lane: laneName(lane), title }),
  }),
  /** An agent of it asks a person; its run has the question, and takes the answer. */
  lane_asked: laneRecord({ ...OF_LANE, run: text, text, answerCommand: text }, {
    ...ITS_FILE,
    words: ({ text: asked, answerCommand, ...lane }) => [
      paragraph(`${laneName(lane)} asks: ${asked.trim()}`, "caution", "always"),
      line(`Answer with:  ${answerCommand}`, "plain", "log"),
    ],
    items: ({ text, ...lane }, { title }) =>
      adds({ kind: "question", lane: laneName(lane), title: title.split("\n", 1)[0] ?? "", text, tone: "caution" }),
  }),
  /** Its run has ended, or waits for an answer. */
  lane_ended: laneRecord({
    ...OF_LANE,
    /** `stopped`: it cannot be landed any more, as another attempt was. */
    outcome: oneOf("pass", "fail", "waiting", "stopped"),
    reason: text,
    /** What came of it; missing where it has not passed. */
    commit: optional(text),
    /** Whether attempts begin with that, and it is not landed itself. */
    leads: optional(flag),
  }, {
    ...ITS_FILE,
    state: (state, { outcome, commit, leads = false, ...lane }) =>
      inTurn(changeLane(state, lane, { stage: leads ? "led" : STAGE_AFTER[outcome], ...present({ commit }) }), lane),
    progress: (before, { outcome, at, ...lane }) => outcome === "waiting" ? {} : leftBy(before, { at, ...lane }),
    words: ({ outcome, reason, leads = false, ...lane }) =>
      line(
        outcome === "pass" && !leads ? `${laneName(lane)} passed in its workspace` : `${laneName(lane)}: ${reason}`,
        outcome === "pass" || outcome === "stopped" ? "plain" : "caution",
      ),
    items: (lane, { title }) => closes(`lane:${laneName(lane)}`, { kind: "note", lane: laneName(lane), title }),
  }),
  /** It is merged with what was landed before; the target does not have it yet. */
  merge_started: laneRecord({ ...OF_LANE, commit: text, onto: text }, {
    ...ITS_FILE,
    state: (state, { commit, ...lane }) => changeLane(state, lane, { candidate: commit }),
    progress: (_before, { at, ...lane }) => ({
      activity: { kind: "check", since: at, detail: `merge ${laneName(lane)}` },
    }),
    words: ({ commit, ...lane }) => line(`${laneName(lane)}: merged as ${commit.slice(0, 12)}; its checks run there`),
    items: (lane, { title }) => opens("merge", { kind: "check", lane: laneName(lane), title }),
  }),
  /** The merge is in the target, or was given up. */
  merge_finished: laneRecord({
    ...OF_LANE,
    /**
     * `nothing`: it changes no file. `conflict`: git cannot merge it. `failed`: a check fails on the two together. `obeyed`: it
     * changes what agents obey, which only a person may.
     */
    outcome: oneOf("landed", "nothing", "conflict", "failed", "obeyed"),
    detail: text,
    output: text,
  }, {
    ...ITS_FILE,
    state: (state, { outcome, ...lane }) =>
      toneOf(outcome) === "caution" ? changeLane(state, lane, { stage: "unmerged" }) : landed(state, lane),
    progress: (before, { at }) => withWorkers({ ...before, activity: undefined }, { workers: before.workers, at }),
    words: ({ outcome, detail, output, ...lane }) => [
      line(
        `${laneName(lane)}: ${MERGED[outcome]}${outcome === "landed" ? ` (${detail})` : note(detail)}`,
        toneOf(outcome),
      ),
      ...outputOf(output),
    ],
    items: ({ outcome, output, ...lane }, { title }) =>
      closes("merge", { kind: "verdict", lane: laneName(lane), title, text: output, tone: toneOf(outcome) }),
  }),
} as const;

function toneOf(outcome: keyof typeof MERGED) {
  return outcome === "landed" ? "good" : outcome === "nothing" ? "plain" : "caution";
}

const WORK_OF = {
  lead: "the roles that come before its attempts begin",
  merge: "an agent brings it together with what was landed meanwhile",
  judge: "an agent says which of its attempts is the best",
} as const;

const STAGE_AFTER = { pass: "passed", fail: "failed", waiting: "waiting", stopped: "lost" } as const;

const STATUS_AFTER = { completed: "completed", failed: "error", asked: "waiting_user_answer" } as const;

const TURN_ENDS = { completed: "ended its turn", failed: "failed", asked: "was stopped to ask" } as const;

const MERGED = {
  landed: "landed",
  nothing: "nothing to land, as it changes no file",
  conflict: "cannot be merged with what was landed before",
  failed: "merged with what was landed before, a check fails",
  obeyed: "is not landed, as it changes what agents obey",
} as const;

/** A process that takes up the run plays all anew that has not come to its end. */
export function lanesTakenUp(
  { finished, lanes, questions }: Pick<ExecState, "finished" | "lanes" | "questions">,
): Partial<Pick<ExecState, "lanes" | "questions" | "chosen">> {
  if (lanes === undefined) return {};
  // What was chosen led to that end: a person who continues from there chooses anew.
  const isOver = finished?.outcome === "fail";
  const all = questions.map(({ choice, ...question }) => isOver ? question : { ...question, ...present({ choice }) });
  return { lanes: lanes.map(takenUp), questions: all, ...(isOver ? { chosen: [] } : {}) };
}

/** What was not merged is merged anew, and may have another agent for that. */
function takenUp(lane: LaneState): LaneState {
  if (lane.stage !== "failed" && lane.stage !== "unmerged") return lane;
  return lane.commit === undefined ? { ...lane, stage: "working" } : { ...lane, stage: "passed", purpose: "task" };
}

function withLane(state: ExecState, lane: LaneState): ExecState {
  const { lanes = [] } = state;
  const before = lanes.find((other) => isSameLane(other, lane));
  // Whoever comes later hears who did the work, and not who brought it together with other work.
  const { run, workdir = "", work = { workdir, ...present({ run }) } } = before ?? {};
  const added = lane.purpose === "merge" ? { ...lane, work } : lane;
  return { ...state, lanes: [...lanes.filter((other) => other !== before), added] };
}

function changeLane(state: ExecState, of: Lane, change: Partial<LaneState>): ExecState {
  return { ...state, lanes: (state.lanes ?? []).map((lane) => isSameLane(lane, of) ? { ...lane, ...change } : lane) };
}

/** A judge has nothing that could be landed. */
export function judged(state: ExecState, of: Lane): ExecState {
  return changeLane(state, { file: of.file, part: of.part }, { stage: "lost" });
}

/** A lane is at work no longer. */
export function leftBy(before: Progress, { at, ...lane }: Lane & { readonly at: string }): Change {
  return withWorkers(before, { workers: others(before, lane), at });
}

function landed(state: ExecState, of: Lane): ExecState {
  const ended = (lane: LaneState) => ({ ...lane, stage: isSameLane(lane, of) ? "landed" : "lost" } as const);
  return { ...state, lanes: (state.lanes ?? []).map((lane) => isSameWork(lane, of) ? ended(lane) : lane) };
}

/** First come, first merged. */
function inTurn(state: ExecState, of: Lane): ExecState {
  const isIt = (lane: LaneState) => Number(isSameLane(lane, of));
  return { ...state, lanes: (state.lanes ?? []).toSorted((one, other) => isIt(one) - isIt(other)) };
}

function others({ workers }: Progress, lane: Lane): readonly Worker[] {
  return workers.filter(({ name }) => name !== laneName(lane));
}

/** Those at work now, and that something happens as long as there are any. */
function withWorkers(
  { activity }: Progress,
  { at: since, workers }: { at: string; workers: readonly Worker[] },
): Change {
  const kept = activity?.kind === "turn" && workers.length === 0 ? undefined : activity;
  return { workers, activity: kept ?? (workers.length === 0 ? undefined : { kind: "turn", since }) };
}

type LaneWorker = Pick<Worker, "provider" | "status" | "since"> & { readonly lane: Lane };

function withLaneAt(before: Progress, { lane, ...worker }: LaneWorker): Change {
  const own = { name: laneName(lane), ...worker, sessionId: undefined, pane: undefined, folder: undefined };
  return withWorkers(before, { workers: [...others(before, lane), own], at: worker.since });
}

function countOf({ usage, ...lane }: Lane & { readonly usage: Usage }) {
  return { worker: laneName(lane), source: laneName(lane), usage };
}

function withoutCount(tokens: ExecState["tokens"], lane: Lane): ExecState["tokens"] {
  const { [laneName(lane)]: _, ...bySource } = tokens.bySource;
  return { ...tokens, bySource };
}
