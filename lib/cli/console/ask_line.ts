import type { CliIo, TerminalInput } from "./command.ts";

export async function askLine(
  question: string,
  { io, input, signal = io.signal }: {
    readonly io: CliIo;
    readonly input: TerminalInput;
    readonly signal?: AbortSignal;
  },
): Promise<string | undefined> {
  io.stderr(question);
  let line = "";
  while (!/[\r\n]/.test(line)) {
    const bytes = await input.read(signal);
    if (bytes === undefined) return undefined;
    line += new TextDecoder().decode(bytes);
  }
  return line;
}
