import { ANSWERS_FROM, MODEL_ANSWERS } from "../../base/terms.ts";
import type { SettingSlice } from "../../base/settings.ts";

/** How long a person is waited for where nothing else is said. */
export const PERSON_SECONDS = 600;

/** The slice of the settings table about permission dialogs, besides the rules and what the handoff counts. */
export const DIALOG_SETTINGS = {
  dryRun: {
    names: { key: "permissions.dry_run" },
    value: { kind: "switch", default: false },
    description:
      "Whether the policy's decisions are only written to the audit log: a person decides about every permission.",
  },
  hookTrial: {
    names: { key: "permissions.hook_trial" },
    value: { kind: "choice", of: ["required", "off"], default: "required" },
    description:
      "Whether a run whose policy relies on the hooks of a CLI starts only once it was seen that they work. " +
      '"off": it starts on hope, and says so.',
  },
  modelAnswers: {
    names: { key: "permissions.model_answers" },
    value: { kind: "choice", of: MODEL_ANSWERS, default: "questions" },
    description:
      "What a model may answer over MCP in place of a person: nothing, the questions of agents, or their requests for a " +
      "permission as well. What it may not answer stays open for a person.",
  },
  acceptTypedInput: {
    names: { key: "permissions.accept_typed_input" },
    value: { kind: "switch", default: false },
    description:
      "Whether a Codex may start that cannot be kept from typing into commands that run, although `deny` or `ask` has " +
      "an entry: what it types is not judged.",
  },
  answersFrom: {
    names: { key: "permissions.answers_from" },
    value: { kind: "choice", of: ANSWERS_FROM, default: "person" },
    description:
      "Whose yes permits something at a terminal or by `panewright answer`: only that of a process which is seen to be a " +
      "person's, or `any` of your user's. For CI, where a later step of another process tree answers.",
  },
  dialogTimeoutSeconds: {
    names: { key: "permissions.dialog_timeout_seconds" },
    value: { kind: "seconds", above: 0 },
    description:
      "Seconds that a dialog, or a draft in an agent's composer, waits for a person. Without it, 600; a dialog of a " +
      "detached run waits as long as it takes.",
    example: 3600,
  },
} as const satisfies SettingSlice;
