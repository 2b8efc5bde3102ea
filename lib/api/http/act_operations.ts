import * as z from "zod";
import { RUN_OUTPUTS } from "../output/run_outputs.ts";
import { flag, runId, text } from "../output/shapes.ts";
import { giveAnswer } from "../control/give_answer.ts";
import { resumeDetached } from "../control/resume_detached.ts";
import { OVERRIDES, startRun } from "../control/start_run.ts";
import { stopRun } from "../../jobs/stop_run.ts";
import { canResume } from "../../run/condition.ts";
import { JOB_IDS } from "../../journal/run_facts.ts";
import { shellJoin } from "../../shell/quote.ts";
import { operation } from "./operation.ts";
import { Problem } from "./problem.ts";
import { RUN_PARAM } from "./run_operations.ts";
import { present } from "../../base/schema.ts";

const overrideValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

const runToStart = z.strictObject({
  workdir: text(
    "The folder in which the agents work: one that is served. Default: the one that is, if there is only one.",
  )
    .optional(),
  kind: z.enum(JOB_IDS).describe("A review loop (`run`) or a pipeline (`exec`)."),
  config: text("The config file, from the working directory. Default: panewright.jsonc, where there is one.")
    .optional(),
  overrides: z.record(z.string(), overrideValue).describe(
    `Values of flags by their names, for \`run\`: ${OVERRIDES.run.join(", ")}; for \`exec\`: ${
      OVERRIDES.exec.join(", ")
    }.`,
  ).optional(),
  task: z.union([
    z.strictObject({ text: text("What the agents are to do.") }),
    z.strictObject({ path: text("A file with it, from the working directory.") }),
  ]).describe("Needed for `exec`; for `run` the configuration has one.").optional(),
});

const startedRun = z.object({
  run: runId,
  folder: text("Its folder."),
  isNew: flag("Whether this request has begun it; otherwise an earlier one with the same key has."),
});

/** What can be done to runs: the same as by commands, in processes of their own. */
export const ACT_OPERATIONS = [
  operation({
    id: "startRun",
    method: "post",
    path: "/v1/runs",
    summary: "Starts a run",
    description:
      "Answered once the run's first record is on the disk. The run does not depend on this server. With an " +
      "`Idempotency-Key` the same request is the same run, whatever was killed in between. What the configuration does " +
      "must be trusted (`panewright trust`): a refusal starts nothing.",
    headers: z.object({ "idempotency-key": z.string().min(1).max(256).optional() }),
    body: runToStart,
    replies: {
      202: { about: "It runs.", schema: startedRun, headers: { Location: "The path of the run." } },
    },
    problems: ["needs_trust", "busy", "key_reused", "bad_input", "refused"],
    async handle({ context, headers, body: { workdir, config, overrides, task, kind } }) {
      const { detach } = context;
      const key = headers["idempotency-key"];
      const { runId: run, folder, isNew } = await startRun({
        workdir: servedWorkdir(context.workdirs, workdir),
        kind,
        ...present({ config, overrides, task, key }),
        by: "http",
      }, detach);
      return { status: 202, headers: { Location: `/v1/runs/${run}` }, json: { run, folder, isNew } };
    },
  }),
  operation({
    id: "answerQuestion",
    method: "post",
    path: "/v1/runs/{run}/answer",
    summary: "Answers what a run waits for",
    description:
      "The first answer counts. A permission takes yes or no, and after a no the reason; a dialog with several " +
      "questions, a line for each.",
    params: RUN_PARAM,
    body: z.strictObject({
      question: text("The question's id, such as `q1`. Default: the one that is open.").optional(),
      answer: text("The words."),
      fingerprint: text("What was seen when the answer was decided: an answer to anything else is refused.").optional(),
    }),
    replies: {
      200: {
        about: "It is taken.",
        schema: z.object({
          run: runId,
          question: text("What was answered."),
          goesOn: flag("Whether a process executes the run, and continues by itself; otherwise resume it."),
        }),
      },
    },
    problems: ["unknown_run", "ambiguous_run", "not_open", "answered_before", "needs_trust", "bad_input"],
    async handle({ context, params, body: { question, answer, fingerprint } }) {
      const folder = await context.findRun(params["run"]!);
      const given = await giveAnswer(folder, {
        ...present({ question, fingerprint }),
        answer,
        by: "http",
      }, { requireTrust: context.requireTrust, wallClock: context.wallClock });
      return { status: 200, json: { run: folder.id, ...given } };
    },
  }),
  operation({
    id: "stopRun",
    method: "post",
    path: "/v1/runs/{run}/stop",
    summary: "Stops a run, to be resumed later",
    params: RUN_PARAM,
    body: z.strictObject({
      force: flag("Whether to kill the process that executes it, instead of telling it to end. Default: false.")
        .optional(),
    }),
    replies: { 200: { about: "What was done.", schema: RUN_OUTPUTS.run_stopped } },
    problems: ["unknown_run", "ambiguous_run", "refused"],
    async handle({ context, params, body: { force = false }, signal }) {
      const folder = await context.findRun(params["run"]!);
      const resumeCommand = shellJoin(["panewright", "resume", folder.id]);
      const { pid, endedAgents, agentsAlive, overview: { condition: state, executed, progress } } = await stopRun(
        folder,
        { force, resumeCommand, clock: context.clock, signal },
      );
      const resumes = canResume(state, { job: progress?.job, executed });
      return {
        status: 200,
        json: {
          ...{ run: folder.id, pid: pid ?? null, endedAgents, agentsAlive, state },
          ...(resumes ? { resumeCommand } : {}),
        },
      };
    },
  }),
  operation({
    id: "resumeRun",
    method: "post",
    path: "/v1/runs/{run}/resume",
    summary: "Resumes a run, in a process of its own",
    params: RUN_PARAM,
    body: z.strictObject({
      raise: z.record(z.string(), z.number()).describe("Caps that it may go up to from now on, by name: `max_turns`.")
        .optional(),
    }),
    replies: { 202: { about: "It runs.", schema: startedRun.omit({ isNew: true }) } },
    problems: ["unknown_run", "ambiguous_run", "run_over", "busy", "needs_trust", "bad_input", "refused"],
    async handle({ context, params, body: { raise } }) {
      const folder = await context.findRun(params["run"]!);
      const request = { by: "http", ...present({ raise }) } as const;
      const { runId: run, folder: path } = await resumeDetached(folder, request, context.detach);
      return { status: 202, json: { run, folder: path } };
    },
  }),
];

/**
 * The working directory that a request means.
 *
 * @throws {Problem} `bad_input` when it is not served: nothing is started anywhere else
 */
function servedWorkdir(workdirs: readonly string[], named: string | undefined): string {
  const [only, ...others] = workdirs;
  if (named === undefined && only !== undefined && others.length === 0) return only;
  const hint = `Served are: ${workdirs.join(", ")}.`;
  if (named === undefined) throw new Problem("bad_input", "Cannot start a run: its workdir is not named", { hint });
  // Not resolved here: nobody learns from this what there is on this machine.
  const found = workdirs.find((workdir) => workdir === named || `${workdir}/` === named);
  if (found !== undefined) return found;
  throw new Problem("bad_input", `Cannot start a run in ${named}: that working directory is not served`, { hint });
}
