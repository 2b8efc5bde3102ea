/** The standard streams of this process, for a protocol on them. */
export interface StandardStreams {
  readonly input: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Writes all bytes; rejects with {@linkcode Deno.errors.BrokenPipe} when nobody reads them any more. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
}

export function standardStreams(): StandardStreams {
  return {
    input: Deno.stdin.readable,
    async write(bytes) {
      for (let written = 0; written < bytes.length;) written += await Deno.stdout.write(bytes.subarray(written));
    },
  };
}
