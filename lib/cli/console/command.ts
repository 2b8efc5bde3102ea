import type { OnForcedExit } from "../../base/ports/watchdog.ts";
import type { StartedBy } from "../../journal/run_facts.ts";
import type { RunRequest } from "../../run/run_request.ts";
import type { Colors } from "./color.ts";
import type { WorkflowCommand } from "./workflow_commands.ts";

/** A flag of a command, as data: parsing, `--help`, errors and suggestions all come from here. */
export interface FlagSpec {
  /** Long name without dashes: `max-rounds`. */
  readonly name: string;
  /** One letter: `h` for `-h`. */
  readonly short?: string;
  /** What the flag takes: a `switch` takes nothing, every other type takes a value. */
  readonly type: FlagType;
  /** The value's name in help: `N`, `FILE`. Required for every type except `switch` and `choice`. */
  readonly placeholder?: string;
  /** The allowed values of a `choice`. */
  readonly choices?: readonly string[];
  /** Whether the flag may be given several times; its value is then an array. */
  readonly repeatable?: boolean;
  /** One sentence without a full stop, beginning with a lower-case letter. */
  readonly description: string;
  /** What a shell offers for its value. @default {files or folders where the placeholder is FILE or DIR} */
  readonly completes?: readonly Completed[];
}

/** A kind of things that exist, which a shell can offer; `asking_runs` are those with an open question. */
export type Completed = "runs" | "asking_runs" | "questions" | "roles" | "commands" | "files" | "folders";

/** How a flag's value is parsed. `integer` and `number` refuse negative values and anything that is not a number. */
type FlagType = "switch" | "string" | "integer" | "number" | "choice";

/** A positional argument of a command, in the order of the list. */
export interface ArgumentSpec {
  /** Its name in help: `CONFIG`. */
  readonly name: string;
  readonly description: string;
  /** The words that it may be. */
  readonly choices?: readonly string[];
  /** What a shell offers for it. @default {what its name stands for: files for CONFIG, runs for RUN} */
  readonly completes?: readonly Completed[];
  readonly required?: boolean;
  /** Only for the last one: whether it takes all remaining arguments. */
  readonly rest?: boolean;
  /** Whether it is any text, and may be empty. The name of a thing never is: a shell's variable was not set. */
  readonly text?: boolean;
}

/** An example call of a command, shown under "Examples". */
interface CommandExample {
  /** What follows `panewright `. */
  readonly command: string;
  readonly description: string;
}

/** Flags that every command accepts, before or after its name. */
export interface GlobalFlags {
  /** Results and events as JSON on stdout, one object per line. */
  readonly json: boolean;
  /** Only the result; no progress. */
  readonly quiet: boolean;
  /** More detail: every status change, and the causes of an error with their stacks. */
  readonly verbose: boolean;
  /** Which output streams are coloured; JSON never is. */
  readonly color: Colors;
}

type FlagValue<F extends FlagSpec> = F["type"] extends "switch" ? boolean
  : F["type"] extends "integer" | "number" ? number
  : F["type"] extends "choice" ? (F["choices"] extends readonly (infer C extends string)[] ? C : string)
  : string;

/** The values of the given flags by long name; a flag that was not given is absent. */
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

/** A command's view of the outside world; tests replace it. */
export interface CliIo {
  /** Writes text as it is; a result for stdout ends with a newline of its own. */
  stdout(text: string): void;
  stderr(text: string): void;
  env(name: string): string | undefined;
  /** The names of all environment variables. */
  envNames(): readonly string[];
  /** The working directory, absolute. */
  readonly cwd: string;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Current width of the terminal in columns; 80 without a terminal. */
  columns(): number;
  /** Current height of the terminal in rows; 24 without a terminal. */
  rows(): number;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP; its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  /** All of standard input, as bytes. */
  readStdin(): Promise<Uint8Array>;
  /** The keyboard of the terminal at standard input. */
  openTerminalInput(): TerminalInput;
  /** For a forced exit (a second Ctrl-C). */
  readonly onForcedExit: OnForcedExit;
  /** Who has started this process without a terminal, and for what; missing for a person's own command line. */
  readonly detached?: DetachedStart;
  /** Tells the runner of GitHub Actions something; missing elsewhere. */
  workflow?(command: WorkflowCommand): void;
}

/** The start of a process that executes a run without a terminal. */
export interface DetachedStart {
  readonly by: StartedBy;
  /** Of a new run: what it carries out, at most once. */
  readonly request?: RunRequest;
  /** Called with each record once it is on the disk. */
  readonly onRecord: (record: { readonly type: string }) => void;
}

/** A terminal's keyboard input, in chunks. Disposal restores the terminal. */
export interface TerminalInput extends Disposable {
  /** Until the result is disposed of, each key arrives at once and is not echoed; Ctrl-C still interrupts. */
  startRaw(): Disposable;
  /**
   * The next chunk; `undefined` at the end of the input.
   *
   * @throws the signal's reason when it is aborted; later input is not lost
   */
  read(signal: AbortSignal): Promise<Uint8Array | undefined>;
}

/** The program was stopped from outside; `exitCode` is 128 + the signal's number. */
export class Interruption extends Error {
  override name = "Interruption";
  readonly exitCode: number;

  constructor(readonly signalName: "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGPIPE") {
    super(`interrupted by ${signalName}`);
    this.exitCode = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 141 }[signalName];
  }
}

/**
 * The exit code when Ctrl-C has ended a command that runs until a person has seen enough: not an error, but a shell
 * loop should stop with it.
 */
export function exitCodeOfLeaving({ signal }: Pick<CliIo, "signal">): number {
  return signal.reason instanceof Interruption ? signal.reason.exitCode : 1;
}

/** A command: its arguments and flags as data, and what it does. Its name and summary are in the command table. */
export interface Command<Flags extends readonly FlagSpec[] = readonly FlagSpec[]> {
  /** Paragraphs for `--help`, below the usage line. */
  readonly description: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Flags;
  readonly examples?: readonly CommandExample[];
  /** Resolves to the exit code. The caller renders what it throws: message, hint and exit code. */
  run(parsed: ParsedCommand<Flags>, io: CliIo): Promise<number>;
}

/** An entry of the command table: what the overview needs, and how to load the rest. */
export interface CommandEntry {
  readonly name: string;
  /** A short phrase for the overview, without a full stop. */
  readonly summary: string;
  /** Whether help and suggestions omit it: for commands that panewright itself calls. */
  readonly hidden?: boolean;
  /** Imports the command. Only the one that is called is imported, which keeps startup fast. */
  load(): Promise<{ readonly command: Command }>;
}

/** Defines a command; the types of its flag values follow from the flags' data. */
export function defineCommand<const Flags extends readonly FlagSpec[]>(command: Command<Flags>): Command {
  return command as unknown as Command;
}
