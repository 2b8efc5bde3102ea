import * as z from "zod";
import { toldCost, usage } from "../../run/usage.ts";
import { MESSAGE_WAYS } from "../../run/inbox.ts";
import { JOB_IDS, runEnd } from "../../run/run_facts.ts";
import { ACP_ACTIVITIES } from "../../providers/acp/activity.ts";
import { ROLES } from "../../roles.ts";
import { MODEL_ANSWERS } from "../../dialogs/settings.ts";
import { SANDBOX_MODES } from "../../providers/sandbox.ts";
import { kindsOf, zodOf } from "./records.ts";
import { count, flag, output, runId, status, text, time } from "./shapes.ts";

/** How a run is. */
export const condition = z.enum([
  ...["running", "waiting", "passed", "failed", "stopped", "killed", "needs_person", "error", "empty"] as const,
  "unreadable",
]).describe("How the run is, in one word; `panewright help runs` explains them.");

/** A dialog that waits for a person. */
export const dialog = z.object({
  kind: text("What it asks for, such as `command` or `file_edit`."),
  subject: text("The command, the files, or the questions; missing where it is not known.").optional(),
  reason: text("Why it is not answered automatically."),
  terminalId: text("The pane."),
  timeoutSeconds: z.number().describe("How long it waits."),
  questions: z.array(z.object({
    question: z.string(),
    multiSelect: z.boolean(),
    options: z.array(z.object({ label: z.string(), description: z.string() })),
  })).describe("What it asks, where an answer is more than a yes or a no.").optional(),
});

const waiting = z.object({
  id: text("Unique in its run: `q1`; missing where only the agent's pane takes the answer.").optional(),
  by: text("The role, or the step, that asks."),
  text: text("The question, or what the dialog asks for."),
  askedAt: time("When it was asked"),
  isPermission: flag("Whether it takes a yes or a no.").optional(),
  reserved: flag("Whether only a person may answer it, and no model.").optional(),
  fingerprint: text("Tells this request from any other; missing for a question of a step.").optional(),
  dialog: dialog.optional(),
});

/** How a run stands. */
export const progress = z.object({
  job: z.enum(JOB_IDS),
  runId,
  folder: text("The run's folder."),
  workdir: text("The folder in which the agents work."),
  configFile: z.string().nullable(),
  about: text("What the agents are to do, in one line."),
  startedAt: time("When the run began"),
  executedSince: time("When the process that executes the run, or executed it last, began"),
  lastAt: time("When the last record was written"),
  lastRecord: text("Its type."),
  place: z.array(z.object({
    unit: z.enum(["round", "cycle", "task", "step", "attempt"]),
    number: count("From 1; 0: none has begun."),
    of: count("How many there are, or may be.").optional(),
    name: text("The step's name, or the path of the task.").optional(),
  })).describe("Where in its job the run is, from the outermost level to the innermost."),
  pipeline: z.object({ name: z.string(), steps: z.array(z.string()) }).optional(),
  activity: z.object({
    kind: z.enum(["starting", "turn", "tests", "check", "usage_limit", "retry"]),
    since: time("Since when"),
    until: time("When a wait ends, as far as that is known").optional(),
    worker: text("Whose turn it is.").optional(),
    detail: text("The command, the check, or why it waits.").optional(),
  }).describe("What happens at this moment.").optional(),
  workers: z.array(z.object({
    name: text("The role, or the step."),
    provider: z.string(),
    status: z.enum([...status.options, "starting", "prompting", "prompted", "limited", "lost"]),
    since: time("Since when"),
    sessionId: text("The id of the CLI's own session.").optional(),
    protocol: z.literal("acp").describe("How it is driven; missing where it is in a pane, or works on a step.")
      .optional(),
    process: z.object({ pid: z.int(), processStart: z.string().optional() }).optional(),
    pane: z.object({
      terminalId: z.string(),
      pid: z.int(),
      processStart: z.string().optional(),
      wrapperShell: z.string().optional(),
      launchedAtMs: z.number(),
      sandbox: z.array(z.string()).optional(),
    }).optional(),
    folder: text("The folder of its attempt, relative to the run's.").optional(),
  })).describe("The agents, in the order in which they were started."),
  waiting: waiting.describe("What waits for a person; where several agents do, the first.").optional(),
  alsoWaiting: z.array(waiting).describe("What waits for a person besides."),
  messages: z.array(z.object({
    id: z.string(),
    worker: text("The role."),
    by: z.enum(MESSAGE_WAYS).describe("How it came; who sends over MCP is a model."),
    who: text("Who sends it, as the sender says.").optional(),
    wantsResponse: flag("Whether the agent is asked for a response."),
    receivedAt: time("When it arrived"),
    status: z.enum(["waiting", "sending", "sent", "answered", "failed"]),
    since: time("Since when"),
    reason: text("Why it has failed.").optional(),
    archivedAs: text("The file with the response.").optional(),
  })).describe("Messages from outside, oldest first: those that are not over, and the last 20 of the others."),
  modelAnswers: z.enum(MODEL_ANSWERS).describe("What a model may answer in place of a person."),
  answers: z.array(z.object({
    id: z.string().optional(),
    worker: text("The role, or the step, that asked."),
    asked: z.string(),
    answer: z.string(),
    by: text("How the answer was given: `terminal`, `command`, `timeout`, `http`, `mcp` (by a model), `person`, …"),
    who: text("Who gave it, where that has a name.").optional(),
    at: time("When"),
  })),
  done: z.array(z.object({
    unit: z.enum(["round", "cycle", "task", "step"]),
    number: count("From 1."),
    name: text("The role that decided, the step's name, or the path of the task.").optional(),
    outcome: z.enum(["pass", "fail"]),
    reason: z.string().optional(),
    at: time("When"),
  })).describe("What was finished, oldest first."),
  counts: z.object({
    turns: count("Prompts that began a turn, or an attempt of a step."),
    responses: count("Responses that were taken."),
    reminders: count("Reminders that were sent."),
    acceptedDialogs: count("Dialogs that the policy accepted."),
    declinedDialogs: count("Dialogs that the policy declined."),
  }),
  usage: zodOf(usage).describe("Tokens by model."),
  tokens: z.object({ byWorker: z.record(z.string(), zodOf(usage)), bySource: z.record(z.string(), zodOf(usage)) })
    .describe("Tokens by role, or by step; and what each session or attempt has told last."),
  warnings: z.array(z.object({ at: time("When"), message: z.string() })).describe("At most 20, oldest first."),
  rawInput: flag("Whether keys may be pressed in the agents' terminals over HTTP."),
  session: z.object({
    socket: z.string(),
    name: z.string(),
    existing: flag("Whether the session is a person's own."),
    mark: text("What everything that is started in it carries in its environment."),
    opened: z.boolean(),
  }).describe("The tmux session with the agents' panes.").optional(),
  finished: z.object({
    outcome: zodOf(runEnd),
    reason: z.string(),
    at: time("When"),
    resumeCommand: z.string().optional(),
  }).describe("How the run ended, until it is resumed.").optional(),
});

