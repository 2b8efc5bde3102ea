import { END } from "./fields.ts";
import { allAsked } from "./question.ts";
import { ATTEMPT } from "./state.ts";
import type { ToldCost, Usage } from "../../base/usage.ts";
import { NOTHING_COUNTED, takeCount, type TokenCounts } from "../usage.ts";
import type { ExecFact } from "./facts.ts";
import { present } from "../../base/schema.ts";

export interface RunSummary {
  readonly runId: string;
  readonly target: string;
  readonly isFolder: boolean;
  readonly tasks: readonly TaskSummary[];
  readonly of: number;
  /** What the run has warned of. */
  readonly warnings?: readonly string[];
  /** What the last look at a PASS has found. */
  readonly judged?: { readonly remarks: readonly string[]; readonly problem?: string };
}

export type Outcome = "pass" | "fail" | "skipped" | "open";

export interface TaskSummary {
  readonly number: number;
  readonly file: string;
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly steps: readonly StepSummary[];
  readonly at: number;
}

export interface StepSummary {
  readonly name: string;
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly rounds: number;
  readonly ledTo?: string;
  readonly seconds: number;
  readonly usage: Usage;
  readonly cost?: ToldCost;
  readonly failedCheck?: FailedCheck;
  /** What it waits for a person to answer. */
  readonly questions?: readonly AskedQuestion[];
}

export interface AskedQuestion {
  readonly id: string;
  readonly text: string;
}

interface FailedCheck {
  readonly description: string;
  readonly detail: string;
  readonly output: string;
}

export interface SummaryFold {
  readonly summary: RunSummary;
  /** The tasks of the folder that were left when a process ended. */
  readonly notBegun: readonly TaskSummary[];
  readonly tokens: TokenCounts;
  readonly attemptCost: number;
}

/** Before the first fact. */
export const NO_SUMMARY: SummaryFold = {
  summary: { runId: "", target: "", isFolder: false, tasks: [], of: 0 },
  notBegun: [],
  tokens: NOTHING_COUNTED,
  attemptCost: 0,
};

const NOT_BEGUN = { outcome: "open", steps: [], at: 1 } as const;

/** A run's tasks in their order, with those that were not begun. */
export function wholeSummary({ summary, notBegun }: SummaryFold): RunSummary {
  const known = new Set(summary.tasks.map(({ file }) => file));
  const tasks = [...summary.tasks.toSorted((one, other) => one.number - other.number)];
  return { ...summary, tasks: [...tasks, ...notBegun.filter(({ file }) => !known.has(file))] };
}

function withWarnings(before: SummaryFold, messages: readonly string[]): SummaryFold {
  const { summary } = before;
  return { ...before, summary: { ...summary, warnings: [...summary.warnings ?? [], ...messages] } };
}

