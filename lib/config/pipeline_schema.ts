import * as z from "zod";
import { PROVIDER_IDS } from "../providers/mod.ts";
import { DEFAULT_EXEC_SETTINGS as EXEC, DEFAULT_STEP_TIME_LIMIT_SECONDS } from "../jobs/pipeline/settings.ts";
import { agentKeys, argv, count, seconds, text } from "./values.ts";

const level = () => z.int().min(0).max(5);

const check = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none").describe("The end of the agent's turn is enough.") }),
  z.strictObject({
    type: z.literal("fileExists").describe("A file, or each of several files, must be there."),
    path: z.union([text(), z.array(text()).min(1)]).describe("Relative to the working directory."),
  }),
  z.strictObject({
    type: z.literal("shell").describe("A command must pass, or must fail."),
    command: z.union([text(), argv()]).describe("An argv array, or a string for `sh -c`."),
    expect: z.enum(["pass", "fail"]).default("pass").describe("What its exit code must tell: pass is 0."),
    time_limit_seconds: seconds().default(600).describe("Seconds after which it is killed, and the check has failed."),
  }),
]);

const step = z.strictObject({
  name: text().max(80).describe("What the step is called in progress, prompts and the names of folders."),
  prompt: text().describe(
    "The file with the step's prompt, relative to the config file; `self` for the task's own text.",
  ),
  provider: z.enum(PROVIDER_IDS).optional().describe(
    "The agent CLI of this step, where it differs from the common one.",
  ),
  command: agentKeys.command,
  args: agentKeys.args,
  env: agentKeys.env,
  model: agentKeys.model,
  check: z.union([check, z.array(check).min(1)])
    .describe("What must hold after the step; of several, the first that fails ends it."),
  retry: z.int().min(0).max(100).default(0)
    .describe("How often the step is tried again, with the output of the check that failed."),
  file_access: z.strictObject({
    allow_write: z.array(text()).min(1).describe("Globs of the files that the step may change."),
  }).optional().describe("What the step may change."),
  autonomy_level: level().optional().describe("The step's own autonomy_level."),
  time_limit_seconds: seconds().default(DEFAULT_STEP_TIME_LIMIT_SECONDS)
    .describe("Seconds after which an attempt is stopped, and has failed."),
});

const exec = z.strictObject({
  resume: z.enum(["native", "replay"]).default(EXEC.resume)
    .describe("How a step goes on after an answer: in the CLI's own session, or with a new process that is told all."),
  ask_commands: z.array(argv()).min(1).default(EXEC.askCommands.map((words) => [...words]))
    .describe("The commands with which an agent asks a person."),
  max_questions_per_step: count(0).default(EXEC.maxQuestionsPerStep)
    .describe("How many questions of one step a person is asked; the agent must decide those after them."),
  at_level_0: z.enum(["decide", "ask"]).default(EXEC.atLevel0)
    .describe("What a question at autonomy level 0 comes to: the agent is told to decide, or a person is asked."),
  answer_timeout_seconds: seconds().optional().describe("Seconds that a question waits for its answer."),
  default_answer: text().optional().describe("The answer to a question that nobody answered in time."),
  wait_for_usage_limit_reset: z.boolean().default(EXEC.waitForUsageLimitReset)
    .describe("Whether a step that met the account's usage limit waits until the limit is reset."),
  writes_outside: z.enum(["fail", "warn"]).default(EXEC.writesOutside)
    .describe("What files changed outside of allow_write come to: the step has failed, or a warning."),
});

/** A step as the config file has it, defaults filled in. */
export type StepConfig = z.output<typeof step>;
/** A check as the config file has it, defaults filled in. */
export type CheckConfig = z.output<typeof check>;

/** The keys of the configuration that `panewright exec` goes by. */
export const pipelineKeys = {
  pipelines: z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/), z.array(step).min(1)).prefault({})
    .describe("What is done with a task, by name: the steps of each pipeline in their order."),
  default_pipeline: text().optional()
    .describe("The pipeline of a task that names none. Without it, the first one."),
  autonomy_level: level().default(EXEC.autonomyLevel)
    .describe("How much the agents of steps ask: 0 nothing that is possible at all, 5 every choice."),
  exec: exec.prefault({}).describe("How steps are run."),
};