const question = {
  run: runId,
  id: text("Unique in its run; `panewright answer RUN --question ID` takes it."),
  task: text("The path of the step's task; `review loop` for a dialog."),
  step: text("The step, or the role, that asks."),
  text: text("What is asked."),
  askedAt: time("When"),
  answered: flag("Whether it is answered, and the run can continue."),
  executed: flag("Whether a process executes the run."),
  reserved: flag("Whether only a person may answer it, and no model.").optional(),
  dialog: dialog.extend({ role: z.string() }).describe("What a dialog asks for; missing for a question.").optional(),
};

/** What the commands about runs print, by type. */
export const RUN_OUTPUTS = {
  run: output("A run of the working directory.", {
    run: runId,
    job: z.enum(JOB_IDS).nullable(),
    state: condition,
    executed: flag("Whether a process executes it."),
    startedAt: time("When it began").nullable(),
    lastRecordAt: time("When its last record was written").nullable(),
    about: text("What the agents are to do, in one line.").optional(),
    question: text("The id of the question that is open; null where only the agent's pane takes the answer.")
      .nullable().optional(),
    answered: flag("Whether that question has its answer.").optional(),
    agentsAlive: flag("Whether agents are left of a run that was killed.").optional(),
    reason: text("Why it ended as it did.").optional(),
    problem: text("Why it cannot be read.").optional(),
    folder: text("Its folder."),
  }),
  status: output("How a run is.", {
    run: runId,
    state: condition,
    folder: text("Its folder."),
    executed: flag("Whether a process executes it."),
    owner: text("Who executes it: `process 1234`.").optional(),
    agentsAlive: flag("Whether anything is alive that came out of its agents."),
    progress: progress.describe("What the journal tells; null where nothing was written down, or can be read.")
      .nullable(),
    agents: z.array(z.object({
      role: z.string(),
      provider: z.string(),
      protocol: z.literal("acp").describe("How it is driven; missing where it is in a pane.").optional(),
      terminalId: z.string().optional(),
      pid: z.int().describe("Of its process, where it has no pane.").optional(),
      sessionId: z.string().optional(),
      alive: z.boolean(),
    })).describe("The agents of a review loop.").optional(),
    question: waiting.extend({ answered: z.boolean(), answerCommand: z.string().optional() })
      .describe("What waits for a person, with the command that answers it.").optional(),
    commands: z.object({
      resume: z.string().optional(),
      attach: z.string().optional(),
      attachTmux: text("As tmux itself is called.").optional(),
      stop: z.string().optional(),
      logs: z.string().optional(),
    }).describe("What can be done now, as command lines."),
    problem: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
    summary: z.record(z.string(), z.unknown()).nullable().optional()
      .describe("The progress in the names of an earlier version; read `progress` instead."),
  }),
  question: output("A question, or a dialog, that waits for a person.", question),
  run_detached: output("A run that lives on without the process that has started it.", {
    run: runId,
    folder: text("The run's folder, absolute."),
    isNew: flag("Whether this call has begun it; otherwise an earlier one with the same key has."),
  }),
  answer_recorded: output("An answer was taken.", {
    run: runId,
    question: text("What was answered."),
    goesOn: flag("Whether a process executes the run, and continues by itself."),
  }),
  message_left: output("A message for an agent was left.", {
    run: runId,
    message: text("Its id: records of the run name it, and so does `status`."),
    role: z.enum(ROLES),
    isNew: flag("False where a message with the same key had been left before."),
    goesOn: flag("Whether a process executes the run, and takes it."),
  }),
  message_outcome: output("How a message fared that was waited for.", {
    run: runId,
    message: text("Its id."),
    role: z.enum(ROLES),
    status: z.enum(["answered", "failed"]),
    reason: text("Why it has failed.").optional(),
    response: text("What the agent has answered; missing where no response was wanted.").optional(),
    archivedAs: text("The file with the response.").optional(),
  }),
  run_stopped: output("What was done to stop a run.", {
    run: runId,
    pid: z.int().nullable().describe("The process that executed it; null where none did."),
    endedAgents: flag("Whether agents were ended whose panewright was gone."),
    agentsAlive: flag("Whether agents are still alive."),
    state: condition,
    resumeCommand: text("Resumes it; missing where it is over.").optional(),
  }),
  serving: output("A server listens, until it is interrupted.", {
    address: text("Where; missing on a socket.").optional(),
    socket: text("The path of its socket.").optional(),
    tokenFile: text("The file with the token that clients need."),
    workdirs: z.array(z.string()).describe("The working directories whose runs it serves."),
  }),
  attach_command: output("How the agents of a run are looked at.", { run: runId, command: text("A command line.") }),
  removed: output("A run that was removed, or would be.", {
    run: runId,
    state: condition,
    bytes: count("How large its folder was."),
    dryRun: flag("Whether it was only looked for."),
  }),
  cleaned: output("What a cleaning came to.", {
    runs: count("How many runs were removed."),
    bytes: count("How large they were."),
    kept: z.record(z.string(), z.int()).describe("How many old runs were kept, by the reason."),
    dryRun: flag("Whether nothing was removed."),
  }),
  task_preview: output("What a run would do with a task (`exec --dry-run`).", {
    file: text("Its path."),
    text: text("The task itself, where it is in no file.").optional(),
    pipeline: z.string(),
    passedBy: text("The run that has passed it before, where it would be left out.").optional(),
    steps: z.array(z.object({
      name: z.string(),
      provider: z.string(),
      model: z.string().optional(),
      autonomyLevel: z.int(),
      argv: z.array(z.string()).describe("How its first agent is started; `RUN` stands for the run's id."),
      prompt: text("The prompt of its first attempt."),
      sandbox: z.enum(SANDBOX_MODES),
      permissions: z.enum(["policy", "person", "dry_run"]).describe("Who decides about what needs a permission."),
      allowWrite: z.array(z.string()).optional(),
      checks: z.array(z.string()),
      next: z.object({ pass: z.string().optional(), fail: z.string().optional(), maxRepeats: z.int() }).optional(),
      retry: count("How often a failed attempt is tried again."),
      timeLimitSeconds: z.number(),
    })),
  }),
  agent_activity: output("What the agent of a step says or does; told by `exec`, and not kept in the journal.", {
    at: time("When"),
    task: count("The task, from 1."),
    step: count("The step, from 1."),
    attempt: count("The attempt, from 1."),
    fact: z.discriminatedUnion("type", [
      z.object({ type: z.literal("session"), sessionId: z.string() }),
      z.object({ type: z.literal("said"), text: z.string() }),
      z.object({ type: z.literal("reasoned"), text: z.string() }),
      z.object({ type: z.literal("ran"), id: z.string(), command: z.string() }),
      z.object({
        ...{ type: z.literal("saw"), id: z.string(), command: z.string(), output: z.string() },
        exitCode: z.int().optional(),
      }),
      z.object({ type: z.literal("usage"), usage: zodOf(usage), cost: zodOf(toldCost).optional() }),
      z.object({ type: z.literal("permitted"), mode: z.string() }),
      z.object({ type: z.literal("trouble"), text: z.string() }),
    ]),
  }),
  role_activity: output(
    "What the agent of a role does that works over ACP (`logs --role`); the journal has none of it.",
    {
      run: runId,
      role: z.enum(ROLES),
      at: time("When"),
      activity: kindsOf(ACP_ACTIVITIES).describe("What it does."),
    },
  ),
} as const;
