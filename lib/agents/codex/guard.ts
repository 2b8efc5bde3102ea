/**
 * Defuses what Codex's composer acts upon instead of sending it: a leading `!` runs a shell command, a leading `/` is a
 * command of its own, and after a trailing `@word` Enter completes a file name.
 *
 * A blank before `!` is not enough: 0.107.0 removes it and runs the command. A blank after `@word` is (0.53.0 to
 * 0.169.0).
 */
export function guardCodexPrompt(text: string): string {
  const body = text.trim();
  const lead = /^[!/]/.test(body) ? "Prompt: " : "";
  const lastWord = body.slice(Math.max(body.lastIndexOf(" "), body.lastIndexOf("\n"), body.lastIndexOf("\t")) + 1);
  // `$` opens the list of skills as `@` does that of files.
  const trail = /^[@$]/.test(lastWord) ? " " : "";
  return `${lead}${body}${trail}`;
}
