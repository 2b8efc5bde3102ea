/** The command line of a task that a contributor starts by hand. */
export interface TaskLine {
  /** Writes a line to standard output. */
  say(text: string): void;
  /** Ends the process with exit code 1, and a line that says why. */
  fail(text: string): never;
  /** Reads a whole number that is not negative from a flag's value. */
  count(name: string, value: unknown, otherwise: number): number;
}

/** @param usage what is shown where a flag cannot be taken */
export function taskLine(usage: string): TaskLine {
  const fail = (text: string): never => {
    Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
    Deno.exit(1);
  };
  return {
    say: (text) => void Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`)),
    fail,
    count(name, value, otherwise) {
      const count = value === undefined ? otherwise : Number(value);
      return Number.isInteger(count) && count >= 0 ? count : fail(`Cannot take ${value} for --${name}\n\n${usage}`);
    },
  };
}
