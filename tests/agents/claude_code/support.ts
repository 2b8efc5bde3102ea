/** The lines of a transcript that a real Claude Code 2.1.328 wrote; what it was told by its maker is left out. */
export function recordedTranscript(): readonly string[] {
  const path = new URL("../../../fixtures/session_logs/claude_code/transcript.jsonl", import.meta.url);
  return Deno.readTextFileSync(path).split("\n").slice(0, -1);
}