export function summarize(before: SummaryFold, fact: ExecFact): SummaryFold {
  const { summary, tokens } = before;
  switch (fact.type) {
    case "run_started": {
      const { runId, target: { kind, path } } = fact;
      return { ...before, summary: { ...summary, runId, target: path, isFolder: kind === "folder" } };
    }
    case "task_started": {
      const { task: number, file, steps: names, of } = fact;
      const earlier = summary.tasks.find((task) => task.file === file)?.steps ?? [];
      const steps = names.map((name) => newStep(name, earlier.find((step) => step.name === name)));
      const begun = { number, file, outcome: "open", steps, at: 1 } as const;
      return { ...before, summary: withTask(summary, begun, of) };
    }
    case "task_skipped": {
      const { task: number, file, of } = fact;
      return { ...before, summary: withTask(summary, { number, file, outcome: "skipped", steps: [], at: 1 }, of) };
    }
    case "task_continued": {
      const task = summary.tasks.find(({ file }) => file === fact.file);
      return task === undefined ? before : { ...before, summary: withTask(summary, task) };
    }
    case "tasks_left": {
      const known = new Set(summary.tasks.map(({ file }) => file));
      const left = fact.files.filter((file) => !known.has(file));
      const named = left.map((file, index) => ({ ...NOT_BEGUN, number: summary.tasks.length + index + 1, file }));
      return { ...before, notBegun: named };
    }
    case "step_started":
      return inStep(atStep(before, fact.step), ({ name, ...step }) => {
        return { name, outcome: "open", rounds: fact.round ?? 1, ...spentOf(step) };
      });
    case "attempt_started":
      return inStep(
        { ...before, tokens: { ...tokens, bySource: {} }, attemptCost: 0 },
        ({ failedCheck: _, questions: _asked, ...step }) => step,
      );
    case "tokens_counted":
      return counted(before, fact);
    case "attempt_finished":
      return inStep(counted(before, fact), (step) => ({ ...step, seconds: step.seconds + fact.seconds }));
    case "question_asked":
      return asked(counted(before, fact), fact);
    case "question_answered":
      return answered(before, fact.question);
    case "check_finished": {
      const { description = `check ${fact.check}`, detail, output, passed } = fact;
      return inStep(before, (step) => ({
        ...step,
        seconds: step.seconds + fact.seconds,
        ...(passed ? {} : { failedCheck: { description, detail, output } }),
      }));
    }
    case "step_finished": {
      const { outcome, reason, next } = fact;
      const isLed = outcome === "fail" && next !== undefined;
      const how = isLed
        ? { outcome: "open", reason: reason ?? "", ledTo: next.name ?? END } as const
        : ended(outcome, reason);
      const after = inStep(before, (step) => ({ ...step, ...how }));
      return outcome === "fail" && !isLed ? after : atStep(after, next?.step ?? fact.step + 1);
    }
    case "lane_started":
      return atTask(before, fact);
    case "lane_turn_ended":
      return laneCounted(before, fact);
    case "task_finished":
      return taskEnded(before, fact);
    case "evidence_gathered":
      // What was found before it was for the agent.
      return { ...before, summary: { ...summary, judged: fact } };
    case "warning":
      return withWarnings(before, [fact.message]);
    case "run_resumed":
      // What has failed is tried anew.
      return inStep(inTask(before, reopened), reopened);
    default:
      return before;
  }
}

/** What of a task that is done beside others is told as one step: its attempts, merges and landing. */
const ALL_OF_LANE = "all steps";

function laneCounted(before: SummaryFold, fact: Extract<ExecFact, { type: "lane_turn_ended" }>): SummaryFold {
  // Others count beside it: what is told here is all of its turn.
  const at = atTask({ ...before, tokens: { ...before.tokens, bySource: {} } }, fact);
  return inStep(counted(at, fact), (step) => ({ ...step, seconds: step.seconds + fact.seconds }));
}

function taskEnded(before: SummaryFold, fact: Extract<ExecFact, { type: "task_finished" }>): SummaryFold {
  const end = ended(fact.outcome, fact.reason);
  const left = fact.outcome === "pass" ? leftOut : (step: StepSummary) => step;
  return inTask(atTask(before, fact), (task) => ({
    ...{ ...task, ...end },
    steps: task.steps.map((step) => step.name === ALL_OF_LANE ? { ...step, ...end } : left(step)),
  }));
}

/** Has a task be the one under way; one that is not known is done beside others. */
function atTask(
  before: SummaryFold,
  { file, of = 0, task: number }: { file: string; of?: number; task: number },
): SummaryFold {
  const { summary } = before;
  const lane = { ...NOT_BEGUN, number, file, steps: [{ ...newStep(ALL_OF_LANE), rounds: 1 }] };
  const task = summary.tasks.find((one) => one.file === file) ?? lane;
  return { ...before, summary: withTask(summary, task, Math.max(of, summary.of)) };
}

