import type { SettingSlice } from "../../base/settings.ts";

/** What a model may answer in place of a person. */
export const MODEL_ANSWERS = ["none", "questions", "all"] as const;

/** One of {@linkcode MODEL_ANSWERS}. */
export type ModelAnswers = typeof MODEL_ANSWERS[number];

/**
 * Whether only a person may answer, and no model.
 *
 * @param isPermission whether it is a request for a permission; otherwise it is a question
 */
export function isReserved(allowed: ModelAnswers, { isPermission }: { readonly isPermission: boolean }): boolean {
  return allowed === "none" || (isPermission && allowed !== "all");
}

/** The slice of the settings table about permission dialogs, besides the rules and what the handoff counts. */
export const DIALOG_SETTINGS = {
  dryRun: {
    names: { key: "permissions.dry_run" },
    value: { kind: "switch", default: false },
    description:
      "Whether the policy's decisions are only written to the audit log: a person decides about every permission.",
  },
  modelAnswers: {
    names: { key: "permissions.model_answers" },
    value: { kind: "choice", of: MODEL_ANSWERS, default: "questions" },
    description:
      "What a model may answer over MCP in place of a person: nothing, the questions of agents, or their requests for a " +
      "permission as well. What it may not answer stays open for a person.",
  },
  dialogTimeoutSeconds: {
    names: { key: "permissions.dialog_timeout_seconds" },
    value: { kind: "seconds", above: 0, default: 600 },
    description: "Seconds that a dialog, or a draft in an agent's composer, waits for a person.",
  },
} as const satisfies SettingSlice;
