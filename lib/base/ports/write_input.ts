/** Writes all that a program is given on its standard input, and closes that. Never rejects. */
export async function writeInput(stdin: WritableStream<Uint8Array>, text: string): Promise<void> {
  const writer = stdin.getWriter();
  try {
    await writer.write(new TextEncoder().encode(text));
    await writer.close();
  } catch { /* a program may end without reading what it was given */ }
}
