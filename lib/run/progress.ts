import type { Usage } from "../providers/usage.ts";
import type { MessageWay } from "./inbox.ts";
import type { JobId, RunEnd } from "./run_facts.ts";
import { NOTHING_COUNTED, takeCount, type TokenCount, type TokenCounts, usageOfAll } from "./usage.ts";
import type { AgentQuestion } from "../providers/agent_question.ts";
import { isReserved, type ModelAnswers } from "../dialogs/settings.ts";
import type { DialogKind } from "../screen/dialog.ts";
import type { TerminalStatus } from "../screen/status.ts";
import { compareText } from "../text/order.ts";

/**
 * How a run stands, folded from the records of its journal alone: all that people, and programs that watch a run, are
 * shown. It is the same shape for both jobs and is valid after any prefix of a journal. Plain data; all times are ISO
 * 8601.
 */
export interface Progress {
  readonly job: JobId;
  readonly runId: string;
  /** The run's folder where a process last executed it, absolute. */
  readonly folder: string;
  readonly workdir: string;
  /** Absolute path of the config file; null where there was none. */
  readonly configFile: string | null;
  /** What the agents are to do, in one line. */
  readonly about: string;
  readonly startedAt: string;
  /** When the process that executes the run, or executed it last, began. */
  readonly executedSince: string;
  /** When the last record was written, and its type. */
  readonly lastAt: string;
  readonly lastRecord: string;
  /** Where in its job the run is, from the outermost level to the innermost; empty before the work begins. */
  readonly place: readonly Level[];
  /** The pipeline of the task under way; undefined for a review loop. */
  readonly pipeline: { readonly name: string; readonly steps: readonly string[] } | undefined;
  /** What happens at this moment; undefined between two activities. */
  readonly activity: Activity | undefined;
  /** The agents, in the order in which they were started: one a role, or the one of the step under way. */
  readonly workers: readonly Worker[];
  /** What a model may answer in place of a person. */
  readonly modelAnswers: ModelAnswers;
  /** What waits for a person; where several agents do, the first. */
  readonly waiting: Waiting | undefined;
  /** What waits for a person besides: an agent may be at work on a message from outside while another has its turn. */
  readonly alsoWaiting: readonly Waiting[];
  /** Messages from outside, oldest first: those that are not over, and of the others the last 20. */
  readonly messages: readonly OutsideMessageProgress[];
  /** Questions that have their answer, and dialogs that a person answered; oldest first. */
  readonly answers: readonly GivenAnswer[];
  /** What was finished, oldest first. */
  readonly done: readonly Done[];
  readonly counts: Counts;
  /** Tokens by model; empty where none were told. */
  readonly usage: Usage;
  /** Tokens by role, or by step as its caps are named (`main/build`). */
  readonly tokens: TokenCounts;
  /** The last warnings, at most 20, oldest first. */
  readonly warnings: readonly Warning[];
  /** The tmux session with the agents' panes. */
  readonly session: SessionState | undefined;
  /** Whether keys may be pressed in the agents' terminals from outside. */
  readonly rawInput: boolean;
  /** How the run ended, until it is resumed. */
  readonly finished: Finished | undefined;
}

/** One level of a place, such as round 2 of 8. */
export interface Level {
  readonly unit: "round" | "cycle" | "task" | "step" | "attempt";
  /** Counts from 1; round 0: none has begun; a step that is one more than there are: all have passed. */
  readonly number: number;
  /** How many there are, or may be. */
  readonly of?: number;
  /** The step's name, or the absolute path of the task. */
  readonly name?: string;
}

/**
 * What happens at this moment.
 *
 * - `starting`: agents start; `turn`: an agent works on a prompt
 * - `tests`: the project's tests run; `check`: a check of a step does
 * - `usage_limit`: the account's limit is waited for; `retry`: a turn that failed waits to be tried again
 */
export interface Activity {
  readonly kind: "starting" | "turn" | "tests" | "check" | "usage_limit" | "retry";
  readonly since: string;
  /** When a wait ends, as far as that is known. */
  readonly until?: string;
  /** Whose turn it is. */
  readonly worker?: string;
  /**
   * The command of the tests, the description of the check, what is said about the limit or the failure, or why a
   * message waits.
   */
  readonly detail?: string;
}

