import type { CliName } from "../support/clis.ts";
import type { Refusal } from "./one_turn_stage.ts";

/** How an account is refused whose limit is reached, of a plan of Codex or a subscription of Claude. */
export function limitOf(provider: CliName, seconds: number): Refusal {
  return provider === "codex" ? limitOfPlan(seconds) : limitOfSubscription(seconds);
}

/** How Codex' server refuses an account whose limit is reset in so many seconds. */
export function limitOfPlan(seconds: number): Refusal {
  const resets_at = Math.floor(Date.now() / 1000) + seconds;
  return {
    status: 429,
    error: { type: "usage_limit_reached", plan_type: "pro", resets_at, resets_in_seconds: seconds },
  };
}

/** How the account of a subscription that has used up its five hours is refused. */
export function limitOfSubscription(seconds = 3600): Refusal {
  const reset = String(Math.floor(Date.now() / 1000) + seconds);
  return {
    status: 429,
    message: "This request would exceed your account's rate limit. Please try again later.",
    error: { type: "rate_limit_error" },
    headers: {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": reset,
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "anthropic-ratelimit-unified-5h-status": "rejected",
      "anthropic-ratelimit-unified-5h-reset": reset,
      "anthropic-ratelimit-unified-fallback": "unavailable",
    },
  };
}

/** A login by subscription, in place of the key. */
export const SUBSCRIPTION = { ANTHROPIC_API_KEY: "", CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-dummy" };
