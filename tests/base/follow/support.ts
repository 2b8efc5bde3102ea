const FOLDER = new URL("../../../fixtures/session_logs/codex/", import.meta.url);

/** A session log that a real Codex 0.169.0 wrote. */
export interface RecordedLog {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly lines: readonly string[];
}

/** Every recorded session log, in the order of their names. */
export function recordedLogs(): readonly RecordedLog[] {
  const names = [...Deno.readDirSync(FOLDER)].map(({ name }) => name).toSorted();
  return names.map((name) => {
    const bytes = Deno.readFileSync(new URL(name, FOLDER));
    return { name, bytes, lines: new TextDecoder().decode(bytes).split("\n").slice(0, -1) };
  });
}

/** The lines of one recorded session log. */
export function recordedLines(name: string): readonly string[] {
  return Deno.readTextFileSync(new URL(name, FOLDER)).split("\n").slice(0, -1);
}
