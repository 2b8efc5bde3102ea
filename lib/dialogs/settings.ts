import type { SettingSlice } from "../settings.ts";

/** The slice of the settings table about permission dialogs, besides the rules and what the handoff counts. */
export const DIALOG_SETTINGS = {
  dryRun: {
    names: { key: "permissions.dry_run" },
    value: { kind: "switch", default: false },
    description: "Whether decisions are only written to the audit log, and nothing is sent to the agents.",
  },
  dialogTimeoutSeconds: {
    names: { key: "permissions.dialog_timeout_seconds" },
    value: { kind: "seconds", above: 0, default: 600 },
    description: "Seconds that a dialog, or a draft in an agent's composer, waits for a person.",
  },
} as const satisfies SettingSlice;
