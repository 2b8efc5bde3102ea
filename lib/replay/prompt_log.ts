/** A prompt that a replayed agent took, as a line of its log. */
export interface LoggedPrompt {
  /** ISO 8601. */
  readonly at: string;
  readonly role: string;
  /** The agent's process. */
  readonly pid: number;
  readonly prompt: string;
}

/**
 * Appends a prompt to a log of JSON lines, which all agents of a run may share. It is there when this returns, so that an
 * agent which is killed has not taken what the log does not know of.
 */
export function logPrompt(path: string, { role, prompt }: Pick<LoggedPrompt, "role" | "prompt">): void {
  const logged: LoggedPrompt = { at: new Date().toISOString(), role, pid: Deno.pid, prompt };
  Deno.writeTextFileSync(path, `${JSON.stringify(logged)}\n`, { append: true });
}
