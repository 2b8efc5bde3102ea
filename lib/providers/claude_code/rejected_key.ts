import { arrayOf, objectOf, parseJsonObject } from "../headless/json.ts";
import type { RejectedKey } from "../provider.ts";

/** Claude Code keeps that many of a key's last characters with the answer that was given about it (2.1.328). */
const KEPT_CHARS = 20;

/** The key of the environment, where the person told Claude Code not to use it: its login status calls it good. */
export const claudeRejectedKey: RejectedKey = {
  settingsFile(env) {
    const folder = env("CLAUDE_CONFIG_DIR") ?? env("HOME");
    return folder === undefined ? undefined : `${folder}/.claude.json`;
  },
  problem(settings, env) {
    const key = env("ANTHROPIC_API_KEY") ?? "";
    const { rejected } = objectOf(objectOf(parseJsonObject(settings))["customApiKeyResponses"]);
    return key !== "" && arrayOf(rejected).includes(key.slice(-KEPT_CHARS))
      ? "it was told not to use the key in ANTHROPIC_API_KEY"
      : undefined;
  },
};
