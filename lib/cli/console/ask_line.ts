import type { CliIo, TerminalInput } from "./command.ts";

/**
 * Asks a person at the terminal, and waits for a line.
 *
 * @returns what was typed, with the end of the line; undefined where the input ended before it
 */
export async function askLine(
  question: string,
  { io, input }: { readonly io: CliIo; readonly input: TerminalInput },
): Promise<string | undefined> {
  io.stderr(question);
  let line = "";
  while (!/[\r\n]/.test(line)) {
    const bytes = await input.read(io.signal);
    if (bytes === undefined) return undefined;
    line += new TextDecoder().decode(bytes);
  }
  return line;
}
