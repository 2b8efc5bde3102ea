import { present } from "../../base/schema.ts";
import type { Recorded } from "../../journal/job.ts";
import { firstRecords, REVIEW_FOLDS, type ReviewFact } from "../../journal/loop/facts.ts";
import type { RunRecords } from "../../journal/loop/state.ts";
import type { Role } from "../../base/roles.ts";
import { applyResponse, applyTestCommandResult, startLoop } from "./machine.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS, type ReviewLoopSettings } from "./settings.ts";
import type { LoopContext, LoopState, RunState, Transition } from "./state.ts";

export type RecordedEvent = Recorded<ReviewFact> & {
  readonly text?: string;
};

/**
 * The state after an event: what a run resumes from; `undefined` before its first one.
 *
 * Any prefix of a journal is a state. What the state machine decides is not read from the journal: the same responses
 * and settings lead to the same decisions, and what of them the journal does not hold yet is `untold`.
 */
export function foldEvent(state: RunState | undefined, event: RecordedEvent): RunState | undefined {
  return state === undefined ? firstState(event) : applyEvent(state, event);
}

function firstState(event: RecordedEvent): RunState | undefined {
  if (event.type !== "run_started") return undefined;
  const records = withSettings(firstRecords(event));
  const { state: loop, events } = startLoop(contextOf(records));
  return { ...records, loop, untold: events };
}

export function applyEvent(before: RunState, event: RecordedEvent): RunState {
  const state = {
    ...withSettings(REVIEW_FOLDS.fold(before, event)),
    loop: before.loop,
    untold: untoldAfter(before, event),
  };
  switch (event.type) {
    case "run_resumed":
      // Whether the test command can be run there is not known.
      return event.carriedFrom === undefined ? state : { ...state, loop: withoutTestRun(state.loop) };
    case "agent_starting":
      // A new agent in a role has none of what the one before was sent, unless it resumes that one's session.
      return event.resumes === undefined ? withoutMemory(state, event.role) : state;
    case "agent_compacted":
      return withoutMemory(state, event.role);
    case "response_received": {
      const { turnId, archivedAs: file, names, text } = event;
      if (text === undefined) throw new TypeError(`Cannot apply the response to ${turnId}: its text is missing`);
      return follow(state, applyResponse(state.loop, { text, file, names }, contextOf(state)));
    }
    case "test_command_finished": {
      const { passed, exitCode, problem, seconds, timedOut, output, truncated } = event;
      const command = { passed, exitCode, seconds, timedOut, output, truncated, ...present({ problem }) };
      return follow(state, applyTestCommandResult(state.loop, command, contextOf(state)));
    }
    default:
      return state;
  }
}

/** From now on its prompts are those of a role that was told nothing yet. */
function withoutMemory(state: RunState, role: Role): RunState {
  return { ...state, loop: { ...state.loop, prompted: state.loop.prompted.filter((one) => one !== role) } };
}

/** An earlier version may not have known all settings of this one; the job's table of facts has checked the rest. */
function withSettings(records: RunRecords): RunRecords & Pick<RunState, "head"> {
  const settings = { ...DEFAULT_REVIEW_LOOP_SETTINGS, ...records.head.settings as ReviewLoopSettings };
  return { ...records, head: { ...records.head, settings } };
}

function withoutTestRun({ testCommandRan: _, ...loop }: LoopState): LoopState {
  return loop;
}

export function contextOf({ head: { workdir, task: job, settings } }: Pick<RunState, "head">): LoopContext {
  return { workdir, job, settings };
}

function follow(state: RunState, { state: loop, events: untold }: Transition): RunState {
  return { ...state, loop, untold };
}

/**
 * The state machine's events follow the one that they come from, in their order; warnings of others may come between.
 */
function untoldAfter({ untold }: RunState, event: RecordedEvent): RunState["untold"] {
  const [next, ...rest] = untold;
  if (next === undefined || next.type !== event.type) return untold;
  if (next.type === "warning" && event.type === "warning" && next.message !== event.message) return untold;
  return rest;
}
