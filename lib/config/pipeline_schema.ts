import * as z from "zod";
import type { ProviderId } from "../agents/provider.ts";
import { DEFAULT_STEP_TIME_LIMIT_SECONDS, EXEC_SETTINGS } from "../jobs/pipeline/settings.ts";
import { agentKeys, argv, capKeys, driverKey, seconds, type ShapedSlice, shellText, text } from "./shapes.ts";

const check = () =>
  z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("none").describe("The step passes when the agent ends its turn.") }),
    z.strictObject({
      type: z.literal("review").describe(
        "The step is a review: the last message of its agent must say `REVIEW_RESULT: APPROVED`.",
      ),
    }),
    z.strictObject({
      type: z.literal("evidence").describe(
        "What the commands of this step, or of the last one that has some, have passed must hold on a fresh checkout of the " +
          "result: see `evidence`.",
      ),
    }),
    z.strictObject({
      type: z.literal("fileExists").describe("A file, or each of several files, must be there."),
      path: z.union([text(), z.array(text()).min(1)]).describe("Relative to the working directory."),
    }),
    z.strictObject({
      type: z.literal("shell").describe("A command must pass, or must fail."),
      command: z.union([shellText(), argv()]).describe("An argv array, or a string for `sh -c`."),
      expect: z.enum(["pass", "fail"]).default("pass").describe(
        "Whether it must exit with 0 (pass) or with another code (fail).",
      ),
      time_limit_seconds: seconds().default(600).describe("Seconds after which it is killed and the check fails."),
    }),
  ]);

const step = (providerIds: readonly ProviderId[]) => {
  const { profile: _, ...startKeys } = agentKeys();
  return z.strictObject({
    name: text().max(80).describe("The name of the step in progress, prompts and folder names."),
    prompt: text().describe(
      "The file with the step's prompt, relative to the config file; `self` for the task's own text.",
    ),
    provider: z.enum(providerIds).optional().describe(
      "The agent CLI of this step, where it differs from the common one.",
    ),
    ...driverKey(),
    ...startKeys,
    check: z.union([check(), z.array(check()).min(1)])
      .describe("What must hold after the step; of several checks, the first that fails ends it."),
    retry: z.int().min(0).max(100).default(0)
      .describe("How often the step is repeated, with the output of the check that failed."),
    needs: z.array(text()).max(64).optional().describe(
      "The steps that come before it, by name. Where a step of a pipeline has this, its steps form a graph: what needs " +
        "nothing begins at once, and `exec.parallel` of them are done at a time.",
    ),
    next: z.strictObject({
      pass: text().optional().describe("The step after it where it passes; `end` ends the task."),
      fail: text().optional().describe("The step after it where a check says no; without it, the task fails."),
    }).optional().describe(
      "Where the pipeline continues, by names of steps, where that is not the next step in order.",
    ),
    only_if: z.strictObject({
      failed_attempts: z.int().min(1).max(1000).optional().describe("So many attempts of them were not good enough."),
      changed_lines: z.int().min(1).max(1_000_000).optional().describe("They have changed so many lines."),
    }).optional().describe(
      "The step is done only if one of these holds of the steps before it; otherwise it is passed over.",
    ),
    file_access: z.strictObject({
      allow_write: z.array(text()).min(1).describe("Globs of the files that the step may change."),
    }).optional().describe("What the step may change."),
    autonomy_level: z.literal(EXEC_SETTINGS.autonomyLevel.value.of).optional().describe(
      "The step's own autonomy level.",
    ),
    ...capKeys(),
    time_limit_seconds: seconds().default(DEFAULT_STEP_TIME_LIMIT_SECONDS)
      .describe("Seconds after which an attempt is stopped and fails."),
  });
};

const attemptAgent = (providerIds: readonly ProviderId[]) => {
  const { profile: _, ...startKeys } = agentKeys();
  return z.strictObject({
    provider: z.enum(providerIds).describe("The agent CLI of the attempt."),
    ...driverKey(),
    ...startKeys,
  });
};

export type StepConfig = z.output<ReturnType<typeof step>>;
export type CheckConfig = z.output<ReturnType<typeof check>>;

export const pipelineSettings = (providerIds: readonly ProviderId[]) => ({
  pipelines: {
    names: { key: "pipelines" },
    value: {
      kind: "shape",
      schema: () => z.record(z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/), z.array(step(providerIds)).min(1)),
      must: "an object with an array of steps for each pipeline",
      default: {},
    },
    description: "The pipelines by name, each with its steps in order.",
    example: {
      feature: [
        { name: "plan", prompt: "prompts/plan.md", check: { type: "fileExists", path: "PLAN.md" } },
        { name: "implement", prompt: "self", check: { type: "shell", command: ["npm", "test"] }, retry: 2 },
      ],
    },
  },
  attemptAgents: {
    names: { key: "exec.attempt_agents" },
    value: {
      kind: "shape",
      schema: () => z.array(attemptAgent(providerIds)).max(16),
      must: "an array of agents",
      default: [],
    },
    description:
      "The agents of the attempts of a task (`--attempts`) or of a role (`roles.programmer.attempts`), in turn, for the steps " +
      "and roles that name no provider; without it, each attempt has their own agent.",
    example: [{ provider: "codex" }, { provider: "claude_code", model: "opus" }],
  },
  defaultPipeline: {
    names: { key: "default_pipeline" },
    value: { kind: "text" },
    description: "The pipeline of a task that names none; without it, the first one.",
    example: "feature",
  },
} as const satisfies ShapedSlice);
