import type { SpentTokens } from "../pane/session_tokens.ts";
import { createCodexReader } from "./headless/session_reader.ts";

/** Most lines say nothing of tokens, and need no parsing. */
const MAY_COUNT = /"(?:turn_context|token_usage_record|token_count)"/;

/**
 * Reads what the replies in a session log cost. A log that begins with a copy of another conversation's, as a helper's
 * may, names the other in what it copies.
 *
 * @param path of the log: its name ends with the id of its conversation
 */
export function createCodexTokenReader(path: string): (line: string) => readonly SpentTokens[] {
  const reader = createCodexReader({});
  return (line) => {
    if (!MAY_COUNT.test(line)) return [];
    const thread = /"token_usage_record".*?"thread_id":"([^"]*)"/.exec(line)?.[1];
    if (thread !== undefined && !path.endsWith(`-${thread}.jsonl`)) return [];
    return reader.readLog(line).flatMap((seen) => seen.type === "spent" ? [seen] : []);
  };
}