/** An agent. */
export interface Worker {
  /** The role, or the name of the step. */
  readonly name: string;
  readonly provider: string;
  readonly status: WorkerStatus;
  readonly since: string;
  /** The id of its CLI's own session. */
  readonly sessionId: string | undefined;
  /** How it is driven; missing where it is in a pane, or works on a step. */
  readonly protocol?: "acp";
  /** The pane that it was ready in; undefined while it starts, and where it has none. */
  readonly pane: AgentPane | undefined;
  /** Its process, where it has no pane and is driven by a protocol. */
  readonly process?: AgentProcess;
  /** The folder of its attempt with what it says and runs, relative to the run's; undefined where it has a pane. */
  readonly folder: string | undefined;
}

/**
 * What an agent does, as far as it is recorded.
 *
 * - `starting`: it is being started, or about to be
 * - `prompting`: its turn has begun, and its prompt is not sent yet
 * - `prompted`: it was sent a prompt, and has shown no sign of work since
 * - `limited`: its account's usage limit is reached; `lost`: its program has ended by itself
 */
export type WorkerStatus = TerminalStatus | "starting" | "prompting" | "prompted" | "limited" | "lost";

/** A message from outside for an agent, and how far it is. */
export interface OutsideMessageProgress {
  readonly id: string;
  /** The role. */
  readonly worker: string;
  readonly by: MessageWay;
  /** Who sends it, as the sender says. */
  readonly who?: string;
  readonly wantsResponse: boolean;
  readonly receivedAt: string;
  /**
   * `waiting`: for its agent; `sending`: its turn has begun; `sent`: the agent has it; `answered`: the turn is over;
   * `failed`: it is not sent any more, or its turn has failed
   */
  readonly status: "waiting" | "sending" | "sent" | "answered" | "failed";
  readonly since: string;
  /** Why it has failed, as a full sentence. */
  readonly reason?: string;
  /** The file with the response, absolute; missing as long as there is none, or where none was wanted. */
  readonly archivedAs?: string;
}

/** A question, or a dialog, that nobody has answered yet. */
export interface Waiting {
  /** Unique in its run: `q1`. Missing where only the agent's pane takes the answer. */
  readonly id: string | undefined;
  /** The role, or the step, that asks. */
  readonly by: string;
  /** The question's text, or in words what the dialog asks for and why it was not decided. */
  readonly text: string;
  readonly askedAt: string;
  /** Whether it takes a yes or a no: a call of a step's agent needs a permission. @default {false} */
  readonly isPermission?: boolean;
  /** Whether only a person may answer it, and no model. @default {false} */
  readonly reserved?: boolean;
  /** Tells this dialog, or this request for a permission, from any other; missing for a question of a step. */
  readonly fingerprint?: string;
  /** What a dialog asks for; missing for a question. */
  readonly dialog?: WaitingDialog;
}

/** A dialog of an agent that only a person may answer. */
export interface WaitingDialog {
  readonly kind: DialogKind;
  /** The command, the files, one on each line, or questions as a person reads them; undefined where it is not known. */
  readonly subject: string | undefined;
  /** Why it is not answered automatically, as a full sentence. */
  readonly reason: string;
  readonly terminalId: string;
  readonly timeoutSeconds: number;
  /** What it asks, where an answer is more than a yes or a no. */
  readonly questions?: readonly AgentQuestion[];
}

/** A question or a dialog, and what was said to it. */
export interface GivenAnswer {
  /** Undefined for a dialog that was answered in its pane. */
  readonly id: string | undefined;
  /** The role, or the step, that asked. */
  readonly worker: string;
  readonly asked: string;
  readonly answer: string;
  /** How the answer was given: `terminal`, `command`, `timeout`, `person`, `mcp` (by a model over MCP), … */
  readonly by: string;
  /** Who gave it, where that has a name. */
  readonly who?: string;
  readonly at: string;
}

