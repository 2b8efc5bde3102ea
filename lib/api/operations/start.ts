import * as z from "zod";
import { PanewrightError, UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { JOB_IDS } from "../../journal/run_facts.ts";
import { OVERRIDES, type RunToStart, startRun as start } from "../control/start_run.ts";
import { flag, text } from "../output/shapes.ts";
import { filled, key, MAX_TEXT_CHARS, next, startedRun, workdir } from "./fields.ts";
import { operation, tool, type ToolCall, withinTime } from "./operation.ts";
import { requestedWorkdir, workdirOf } from "./served.ts";

const overrideValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const startRun = operation({
  id: "startRun",
  method: "post",
  path: "/v1/runs",
  summary: "Starts a run",
  description: "Answered once the run's first record is on the disk. The run does not depend on this server. With an " +
    "`Idempotency-Key` the same request is the same run, whatever was killed in between. What the configuration does " +
    "must be trusted (`panewright trust`): a refusal starts nothing.",
  headers: z.object({ "idempotency-key": z.string().min(1).max(256).optional() }),
  body: z.strictObject({
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
  }),
  replies: {
    202: { about: "It runs.", schema: startedRun, headers: { Location: "The path of the run." } },
  },
  problems: ["needs_trust", "busy", "key_reused", "bad_input", "refused"],
  async handle({ context: { workdirs, detach }, headers, body: { workdir, config, overrides, task, kind } }) {
    const json = await start({
      workdir: requestedWorkdir(workdirs, workdir),
      kind,
      ...present({ config, overrides, task, key: headers["idempotency-key"] }),
      by: "http",
    }, detach);
    return { status: 202, headers: { Location: `/v1/runs/${json.run}` }, json };
  },
});

const config = filled("The configuration file, from the project's folder; panewright.jsonc where it is missing.", 4096)
  .optional();

const begunRun = z.object({
  run: text("The run's id: keep it. It is on the disk, and the run lives on without you."),
  folder: text("The run's folder."),
  isNew: flag("Whether this call has started it; otherwise an earlier one with the same key did."),
  next,
});

export const startTool = tool({
  title: "Start a run",
  description: "Starts the review loop (`panewright run`): five agents work on the job until its tests pass. Returns " +
    "at once with the run's id; the run lives on without you. Then call wait.",
  input: z.strictObject({
    task: text("The job, as text; otherwise the configuration names it.").min(1).max(MAX_TEXT_CHARS).optional(),
    taskFile: filled("A file with the job instead, from the project's folder.", 4096).optional(),
    maxRounds: z.int().min(1).max(1000).describe("Rounds before the job counts as failed.").optional(),
    config,
    key,
    workdir,
  }),
  output: begunRun,
  act: ({ maxRounds, ...input }, call) =>
    begin({ ...input, kind: "run", overrides: present({ "max-rounds": maxRounds }) }, { ...call, tool: "start_run" }),
});

export const execTool = tool({
  title: "Start a task",
  description: "Takes a task through the steps of a pipeline (`panewright exec`), without terminals. Returns at once " +
    "with the run's id; the run lives on without you. Then call wait.",
  input: z.strictObject({
    task: text("The task, as text.").min(1).max(MAX_TEXT_CHARS).optional(),
    taskFile: filled("A file with the task, or a folder of such files, instead; from the project's folder.", 4096)
      .optional(),
    pipeline: filled("The pipeline, where it is not the one that the task names.", 200).optional(),
    config,
    key,
    workdir,
  }),
  output: begunRun,
  act: ({ pipeline, ...input }, call) =>
    begin({ ...input, kind: "exec", overrides: present({ pipeline }) }, { ...call, tool: "exec_task" }),
});

interface Begin extends Pick<RunToStart, "kind" | "overrides"> {
  readonly task?: string | undefined;
  readonly taskFile?: string | undefined;
  readonly config?: string | undefined;
  readonly key?: string | undefined;
  readonly workdir?: string | undefined;
}

async function begin(
  { kind, task: text, taskFile: path, config, key = crypto.randomUUID(), workdir, overrides = {} }: Begin,
  { tool, workdirs, detach, clock, progress, signal }: ToolCall & { readonly tool: string },
): Promise<z.input<typeof begunRun>> {
  if (text !== undefined && path !== undefined) {
    throw new UsageError("Cannot use both task and taskFile: the task is the one or the other", { code: "bad_input" });
  }
  if (kind === "exec" && text === undefined && path === undefined) {
    throw new UsageError("Cannot start a task: task or taskFile is missing", { code: "bad_input" });
  }
  const task = text !== undefined ? { text } : path === undefined ? undefined : { path };
  const request: RunToStart = {
    ...{ workdir: workdirOf(workdir, workdirs), kind, key, by: "mcp", overrides },
    ...present({ config, task }),
  };
  progress("looking at what the run needs");
  const begun = await withinTime(start(request, { ...detach, signal }), clock);
  if (begun === undefined) {
    throw new PanewrightError("Cannot tell yet whether the run has begun: it is still being prepared", {
      code: "busy",
      hint: `Call ${tool} again with the same arguments and with the key ${
        JSON.stringify(key)
      }: it is the same run then.`,
    });
  }
  const next = begun.isNew
    ? "Call wait with the run's id."
    : "An earlier call with this key started it: call wait, or result.";
  return { ...begun, next };
}
