import type { Job } from "../../../lib/journal/loop/fields.ts";
import type { Role } from "../../../lib/base/roles.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import type { ExistingNames } from "../../../lib/base/text/paths_in.ts";
import { applyEvent, type RecordedEvent } from "../../../lib/jobs/review_loop/fold.ts";
import { promptOf } from "../../../lib/jobs/review_loop/prompts/mod.ts";
import { driveLoop, type LoopOptions } from "../../../lib/jobs/review_loop/loop.ts";
import { type ReviewLoopSettings, reviewLoopSettings } from "../../../lib/jobs/review_loop/settings.ts";
import type { RunState, Turn } from "../../../lib/jobs/review_loop/state.ts";
import type { TestCommand, TestCommandResult } from "../../../lib/jobs/test_command.ts";
import type { RunResult } from "../../../lib/run/execution.ts";
import { foldEvents } from "../../support/fold_events.ts";

export const JOB: Job = {
  introduction: "",
  exploreSummary: "Add a --shout flag to the greeter in src/greet.ts.",
  scenarioTest: "Run `greet --shout Ada` and see HELLO ADA.",
};

/** A review that holds everything that an approval needs. */
export const GOOD_REVIEW = `ARTEFACTS: the implementation in src/greet.ts is correct, its tests pass.
TRACEABILITY: scenario step 1 is covered by tests/greet_test.ts.
INTERFACES: opened src/greet.ts and tests/greet_test.ts; the function \`greet(name, options)\` keeps its signature.
ACTION_ITEMS:
- Keep \`greet\` as it is in src/greet.ts.
REVIEW_NOTES: I read both files and ran the tests.
REVIEW_RESULT: APPROVED`;

export const REVISE = "REVIEW_NOTES: The empty name is not handled.\nREVIEW_RESULT: REVISE";
export const PASS = "Ran the scenario: HELLO ADA.\nRESULT: PASS";
export const FAIL = "Ran the scenario: got hello ada.\nRESULT: FAIL";

/** One prompt that was sent, and to whom. */
export interface Sent {
  readonly role: Role;
  readonly prompt: string;
  readonly turn: Turn;
}

/** A loop that was run against scripted agents, and all that was seen of it. */
export interface ScriptedRun {
  readonly result: RunResult & { readonly rounds: number };
  readonly state: RunState;
  readonly sent: readonly Sent[];
  /** What followed from the responses, and what was told of turns and tests. */
  readonly events: readonly ReviewFact[];
  /** All that was recorded, what was there before included. */
  readonly journal: readonly RecordedEvent[];
  /** The turn ids in the order of the prompts. */
  readonly turnIds: readonly string[];
}

/** What each role answers, in order; the last answer is given again when they run out. */
export type Script = Readonly<Partial<Record<Role, readonly string[]>>>;

const DEFAULT_SCRIPT: Record<Role, readonly string[]> = {
  analyst: ["Analysis: change src/greet.ts."],
  analyst_review: [GOOD_REVIEW],
  programmer: ["Files changed: src/greet.ts."],
  programmer_review: [GOOD_REVIEW],
  tester: [PASS],
};

interface ScriptOptions extends Partial<Pick<LoopOptions, "isProgramGone" | "judge" | "signal">> {
  readonly runTestCommand?: (command: TestCommand, round: number) => Promise<TestCommandResult>;
  readonly job?: Job;
  readonly settings?: Partial<ReviewLoopSettings>;
  /** What an earlier process has recorded. @default {that the run was started} */
  readonly journal?: readonly RecordedEvent[];
  readonly answer?: (turn: Turn) => string | Promise<string>;
  readonly names?: ExistingNames;
  readonly onEvent?: (event: ReviewFact) => void;
}

/** A record as the journal has it: through JSON. */
export function recorded(event: ReviewFact, text?: string): RecordedEvent {
  const read = { at: "2026-11-20T12:00:00.000Z", ...JSON.parse(JSON.stringify(event)) };
  return text === undefined ? read : { ...read, text };
}

export function runStarted({ job = JOB, settings = {} }: Pick<ScriptOptions, "job" | "settings"> = {}): RecordedEvent {
  return recorded({
    type: "run_started",
    job: "run",
    runId: "r",
    workdir: "/job",
    folder: "/job/.panewright/runs/r",
    startAgent: "analyst",
    task: job,
    settings: reviewLoopSettings({ minReviewCyclesBeforeApproval: 1, ...settings }),
    origin: { configFile: null, cwd: "/job", flags: {} },
  });
}

/** Plays what is left of a loop. */
export async function runScripted(script: Script, options: ScriptOptions = {}): Promise<ScriptedRun> {
  const { answer = scripted(script), names, onEvent = () => {} } = options;
  const { signal = new AbortController().signal, isProgramGone = () => false } = options;
  const { runTestCommand = () => Promise.reject(new Error("there is no test command")) } = options;
  const journal = [...options.journal ?? [runStarted(options)]];
  const sent: Sent[] = [];
  const events: ReviewFact[] = [];
  let state = foldEvents(journal)!;
  const record = (event: ReviewFact, text?: string) => {
    const kept = recorded(event, text);
    if (event.type !== "response_received") {
      events.push(JSON.parse(JSON.stringify(event)));
      onEvent(event);
    }
    journal.push(kept);
    state = applyEvent(state, kept);
  };
  const result = await driveLoop({
    state: () => state,
    record,
    signal,
    takeAgent: () => Promise.resolve({ [Symbol.dispose]() {} }),
    async askAgent(turn) {
      const { id: turnId, role } = turn;
      sent.push({ role, turn, prompt: promptOf(state, turn) });
      const text = await answer(turn);
      const file = { archivedAs: `/a/${turnId}.md`, bytes: text.length, sha256: "0" };
      const named = names !== undefined && role.endsWith("_review") ? { names } : {};
      record({ type: "response_received", turnId, role, seconds: 1, ...file, ...named }, text);
    },
    runTestCommand: (command) => runTestCommand(command, state.loop.round),
    judge: options.judge ?? (() => Promise.resolve({ how: "", output: "" })),
    isProgramGone,
    beforeTold: () => Promise.resolve(),
  });
  const rounds = state.loop.round;
  return { result: { ...result, rounds }, state, sent, events, journal, turnIds: sent.map(({ turn }) => turn.id) };
}

/** Gives each role's answers one after the other. */
export function scripted(script: Script): (turn: Turn) => string {
  const asked = new Map<Role, number>();
  return ({ role }) => {
    const answers = script[role] ?? DEFAULT_SCRIPT[role] ?? [];
    const count = asked.get(role) ?? 0;
    asked.set(role, count + 1);
    return answers[Math.min(count, answers.length - 1)] ?? "";
  };
}
