/**
 * Keeps a line elsewhere before this process relies on it.
 *
 * @throws {Error} when it was not taken: it must not count
 */
export type Mirror = (line: Uint8Array) => void;

export const TAKEN = "taken\n";

/**
 * Writes lines to standard output for whoever has started this process, and waits, while everything else does, until
 * standard input says that they are taken.
 */
export function mirrorToStarter(): Mirror {
  const answer = new Uint8Array(256);
  return (line) => {
    for (let rest = line; rest.length > 0;) rest = rest.subarray(Deno.stdout.writeSync(rest));
    let said = "";
    while (!said.endsWith("\n")) {
      const read = Deno.stdin.readSync(answer);
      if (read === null) throw new Error("whoever keeps its records is gone");
      said += new TextDecoder().decode(answer.subarray(0, read));
    }
    if (said !== TAKEN) throw new Error(said.trimEnd());
  };
}
