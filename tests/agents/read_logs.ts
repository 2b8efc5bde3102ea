import { createClaudeReader } from "../../lib/agents/claude_code/reader.ts";
import { type ClaudeLogState, EMPTY_CLAUDE_LOG, foldClaudeLog } from "../../lib/agents/claude_code/log_view.ts";
import { type CodexLogState, foldCodexLog } from "../../lib/agents/codex/log_view.ts";
import { createCodexReader } from "../../lib/agents/codex/reader.ts";

/** What a session log of Codex with these lines comes to. */
export function codexLog(lines: readonly string[]): CodexLogState {
  const reader = createCodexReader({});
  return lines.flatMap((line) => reader.readLog(line)).reduce(foldCodexLog, {});
}

/** What a transcript of Claude Code with these lines comes to. */
export function claudeLog(lines: readonly string[]): ClaudeLogState {
  const reader = createClaudeReader();
  return lines.flatMap((line) => reader.readLog(line)).reduce(foldClaudeLog, EMPTY_CLAUDE_LOG);
}
