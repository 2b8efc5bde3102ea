import { createClaudeReader } from "../../lib/agents/claude_code/reader.ts";
import { createCodexReader } from "../../lib/agents/codex/reader.ts";
import { EMPTY_LOG, foldLog, type LogState } from "../../lib/agents/log_state.ts";

/** What a session log of Codex with these lines comes to. */
export function codexLog(lines: readonly string[]): LogState {
  const reader = createCodexReader({});
  return lines.flatMap((line) => reader.readLog(line)).reduce(foldLog, EMPTY_LOG);
}

/** What a transcript of Claude Code with these lines comes to. */
export function claudeLog(lines: readonly string[]): LogState {
  const reader = createClaudeReader();
  return lines.flatMap((line) => reader.readLog(line)).reduce(foldLog, EMPTY_LOG);
}
