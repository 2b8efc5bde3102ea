const ACTING_LEAD = /^[!/?#&]/;

/** Prompts that leave the program (2.1.328). */
const LEAVING = /^(?:exit|quit|:q!?|:wq!?)$/i;

/**
 * Defuses what Claude Code's composer acts upon instead of sending it: a leading sign, a word that leaves the program,
 * a trailing `\`, which makes Enter a line end, and a trailing `@word`, where Enter completes a file name (2.1.328).
 */
export function guardClaudePrompt(text: string): string {
  const body = text.trim();
  const lead = ACTING_LEAD.test(body) || LEAVING.test(body) ? "Prompt: " : "";
  const lastWord = body.slice(Math.max(body.lastIndexOf(" "), body.lastIndexOf("\n"), body.lastIndexOf("\t")) + 1);
  // Blanks at the end are cut off, so that something must stand there.
  const trail = body.endsWith("\\") || lastWord.startsWith("@") ? " ." : "";
  return `${lead}${body}${trail}`;
}
