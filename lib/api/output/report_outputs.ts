import * as z from "zod";
import { SHOWN, SHOWN_MEANS } from "../../base/terms.ts";
import { JOB_IDS, runEnd } from "../../journal/run_facts.ts";
import { objectAt, zodOf } from "./records.ts";
import { condition } from "./run_outputs.ts";
import { REPORT_ITEM, REPORT_REF } from "../../journal/items/source.ts";
import { PROGRESS } from "../../journal/progress.ts";
import { waitingDialog } from "../../journal/waiting.ts";
import { workerStatus } from "../../journal/workers.ts";
import { count, flag, output, runId, text, time } from "./shapes.ts";

const { place, activity, answers, done, counts, warnings } = objectAt(PROGRESS).shape;

const reportWaiting = z.object({
  id: text("Unique in its run: `q1`; missing where only the agent's pane takes the answer.").optional(),
  by: text("The role, or the step, that asks."),
  text: text("The question, or what the dialog asks for."),
  askedAt: time("When it was asked"),
  answer: z.enum(["permission", "question", "choices", "none"]).describe(
    "What an answer is: yes or no; a text; an option of each question; or nothing that can be said from outside.",
  ),
  answered: flag("Whether it has an answer that the run has not taken yet."),
  shown: z.enum(SHOWN).describe(SHOWN_MEANS),
  reserved: flag("Whether only a person may answer it, and no model."),
  fingerprint: text("What was seen: an answer that names it counts for nothing else.").optional(),
  dialog: objectAt(waitingDialog, "waiting.dialog").optional(),
});

const reportHeader = z.object({
  sequence: count("The last record that is taken in: its number in the journal, from 1."),
  runId,
  job: z.enum(JOB_IDS).describe("Missing before the first record.").optional(),
  workdir: text("The folder in which the agents work."),
  about: text("What the agents are to do, in one line."),
  task: text("The same, as it was given."),
  condition,
  executed: flag("Whether a process executes the run."),
  outcome: zodOf(runEnd).describe("How it ended, until it is resumed.").optional(),
  why: text("Why it ended so, or stands still; may be empty."),
  resumeCommand: text("Resumes it; missing where there is nothing to resume.").optional(),
  startedAt: time("When it began"),
  executedSince: time("When the process that executes it, or executed it last, began"),
  lastAt: time("When the last record was written"),
  endedAt: time("When it ended").optional(),
  place,
  placeText: text("The same, in words."),
  activity,
  lanes: z.array(z.object({
    id: text("What items name: `run`, a role, or a step's name."),
    kind: z.enum(["run", "role", "step"]),
    title: z.string(),
  })).describe("Those of the timeline."),
  workers: z.array(z.object({
    name: text("The role, or the step; its lane."),
    provider: z.string(),
    status: zodOf(workerStatus),
    statusText: text("The status in words."),
    since: time("Since when"),
    shows: z.enum(["pane", "activity", "nothing"]).describe("What it can be watched by while the run is executed."),
  })).describe("The agents, in the order in which they were started."),
  waiting: reportWaiting.describe("What waits for a person.").optional(),
  alsoWaiting: z.array(reportWaiting).describe("What waits for a person besides; missing where nothing does.")
    .optional(),
  answers: answers.describe("What was decided by people, or in their place; oldest first."),
  done,
  counts,
  tokens: z.array(z.object({
    worker: text("The role; or the step, as its caps are named."),
    model: z.string(),
    inputTokens: z.number(),
    cachedInputTokens: z.number(),
    cacheWriteInputTokens: z.number().optional(),
    outputTokens: z.number(),
    cost: z.number().describe("What the worker has cost in all.").optional(),
  })).describe("By worker and model."),
  cost: z.object({ total: z.number(), pricesOf: text("The day of the prices.") }).optional(),
  audit: z.object({
    verdict: z.enum(["intact", "broken", "unknown", "none"]),
    text: text("The same as a full sentence."),
    records: count("How many records can be trusted."),
    head: text("The hash of the last one.").optional(),
  }).describe("What the check of the audit log says.").optional(),
  recovered: text("What the run was helped out of, in a line; missing where there is nothing.").optional(),
  remarks: z.array(z.string()).describe("What a person should know of its PASS; missing where there is nothing.")
    .optional(),
  warnings,
  gaps: z.array(z.object({
    from: count("The first missing line, from 1."),
    to: count("The last one."),
    reason: z.string(),
  })).describe("Lines of the journal that are not there any more, or cannot be read."),
  problem: text("Why the journal cannot be read to its end.").optional(),
  panewright: text("The version that executed it last.").optional(),
});

/** What a detail of an item holds: see `ReportDetail`. */
const reportDetail = objectAt(REPORT_REF, "item.details").extend({
  text: text("Of a screen, its rows with their styles (SGR sequences)."),
  leftOut: text("How much of it is not in the text.").optional(),
  note: text("What else is to be known of it.").optional(),
  problem: text("Why there is none.").optional(),
  columns: count("Of a screen.").optional(),
  rows: count("Of a screen.").optional(),
});

export const REPORT_OUTPUTS = {
  report: output("A run, from its beginning to now.", {
    madeAt: time("When the report was made"),
    madeBy: text("The version that made it."),
    header: reportHeader.describe("How the run is."),
    items: z.array(objectAt(REPORT_ITEM, "item")).describe("What happened, by the record that made it, oldest first."),
    details: z.record(z.string(), reportDetail).describe("What items refer to, by `ref`."),
    leftOut: text("What of the details is not there, for the size of it all.").optional(),
  }),
} as const;
