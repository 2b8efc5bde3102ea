import { type JsonObject, numberOf, objectOf, textOf } from "../../base/text/json.ts";

/**
 * Whether an account's limits, as `token_count` records tell of them, are used up, and until when; `undefined` while
 * they are not.
 */
export function readCodexLimit(limits: JsonObject): { readonly resetsAt?: Date } | undefined {
  const windows = ["primary", "secondary"].map((name) => objectOf(limits[name]));
  const full = windows.filter((window) => (numberOf(window["used_percent"]) ?? 0) >= 100);
  if (full.length === 0 && textOf(limits["rate_limit_reached_type"]) === undefined) return undefined;
  // Both windows must be open again.
  const resets = full.flatMap((window) => numberOf(window["resets_at"]) ?? []);
  return resets.length === 0 ? {} : { resetsAt: new Date(Math.max(...resets) * 1000) };
}
