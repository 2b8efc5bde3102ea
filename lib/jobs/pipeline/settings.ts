import { REVIEWS } from "../../journal/exec/fields.ts";
import type { SettingSlice, SettingsOf } from "../../base/settings.ts";

export const EXEC_SETTINGS = {
  autonomyLevel: {
    names: { key: "autonomy_level", flag: "--autonomy-level N" },
    value: { kind: "choice", of: [0, 1, 2, 3, 4, 5], default: 1 },
    description:
      "How much the agents of steps ask, from 0 (only when the task is impossible as it stands) to 5 (every choice).",
    flagDescription: "how much the agents ask, from 0 to 5, whatever tasks and steps say",
  },
  resume: {
    names: { key: "exec.resume", flag: "--resume-mode" },
    value: { kind: "choice", of: ["native", "replay"], default: "replay" },
    description:
      "How a step resumes after an answer: in the CLI's own session (native), or with a new process that is told everything (replay).",
  },
  askCommands: {
    names: { key: "exec.ask_commands" },
    value: { kind: "commands", default: [["panewright", "ask"], ["cat-herder", "ask"]] },
    description: "The commands with which an agent asks a person, as their leading words.",
  },
  maxQuestionsPerStep: {
    names: { key: "exec.max_questions_per_step" },
    value: { kind: "count", least: 0, default: 5 },
    description: "How many questions of one step a person is asked; the agent must decide later ones itself.",
  },
  atLevel0: {
    names: { key: "exec.at_level_0" },
    value: { kind: "choice", of: ["decide", "ask"], default: "decide" },
    description: "What a question at autonomy level 0 leads to: the agent is told to decide, or a person is asked.",
  },
  answerTimeoutSeconds: {
    names: { key: "exec.answer_timeout_seconds" },
    value: { kind: "seconds", above: 0 },
    description: "Seconds that a question waits for its answer; without it, there is no limit.",
    example: 900,
  },
  defaultAnswer: {
    names: { key: "exec.default_answer" },
    value: { kind: "text" },
    description: "The answer to a question that nobody answered in time.",
    example: "Decide yourself, and say in your last message what you decided.",
  },
  waitForUsageLimitReset: {
    names: { key: "exec.wait_for_usage_limit_reset" },
    value: { kind: "switch", default: true, libraryDefault: false },
    description:
      "Whether a step that reaches the account's usage limit waits until the limit is reset, if that time is told.",
  },
  maxRepeatsPerStep: {
    names: { key: "exec.max_repeats_per_step" },
    value: { kind: "count", least: 0, default: 5 },
    description:
      "How often one step of a task is done again because `next` leads back to it; the task fails where it would be once more.",
  },
  review: {
    names: { key: "exec.review" },
    value: { kind: "choice", of: REVIEWS, default: "if_needed" },
    description:
      "Whether another agent reviews what was done for a task without a pipeline: where two attempts have failed or 300 lines " +
      "have changed (if_needed), always, or never.",
  },
  writesOutside: {
    names: { key: "exec.writes_outside" },
    value: { kind: "choice", of: ["fail", "warn"], default: "fail" },
    description:
      "What happens when a file outside of `allow_write` changes, or when the changes are not known: the step fails, " +
      "or there is a warning.",
  },
} as const satisfies SettingSlice;

export interface ExecSettings extends SettingsOf<typeof EXEC_SETTINGS> {}

export const DEFAULT_STEP_TIME_LIMIT_SECONDS = 7200;
