import type { KeyPath } from "./source.ts";

/** An environment variable that stands for a key of the configuration. */
export interface EnvironmentKey {
  readonly name: string;
  readonly path: KeyPath;
  readonly type: "number" | "boolean" | "string";
}

const key = (name: string, path: string, type: EnvironmentKey["type"]): EnvironmentKey => ({
  name,
  path: path.split("."),
  type,
});

/**
 * Every variable that is read. The loop's own figures have the names that the seeds give them; a name that other
 * programs may use as well begins with PANEWRIGHT_.
 */
export const ENVIRONMENT_KEYS: readonly EnvironmentKey[] = [
  key("PANEWRIGHT_PROVIDER", "provider", "string"),
  key("PANEWRIGHT_WD", "wd", "string"),
  key("PANEWRIGHT_PROMPT", "prompt", "string"),
  key("PANEWRIGHT_PROMPT_FILE", "prompt_file", "string"),
  key("START_AGENT", "start_agent", "string"),
  key("PROJECT_TEST_CMD", "project_test_cmd", "string"),
  key("PROJECT_TEST_TIMEOUT_SECONDS", "project_test_timeout_seconds", "number"),
  key("STARTUP_TIMEOUT_SECONDS", "startup_timeout_seconds", "number"),
  key("QUIET_SECONDS", "quiet_seconds", "number"),
  key("CLEANUP_ON_EXIT", "cleanup_on_exit", "boolean"),
  key("MAX_ROUNDS", "limits.max_rounds", "number"),
  key("MAX_REVIEW_CYCLES", "limits.max_review_cycles", "number"),
  key("MIN_REVIEW_CYCLES_BEFORE_APPROVAL", "limits.min_review_cycles_before_approval", "number"),
  key("REVIEW_EVIDENCE_MIN_MATCH", "limits.review_evidence_min_match", "number"),
  key("AT_REVIEW_LIMIT", "limits.at_review_limit", "string"),
  key("CONDENSE_CROSS_PHASE", "condensation.condense_cross_phase", "boolean"),
  key("CONDENSE_UPSTREAM_ON_REPEAT", "condensation.condense_upstream_on_repeat", "boolean"),
  key("CONDENSE_EXPLORE_ON_REPEAT", "condensation.condense_explore_on_repeat", "boolean"),
  key("CONDENSE_REVIEW_FEEDBACK", "condensation.condense_review_feedback", "boolean"),
  key("CONDENSE_TEST_EVIDENCE", "condensation.condense_test_evidence", "boolean"),
  key("MAX_CROSS_PHASE_LINES", "condensation.max_cross_phase_lines", "number"),
  key("MAX_FEEDBACK_LINES", "condensation.max_feedback_lines", "number"),
  key("MAX_TEST_EVIDENCE_LINES", "condensation.max_test_evidence_lines", "number"),
  key("POLL_SECONDS", "handoff.poll_seconds", "number"),
  key("IDLE_GRACE_SECONDS", "handoff.idle_grace_seconds", "number"),
  key("RESPONSE_TIMEOUT", "handoff.response_timeout", "number"),
  key("STRICT_FILE_HANDOFF", "handoff.strict_file_handoff", "boolean"),
  key("MAX_FILE_REMINDERS", "handoff.max_file_reminders", "number"),
  key("AUTO_ACCEPT_PERMISSIONS", "permissions.auto_accept", "boolean"),
  key("PANEWRIGHT_TMUX_SOCKET", "tmux.socket", "string"),
  key("PANEWRIGHT_TMUX_SESSION", "tmux.session", "string"),
  key("PANEWRIGHT_NTFY_URL", "notifications.ntfy_url", "string"),
  key("PANEWRIGHT_NTFY_TOPIC", "notifications.ntfy_topic", "string"),
];

/** The variable that stands for the key at a dotted path, if there is one. */
export function variableOf(path: string): string | undefined {
  return ENVIRONMENT_KEYS.find((candidate) => candidate.path.join(".") === path)?.name;
}

const SWITCH_WORDS: Readonly<Record<string, boolean>> = {
  "1": true,
  "true": true,
  "yes": true,
  "on": true,
  "0": false,
  "false": false,
  "no": false,
  "off": false,
};

/** A variable's text as the value of its key, or what the text should have been. */
export type ConvertedText =
  | { readonly value: string | number | boolean }
  | { readonly expected: string };

/**
 * Reads a variable's text as its key's type. A switch is 1 or 0, as in the seeds, or true/false, yes/no, on/off.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(convertText("1", "boolean"), { value: true });
 * assertEquals(convertText("2s", "number"), { expected: "a number, such as 2 or 0.5" });
 * ```
 */
export function convertText(text: string, type: EnvironmentKey["type"]): ConvertedText {
  switch (type) {
    case "string":
      return { value: text };
    case "number":
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text.trim())
        ? { value: Number(text) }
        : { expected: "a number, such as 2 or 0.5" };
    case "boolean": {
      const word = text.trim().toLowerCase();
      const value = Object.hasOwn(SWITCH_WORDS, word) ? SWITCH_WORDS[word] : undefined;
      return value === undefined ? { expected: "1 or 0 (or true/false, yes/no, on/off)" } : { value };
    }
  }
}