/** How many tasks are done: they have passed now, or had before. */
export function tasksDone({ tasks }: RunSummary): number {
  return new Set(tasks.filter(({ outcome }) => outcome === "pass" || outcome === "skipped").map(({ file }) => file))
    .size;
}

/** A step that is not begun; it has cost what it did in an earlier try of its task. */
function newStep(name: string, earlier: Spent = NOTHING_SPENT): StepSummary {
  return { name, outcome: "open", rounds: 0, ...spentOf(earlier) };
}

type Spent = Pick<StepSummary, "seconds" | "usage" | "cost">;

function spentOf({ seconds, usage, cost }: Spent): Spent {
  return { seconds, usage, ...present({ cost }) };
}

const NOTHING_SPENT = { seconds: 0, usage: {} };

function leftOut(step: StepSummary): StepSummary {
  return step.outcome === "open" && step.ledTo === undefined ? { ...step, outcome: "skipped" } : step;
}

function withTask(summary: RunSummary, task: TaskSummary, of = 0): RunSummary {
  const others = summary.tasks.filter(({ file }) => file !== task.file);
  return { ...summary, tasks: [...others, task], of: Math.max(of, others.length + 1) };
}

function ended(outcome: "pass" | "fail", reason: string | undefined) {
  return { outcome, ...present({ reason }) };
}

function reopened<One extends TaskSummary | StepSummary>(one: One): One {
  if (one.outcome !== "fail") return one;
  const { reason: _, ...rest } = one;
  return { ...rest, outcome: "open" } as One;
}

function inTask(before: SummaryFold, change: (task: TaskSummary) => TaskSummary): SummaryFold {
  const { summary } = before;
  const last = summary.tasks.at(-1);
  return last === undefined
    ? before
    : { ...before, summary: { ...summary, tasks: [...summary.tasks.slice(0, -1), change(last)] } };
}

function inStep(before: SummaryFold, change: (step: StepSummary) => StepSummary): SummaryFold {
  return inTask(before, (task) => ({
    ...task,
    steps: task.steps.map((step, index) => index === task.at - 1 ? change(step) : step),
  }));
}

function asked(before: SummaryFold, fact: Extract<ExecFact, { type: "question_asked" }>): SummaryFold {
  const now = allAsked(fact).map(({ question: id, text }) => ({ id, text }));
  return inStep(before, ({ questions = [], ...step }) => (
    { ...step, seconds: step.seconds + fact.seconds, questions: [...questions, ...now] }
  ));
}

/** Whoever answers need not answer the task under way. */
function answered(before: SummaryFold, id: string): SummaryFold {
  const inOne = ({ questions = [], ...step }: StepSummary): StepSummary => {
    const left = questions.filter((question) => question.id !== id);
    return { ...step, ...(left.length === 0 ? {} : { questions: left }) };
  };
  const tasks = before.summary.tasks.map((task) => ({ ...task, steps: task.steps.map(inOne) }));
  return { ...before, summary: { ...before.summary, tasks } };
}

function atStep(before: SummaryFold, at: number): SummaryFold {
  return inTask(before, (task) => ({ ...task, at }));
}

function counted(
  before: SummaryFold,
  { usage, cost }: { readonly usage: Usage; readonly cost?: ToldCost | undefined },
): SummaryFold {
  const last = before.summary.tasks.at(-1);
  const worker = `${last?.steps[last.at - 1]?.name}/${last?.file}`;
  const tokens = takeCount(before.tokens, { worker, source: ATTEMPT, usage });
  const after = inStep({ ...before, tokens }, (step) => ({ ...step, usage: tokens.byWorker[worker] ?? {} }));
  if (cost === undefined) return after;
  return inStep({ ...after, attemptCost: cost.amount }, (step) => {
    const isSame = step.cost === undefined || step.cost.currency === cost.currency;
    const more = cost.amount - (isSame ? before.attemptCost : 0);
    return { ...step, cost: { ...cost, amount: (isSame ? step.cost?.amount ?? 0 : 0) + more } };
  });
}
