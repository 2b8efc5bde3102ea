/** Writes all that a program is given on its standard input, and closes that. Never rejects. */
export async function writeInput(stdin: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch { /* a program may end without reading what it was given */ }
}

/** Sends a signal to a process, or with a negative id to a process group, that may have ended meanwhile. */
export function trySignal(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(pid, signal);
  } catch { /* it ended between the look and the signal */ }
}
