/** What is done in a turn. */
export interface Answer {
  readonly commands?: readonly string[];
  readonly response: string;
  /** The command that is left out once a prompt has had this text, which is its answer. */
  readonly ask?: { readonly command: string; readonly answer: string };
  /** The path of a FIFO from which something has to come before the turn ends. */
  readonly gate?: string;
}

/** A row of the log. */
export interface AgentEvent {
  readonly at: string;
  readonly what: "start" | "prompt";
  readonly pid: number;
  /** Those that have started before, were not yet found to be dead, and run no more. */
  readonly dead: readonly number[];
  /** Of a prompt. */
  readonly turnId?: string;
}

/** All rows of a log; the last one may be written at this moment. */
export function readLog(path: string): readonly AgentEvent[] {
  try {
    return Deno.readTextFileSync(path).split("\n").slice(0, -1).map((line) => JSON.parse(line));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
