/** A flag of a command, as data: parsing, `--help`, errors and suggestions all come from here. */
export interface FlagSpec {
  /** Long name without dashes: `max-rounds`. */
  readonly name: string;
  /** One letter: `h` for `-h`. */
  readonly short?: string;
  /** What the flag takes: a `switch` takes nothing, every other type takes a value. */
  readonly type: FlagType;
  /** What help calls the value: `N`, `FILE`. Needed for every type but `switch` and `choice`. */
  readonly placeholder?: string;
  /** The values that a `choice` may have. */
  readonly choices?: readonly string[];
  /** Whether the flag may be given several times; its value is then an array. */
  readonly repeatable?: boolean;
  /** One sentence without a full stop, beginning with a small letter's verb or noun phrase. */
  readonly description: string;
}

/** What a flag's value is parsed as. `integer` and `number` refuse negative values and anything that is no number. */
export type FlagType = "switch" | "string" | "integer" | "number" | "choice";

/** A positional argument of a command, in the order of the list. */
export interface ArgumentSpec {
  /** What help calls it: `CONFIG`. */
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  /** Only for the last one: whether it takes all that follow. */
  readonly rest?: boolean;
}

/** One way to call a command, shown under "Examples". */
export interface CommandExample {
  /** What follows `panewright `. */
  readonly command: string;
  readonly description: string;
}

/** Flags that every command takes, before its name or after it. */
export interface GlobalFlags {
  /** Results and events as JSON, one object a line, on stdout. */
  readonly json: boolean;
  /** Only the result; no progress. */
  readonly quiet: boolean;
  /** More detail: the causes of an error with their stacks, every status change. */
  readonly verbose: boolean;
  /** Whether stderr may be coloured: it is a terminal, and neither `--no-color` nor `NO_COLOR` says otherwise. */
  readonly color: boolean;
}

type FlagValue<F extends FlagSpec> = F["type"] extends "switch" ? boolean
  : F["type"] extends "integer" | "number" ? number
  : F["type"] extends "choice" ? (F["choices"] extends readonly (infer C extends string)[] ? C : string)
  : string;

/** The values of the flags that were given, by long name; a flag that was not given is absent. */
export type FlagValues<Flags extends readonly FlagSpec[]> = {
  readonly [F in Flags[number] as F["name"]]?: F extends { readonly repeatable: true } ? readonly FlagValue<F>[]
    : FlagValue<F>;
};

/** A command line after parsing. */
export interface ParsedCommand<Flags extends readonly FlagSpec[] = readonly FlagSpec[]> {
  readonly flags: FlagValues<Flags>;
  readonly positionals: readonly string[];
  readonly global: GlobalFlags;
}

/** What a command sees of the outside, so that tests can stand in for it. */
export interface CliIo {
  /** Writes text as it is; a result for stdout ends with a newline of its own. */
  stdout(text: string): void;
  stderr(text: string): void;
  env(name: string): string | undefined;
  /** The working directory, absolute. */
  readonly cwd: string;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Width of the terminal in columns at this moment; 80 where there is none. */
  columns(): number;
  /** Height of the terminal in rows at this moment; 24 where there is none. */
  rows(): number;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP; its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  /** All of standard input, as bytes. */
  readStdin(): Promise<Uint8Array>;
  /** Keys of the terminal at standard input. */
  openTerminalInput(): TerminalInput;
  /**
   * Registers a last, synchronous act for the case that the program is left at once (a second Ctrl-C).
   *
   * @returns takes the registration back
   */
  onForcedExit(act: () => void): () => void;
}

/** A terminal's keys, one piece of input after the other. Disposal gives the terminal back as it was. */
export interface TerminalInput extends Disposable {
  /** Each key comes at once and is not echoed, until what is returned is disposed of; Ctrl-C still interrupts. */
  startRaw(): Disposable;
  /**
   * The next piece; `undefined` at the end of the input.
   *
   * @throws the signal's reason when it is aborted; what is typed later is not lost
   */
  read(signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** The run was stopped from outside; `exitCode` is 128 + the signal's number. */
export class Interruption extends Error {
  override name = "Interruption";
  readonly exitCode: number;

  constructor(readonly signalName: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGPIPE") {
    super(`interrupted by ${signalName}`);
    this.exitCode = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 }[signalName];
  }
}

/**
 * The exit code when Ctrl-C has ended something that goes on until a person has seen enough: no error, but a shell's loop is to
 * end with it.
 */
export function exitCodeOfLeaving({ signal }: Pick<CliIo, "signal">): number {
  return signal.reason instanceof Interruption ? signal.reason.exitCode : 1;
}

/** A command: what it takes, as data, and what it does. Its name and summary stand in the command table. */
export interface Command<Flags extends readonly FlagSpec[] = readonly FlagSpec[]> {
  /** Whole paragraphs for `--help`, below the usage line. */
  readonly description: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Flags;
  readonly examples?: readonly CommandExample[];
  /** Resolves to the exit code. What it throws is rendered by the caller: message, hint, exit code of the error. */
  run(parsed: ParsedCommand<Flags>, io: CliIo): Promise<number>;
}

/** A row of the command table: enough for the overview, and where the rest is. */
export interface CommandEntry {
  readonly name: string;
  /** Half a line for the overview, without a full stop. */
  readonly summary: string;
  /** Whether help and suggestions leave it out: commands that panewright calls itself. */
  readonly hidden?: boolean;
  /** Imports the command. Only the one that is called is imported, which keeps the start short. */
  load(): Promise<{ readonly command: Command }>;
}

/**
 * A command with the types of its flags' values taken from the flags' data.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const command = defineCommand({
 *   description: "Prints a word.",
 *   flags: [{ name: "times", type: "integer", placeholder: "N", description: "how often" }],
 *   run: ({ flags }, io) => Promise.resolve(io.stdout("word\n".repeat(flags.times ?? 1))).then(() => 0),
 * });
 * assertEquals(command.flags?.[0]?.name, "times");
 * ```
 */
export function defineCommand<const Flags extends readonly FlagSpec[]>(command: Command<Flags>): Command {
  return command as unknown as Command;
}
