export interface LoggedPrompt {
  readonly at: string;
  readonly role: string;
  readonly pid: number;
  readonly prompt: string;
}

/** It is written when this returns: an agent that is killed has accepted no prompt that the log lacks. */
export function logPrompt(path: string, { role, prompt }: Pick<LoggedPrompt, "role" | "prompt">): void {
  const logged: LoggedPrompt = { at: new Date().toISOString(), role, pid: Deno.pid, prompt };
  Deno.writeTextFileSync(path, `${JSON.stringify(logged)}\n`, { append: true });
}
