import type { Role } from "../../lib/base/roles.ts";
import { openJournal } from "../../lib/journal/journal.ts";
import { type RunFolder, runFolderAt } from "../../lib/run/run_folder.ts";
import { parseJob } from "../../lib/jobs/review_loop/job.ts";
import type { ReviewFact } from "../../lib/journal/loop/facts.ts";
import { DEFAULT_REVIEW_LOOP_SETTINGS } from "../../lib/jobs/review_loop/settings.ts";
import type { ExecFact } from "../../lib/journal/exec/facts.ts";

/** A run's folder, written as a run would have: a second passes before each record. */
export interface WrittenRun {
  readonly workdir: string;
  readonly id: string;
  readonly events: readonly (ReviewFact | ExecFact)[];
  /** The time of the first record. @default {the one in the id} */
  readonly startedAt?: Date;
}

/** Writes the folder of a run that nobody executes. */
export async function writeRun({ workdir, id, events, startedAt }: WrittenRun): Promise<RunFolder> {
  const folder = runFolderAt(workdir, id);
  await Deno.mkdir(folder.responsesDir, { recursive: true });
  let nowMs = (startedAt ?? timeOfId(id)).getTime();
  const wallClock = () => new Date(nowMs += 1000);
  using journal = openJournal(folder.journalPath, { wallClock, fault: "none" });
  for (const event of events) journal.append(event);
  return folder;
}

/** The id of the run that tests write where any will do. */
export const RUN_ID = "20261120-072605-3fa9";

/** Writes the folder of a review loop, with what happened after it began. */
export async function writeReview(
  dir: { readonly path: string },
  events: readonly ReviewFact[],
  id: string = RUN_ID,
): Promise<RunFolder> {
  return await writeRun({ workdir: dir.path, id, events: [reviewStarted(dir.path, id), ...events] });
}

function timeOfId(id: string): Date {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)/.exec(id) ?? [];
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

/** The first record of a review loop. */
export function reviewStarted(workdir: string, id: string): ReviewFact {
  const job =
    "Teach the greeter manners.\n*** ORIGINAL EXPLORE SUMMARY ***\nIt is rude.\n*** SCENARIO TEST ***\nGreet.";
  return {
    type: "run_started",
    job: "run",
    runId: id,
    workdir,
    folder: `${workdir}/.panewright/runs/${id}`,
    startAgent: "analyst",
    task: parseJob(job),
    settings: DEFAULT_REVIEW_LOOP_SETTINGS,
    origin: { configFile: `${workdir}/panewright.jsonc`, cwd: workdir, flags: {} },
  };
}

/** The records of a session with one agent that is ready. */
export function agentReady(
  options: { readonly socket?: string; readonly pid?: number; readonly processStart?: string } = {},
): readonly ReviewFact[] {
  const { socket = "panewright-no-such-server", pid = 2 ** 22, processStart = "1" } = options;
  return [
    { type: "session_opening", socket, session: "panewright", existing: false, mark: `test-${socket}` },
    { type: "session_opened", attachCommand: `tmux -L ${socket} attach-session -t =panewright` },
    { type: "agent_starting", role: "programmer", provider: "codex" },
    {
      type: "agent_ready",
      role: "programmer",
      terminalId: "%1",
      seconds: 1,
      pid,
      processStart,
      launchedAtMs: 0,
    },
    { type: "agent_session", role: "programmer", sessionId: "019a-77" },
  ];
}

/** The records of a role's agent that is ready, and is driven by the Agent Client Protocol. */
export function acpReady(role: Role, { pid = 2 ** 22 }: { readonly pid?: number } = {}): readonly ReviewFact[] {
  return [
    { type: "agent_starting", role, provider: "gemini", protocol: "acp" },
    { type: "agent_ready", role, terminalId: `acp-${role}`, seconds: 1, pid, processStart: "1", launchedAtMs: 0 },
  ];
}

/** The records of a turn of the programmer that is under way. */
export const PROGRAMMER_AT_WORK: readonly ReviewFact[] = [
  { type: "round_started", round: 2, maxRounds: 8 },
  { type: "turn_started", turnId: "r2-programmer-c1", role: "programmer", round: 2, cycle: 1, promptBytes: 900 },
  { type: "reminder_sent", turnId: "r2-programmer-c1", role: "programmer", reminder: 1 },
  { type: "status_changed", turnId: "r2-programmer-c1", role: "programmer", status: "processing" },
];

/** The last record of a review loop. */
export function reviewFinished(
  outcome: Extract<ReviewFact, { type: "run_finished" }>["outcome"],
  reason = "it was said so",
): ReviewFact {
  return { type: "run_finished", outcome, rounds: 2, seconds: 60, reason };
}

/** A dialog that waits for a person. */
export function dialogWaiting(id: string, question: string | undefined): ReviewFact {
  return {
    type: "dialog_waiting",
    turnId: "r2-programmer-c1",
    role: "programmer",
    terminalId: "%1",
    kind: "command",
    subject: "rm -rf \x1b[2Jbuild",
    fingerprint: "f",
    reason: "No rule allows it.",
    ...(question === undefined ? {} : { question }),
    runId: id,
    attachCommand: "tmux -L x attach-session -t =panewright",
    timeoutSeconds: 600,
  };
}

/** A run of `panewright exec` whose second step has asked a question and stands still. */
export function execWaiting(workdir: string, id: string): readonly ExecFact[] {
  const usage = { "gpt-6": { inputTokens: 1200, cachedInputTokens: 0, outputTokens: 40 } };
  const folder = `${workdir}/.panewright/runs/${id}`;
  const at = "2026-11-20T07:30:00.000Z";
  return [
    {
      type: "run_started",
      job: "exec",
      runId: id,
      workdir,
      folder,
      target: { kind: "task", path: `${workdir}/add-login.md` },
      configFile: null,
      overrides: {},
    },
    {
      type: "task_started",
      task: 1,
      file: `${workdir}/add-login.md`,
      pipeline: "default",
      steps: ["plan", "build"],
      text: "Add a login.",
    },
    {
      type: "step_started",
      task: 1,
      step: 1,
      name: "plan",
      provider: "codex",
      autonomyLevel: 3,
      startedAt: at,
    },
    { type: "step_finished", task: 1, step: 1, name: "plan", outcome: "pass", attempts: 1 },
    { type: "step_started", task: 1, step: 2, name: "build", provider: "codex", autonomyLevel: 3, startedAt: at },
    {
      type: "attempt_started",
      task: 1,
      step: 2,
      attempt: 1,
      reason: "first",
      native: false,
      folder: "steps/02-build/attempt-1",
      promptBytes: 900,
    },
    {
      type: "question_asked",
      question: "q1",
      task: 1,
      step: 2,
      stepName: "build",
      attempt: 1,
      text: "Which database?",
      attemptLog: "Said: hm.",
      usage,
      seconds: 2,
      askedAt: at,
    },
    {
      type: "question_waiting",
      question: "q1",
      text: "Which database?",
      answerCommand: `panewright answer ${id} --question q1 "YOUR ANSWER"`,
      resumeCommand: `panewright resume ${id}`,
    },
    { type: "run_finished", outcome: "waiting", tasks: 0, reason: "question q1 waits", usage, seconds: 3 },
  ];
}
