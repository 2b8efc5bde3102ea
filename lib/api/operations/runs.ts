import * as z from "zod";
import { runFields } from "../output/run_fields.ts";
import { RUN_OUTPUTS } from "../output/run_outputs.ts";
import { count, flag, runId, text, time } from "../output/shapes.ts";
import { viewRun } from "../show/run_view.ts";
import { listServedRuns } from "../control/list_runs.ts";
import { JOBS } from "../../jobs/mod.ts";
import { lookAtProcesses } from "../../run/live_agents.ts";
import { readRun } from "../../run/overview.ts";
import { isOver, state, workdir } from "./fields.ts";
import { operation, runOperation, tool } from "./operation.ts";
import { isOver as isRunOver, short } from "./run_state.ts";
import { workdirOf } from "./served.ts";

/** A whole number of a query or a header, from 0. */
const sequence = z.string().regex(/^\d{1,15}$/, "not a whole number").transform(Number);

const event = z.union([
  z.object({ type: z.string(), v: z.int(), at: time("When it happened") }).loose()
    .describe("A message: a record as `panewright logs --json` prints it. Its id is its line in the journal, from 1."),
  z.object({
    why: z.enum(["cut", "unreadable", "removed"]),
    from: count("The first sequence that does not hold, or cannot be read."),
    to: count("The last one; missing where it is not known.").optional(),
    detail: text("Why it cannot be read.").optional(),
  }).describe("`gap`: what the journal has in their place is told next."),
  z.object({
    sequence: count("The last record that was told."),
    executed: flag("Whether a process executes the run."),
  }).describe("`state`: all that was there has been told, or this has changed."),
]);

export const listRuns = operation({
  id: "listRuns",
  method: "get",
  path: "/v1/runs",
  summary: "The runs of all working directories that are served, the newest first",
  replies: {
    200: {
      about: "The runs.",
      schema: z.object({
        workdirs: z.array(z.string()).describe("The working directories that are served."),
        runs: z.array(RUN_OUTPUTS.run.extend({ workdir: text("Its working directory.") })),
      }),
    },
  },
  async handle({ context }) {
    const { workdirs } = context;
    const runs = (await listServedRuns(workdirs, context)).map((row) => ({ workdir: row.workdir, ...runFields(row) }));
    return { status: 200, json: { workdirs, runs } };
  },
});

export const getRun = runOperation({
  id: "getRun",
  method: "get",
  path: "/v1/runs/{run}",
  summary: "How a run is",
  description: "The same as `panewright status --json`, with the sequence of the last record that is in it.",
  replies: {
    200: {
      about: "How it is.",
      schema: RUN_OUTPUTS.status.omit({ summary: true }).extend({
        run: runId,
        sequence: count("The last record that is in `progress`; follow the events after it."),
      }),
    },
  },
  async handle(folder) {
    const overview = await readRun(folder, JOBS);
    const view = viewRun(overview, { processes: await lookAtProcesses(), wd: undefined });
    return { status: 200, json: { ...view, sequence: overview.sequence ?? 0 } };
  },
});

export const listQuestions = runOperation({
  id: "listQuestions",
  method: "get",
  path: "/v1/runs/{run}/questions",
  summary: "What a run waits for, and what it was answered",
  replies: {
    200: {
      about: "What waits for an answer, the first one first; and the answers that were given, oldest first.",
      schema: z.object({
        questions: z.array(RUN_OUTPUTS.status.shape.question.unwrap()),
        answers: z.array(
          z.looseObject({ worker: z.string(), asked: z.string(), answer: z.string(), by: z.string() }),
        ),
      }),
    },
  },
  async handle(folder) {
    const { questions, progress } = await readRun(folder, JOBS);
    return { status: 200, json: { questions, answers: progress?.answers ?? [] } };
  },
});

export const followRun = runOperation({
  id: "followRun",
  method: "get",
  path: "/v1/runs/{run}/events",
  summary: "The records of a run's journal, and then each as it is written",
  description:
    "Server-Sent Events. A client that comes back with the id that it saw last gets exactly what it has not " +
    "seen, also of a run that is over. The stream stays open after the run's end, since a run can be resumed.",
  query: z.object({
    after: sequence.describe("The last sequence that is known. Default: 0, all of it.").optional(),
    follow: z.enum(["true", "false"]).describe("`false`: the stream ends with what there is. Default: `true`.")
      .optional(),
  }),
  headers: z.object({ "last-event-id": sequence.describe("Like `after`, and before it.").optional() }),
  replies: { 200: { about: "The events.", type: "text/event-stream", schema: event } },
  handle(folder, { context, query, headers }) {
    return Promise.resolve({
      async events(stream) {
        using lease = context.hubs.open(folder);
        const feed = lease.hub.once(context.eventFeed);
        const after = headers["last-event-id"] ?? query.after ?? 0;
        await feed.send(stream, { after, follow: query.follow !== "false" });
      },
    });
  },
});

const DEFAULT_RUNS = 20;

export const runsTool = tool({
  title: "List runs",
  description: "The runs of the project, the newest first, and what each is doing or waits for.",
  input: z.strictObject({
    limit: z.int().min(1).max(100).describe("How many; 20 where it is missing.").optional(),
    workdir,
  }),
  output: z.object({
    runs: z.array(z.object({
      run: z.string(),
      workdir: text("The project's folder."),
      job: text("run: a review loop; exec: a task.").nullable(),
      state,
      isOver,
      startedAt: z.string().nullable(),
      about: text("What the agents are to do, in one line.").optional(),
      question: text("The id of the question that waits for an answer.").optional(),
      reason: text("Why it ended as it did, or cannot be read.").optional(),
    })),
    leftOut: count("How many older runs were left out."),
  }),
  isReadOnly: true,
  async act({ limit = DEFAULT_RUNS, workdir }, { workdirs, ...context }) {
    const meant = workdir === undefined ? workdirs : [workdirOf(workdir, workdirs)];
    const all = await listServedRuns(meant, context);
    return {
      runs: all.slice(0, limit).map((row) => {
        const { run, job, state, startedAt, about, question, answered, reason: ended, problem = ended } = runFields(
          row,
        );
        return {
          ...{ run, workdir: row.workdir, job, state, isOver: isRunOver(row), startedAt },
          ...(about === undefined ? {} : { about: short(about) }),
          ...(typeof question !== "string" || answered === true ? {} : { question }),
          ...(problem === undefined ? {} : { reason: short(problem) }),
        };
      }),
      leftOut: Math.max(0, all.length - limit),
    };
  },
});
