/** The type of a journal's record. What agents have written stands further behind. */
export function typeOf(line: string): string | undefined {
  return /^\{"at":"[^"]*","prev":"[0-9a-f]{64}","type":"([a-z_]+)"/.exec(line)?.[1];
}

/** What a line of a journal names as the hash of the one before. */
export function prevOf(line: string): string | undefined {
  return /^\{"at":"[^"]*","prev":"([0-9a-f]{64})"/.exec(line)?.[1];
}

/** Whether a run has ended, or come to rest, with this record. */
export function isFinish(line: string): boolean {
  return typeOf(line) === "run_finished";
}