/** A round, a review, a step or a task that was finished. */
export interface Done {
  readonly unit: "round" | "cycle" | "task" | "step";
  readonly number: number;
  /** The role that decided, the step's name, or the path of the task. */
  readonly name?: string;
  readonly outcome: "pass" | "fail";
  readonly reason?: string;
  readonly at: string;
}

/** How often things have happened in a run. */
export interface Counts {
  /** Prompts that began a turn, or an attempt of a step. */
  readonly turns: number;
  readonly responses: number;
  readonly reminders: number;
  /** Dialogs that the policy answered; those that a person answered are in neither. */
  readonly acceptedDialogs: number;
  readonly declinedDialogs: number;
}

/** Something that a person should know of. */
export interface Warning {
  readonly at: string;
  readonly message: string;
}

/** A tmux session that the run's panes are in. */
export interface SessionState {
  readonly socket: string;
  readonly name: string;
  /** Whether the session is a person's own. */
  readonly existing: boolean;
  /** What everything that is started in it carries in its environment. */
  readonly mark: string;
  /** Whether it is known to have been opened. */
  readonly opened: boolean;
}

/** What an agent's program is known by. */
export interface AgentProcess {
  readonly pid: number;
  /** In the notation of the process table; undefined where it was not known. */
  readonly processStart: string | undefined;
}

/** What an agent's pane is known by. */
export interface AgentPane extends AgentProcess {
  readonly terminalId: string;
  readonly wrapperShell: string | undefined;
  readonly launchedAtMs: number;
  /** The folders besides the working directory in which its sandbox lets commands write; missing without a sandbox. */
  readonly sandbox?: readonly string[];
}

/** How a run ended. */
export interface Finished {
  readonly outcome: RunEnd;
  readonly reason: string;
  readonly at: string;
  /** Resumes the run; missing where there is nothing to resume. */
  readonly resumeCommand?: string;
}

/** The progress of a run before its first record. */
export function initialProgress(job: JobId): Progress {
  return {
    job,
    runId: "",
    folder: "",
    workdir: "",
    configFile: null,
    about: "",
    startedAt: "",
    executedSince: "",
    lastAt: "",
    lastRecord: "",
    place: [],
    pipeline: undefined,
    activity: undefined,
    workers: [],
    modelAnswers: "questions",
    waiting: undefined,
    alsoWaiting: [],
    messages: [],
    answers: [],
    done: [],
    counts: { turns: 0, responses: 0, reminders: 0, acceptedDialogs: 0, declinedDialogs: 0 },
    usage: {},
    tokens: NOTHING_COUNTED,
    warnings: [],
    session: undefined,
    rawInput: false,
    finished: undefined,
  };
}

/** What a record changes in a progress. */
export type Change = Partial<Progress>;

/** What changes where the run's panes are not its own any more. */
export function withoutPanes({ workers }: Progress): Pick<Progress, "session" | "workers"> {
  return { session: undefined, workers: workers.map((worker) => ({ ...worker, pane: undefined })) };
}

/** The progress after a record, given what the record's own job makes of it. */
export function afterRecord(
  before: Progress,
  record: { readonly type: string; readonly at: string },
  change: Change,
): Progress {
  return Object.assign({ ...before, lastAt: record.at, lastRecord: record.type }, change);
}

/** One more of something that is counted. */
export function counted({ counts }: Progress, name: keyof Counts): Pick<Progress, "counts"> {
  return { counts: { ...counts, [name]: counts[name] + 1 } };
}

/** Tokens that were counted. */
export function tokensCounted(before: Progress, count: TokenCount): Pick<Progress, "usage" | "tokens"> {
  const tokens = takeCount(before.tokens, count);
  return { tokens, usage: usageOfAll(tokens) };
}

const MAX_WARNINGS = 20;

/** A warning more; the oldest makes way for it. */
export function warned({ warnings }: Progress, warning: Warning): Pick<Progress, "warnings"> {
  return { warnings: [...warnings, warning].slice(-MAX_WARNINGS) };
}

/** What waits for a person, after an agent has begun to; it waits for one thing at a time. */
export function waitsFor(before: Pick<Progress, "waiting" | "alsoWaiting" | "modelAnswers">, waiting: Waiting) {
  const judged = judgedBy(before.modelAnswers, waiting);
  return asWaiting([...allWaiting(before).filter(({ by }) => by !== waiting.by), judged]);
}

