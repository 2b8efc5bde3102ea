import { MESSAGE_WAYS, MODEL_ANSWERS } from "../../base/terms.ts";
import * as z from "zod";
import { usage } from "../../journal/usage.ts";
import { JOB_IDS, runEnd } from "../../journal/run_facts.ts";
import { zodOf } from "./records.ts";
import { count, flag, runId, status, text, time } from "./shapes.ts";

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

export const waiting = z.object({
  id: text("Unique in its run: `q1`; missing where only the agent's pane takes the answer.").optional(),
  by: text("The role, or the step, that asks."),
  text: text("The question, or what the dialog asks for."),
  askedAt: time("When it was asked"),
  isPermission: flag("Whether it takes a yes or a no.").optional(),
  reserved: flag("Whether only a person may answer it, and no model.").optional(),
  fingerprint: text("Tells this request from any other; missing for a question of a step.").optional(),
  dialog: dialog.optional(),
});

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