/** What a process says that a model may answer; what waits already is judged by it. */
export function modelsMay(before: Progress, modelAnswers = before.modelAnswers): Change {
  return { modelAnswers, ...asWaiting(allWaiting(before).map((waiting) => judgedBy(modelAnswers, waiting))) };
}

/** Marks what only a person may answer. */
function judgedBy(modelAnswers: ModelAnswers, { reserved: _, ...waiting }: Waiting): Waiting {
  const { isPermission = false, dialog } = waiting;
  const isReservedOne = isReserved(modelAnswers, {
    isPermission: isPermission || (dialog !== undefined && dialog.questions === undefined),
  });
  return isReservedOne ? { ...waiting, reserved: true } : waiting;
}

/** What waits for a person, when an agent does not any longer. */
export function waitsNoLonger(before: Pick<Progress, "waiting" | "alsoWaiting">, by: string) {
  return asWaiting(allWaiting(before).filter((waiting) => waiting.by !== by));
}

/** All that waits for a person, the first one first. */
export function allWaiting(
  { waiting, alsoWaiting }: Pick<Progress, "waiting" | "alsoWaiting">,
): readonly Waiting[] {
  return waiting === undefined ? [] : [waiting, ...alsoWaiting];
}

function asWaiting([waiting, ...alsoWaiting]: readonly Waiting[]): Pick<Progress, "waiting" | "alsoWaiting"> {
  return { waiting, alsoWaiting };
}

const MAX_MESSAGES_OVER = 20;

/** A message from outside as it is now; one that is new comes last. */
export function messageChanged(
  { messages }: Pick<Progress, "messages">,
  id: string,
  change: Partial<OutsideMessageProgress>,
): Pick<Progress, "messages"> {
  const changed = messages.map((message) => message.id === id ? { ...message, ...change } : message);
  // Those that were over first go first, whenever they had arrived.
  const over = changed.filter((message) => message.id !== id && isMessageOver(message))
    .toSorted((one, other) => compareText(one.since, other.since));
  const isOneMore = changed.some((message) => message.id === id && isMessageOver(message));
  const dropped = new Set(isOneMore ? over.slice(0, 1 - MAX_MESSAGES_OVER) : []);
  return { messages: dropped.size === 0 ? changed : changed.filter((message) => !dropped.has(message)) };
}

function isMessageOver({ status }: OutsideMessageProgress): boolean {
  return status === "answered" || status === "failed";
}

/** How many tasks of a pipeline have passed. */
export function tasksPassed({ done }: Progress): number {
  return done.filter(({ unit, outcome }) => unit === "task" && outcome === "pass").length;
}

/** The workers with one of them changed; those of other names stay as they are. */
export function changeWorker({ workers }: Progress, name: string, change: Partial<Worker>): Pick<Progress, "workers"> {
  return { workers: workers.map((worker) => worker.name === name ? { ...worker, ...change } : worker) };
}

/** Whether the agents of a run are known to have no panes: all of them are driven by a protocol. */
export function isWithoutPanes(progress: Pick<Progress, "session" | "workers"> | undefined): boolean {
  return progress?.session === undefined && progress?.workers.some(({ protocol }) => protocol !== undefined) === true;
}

/** The worker of that name. */
export function workerOf({ workers }: Pick<Progress, "workers">, name: string | undefined): Worker | undefined {
  return workers.find((worker) => worker.name === name);
}

/**
 * The level of a place.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(levelOf({ place: [{ unit: "round", number: 2, of: 8 }] }, "round")?.number, 2);
 * ```
 */
export function levelOf({ place }: Pick<Progress, "place">, unit: Level["unit"]): Level | undefined {
  return place.find((level) => level.unit === unit);
}

/** A place down to a level, with that level as it is now. */
export function atLevel({ place }: Pick<Progress, "place">, level: Level): Pick<Progress, "place"> {
  const index = place.findIndex(({ unit }) => unit === level.unit);
  return { place: [...(index < 0 ? place : place.slice(0, index)), level] };
}
