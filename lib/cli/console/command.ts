import type { Mirror } from "../../base/ports/mirror.ts";
import { present } from "../../base/schema.ts";
import type { OnForcedExit } from "../../base/ports/watchdog.ts";
import type { StartedBy } from "../../journal/run_facts.ts";
import type { RunRequest } from "../../run/run_request.ts";
import type { Colors } from "./color.ts";
import type { WorkflowCommand } from "./workflow_commands.ts";

export interface FlagSpec {
  readonly name: string;
  readonly short?: string;
  /** What the flag takes: a `switch` takes nothing, every other type takes a value. */
  readonly type: FlagType;
  readonly placeholder?: string;
  readonly choices?: readonly string[];
  /** Whether the flag may be given several times; its value is then an array. */
  readonly repeatable?: boolean;
  readonly description: string;
  readonly completes?: readonly Completed[];
}

/** A flag without its name, which it has among the flags of its command. */
type Flag = Omit<FlagSpec, "name">;

export type Flags = Readonly<Record<string, Flag>>;

export type Completed = "runs" | "asking_runs" | "questions" | "roles" | "commands" | "files" | "folders";

type FlagType = "switch" | "string" | "integer" | "number" | "choice";

export interface ArgumentSpec {
  readonly name: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly completes?: readonly Completed[];
  readonly required?: boolean;
  /** Only for the last one: whether it takes all remaining arguments. */
  readonly rest?: boolean;
  /** Whether it is any text, and may be empty. The name of a thing never is: a shell's variable was not set. */
  readonly text?: boolean;
}

export interface GlobalFlags {
  readonly json: boolean;
  readonly quiet: boolean;
  /** More detail: every status change, and the causes of an error with their stacks. */
  readonly verbose: boolean;
  readonly color: Colors;
}

type FlagValue<F extends Flag> = F["type"] extends "switch" ? boolean
  : F["type"] extends "integer" | "number" ? number
  : F["type"] extends "choice" ? (F["choices"] extends readonly (infer C extends string)[] ? C : string)
  : string;

export type FlagValues<Of extends Flags> = {
  readonly [Name in keyof Of]?: Of[Name] extends { readonly repeatable: true } ? readonly FlagValue<Of[Name]>[]
    : FlagValue<Of[Name]>;
};

export interface ParsedCommand<Of extends Flags = Flags> {
  readonly flags: FlagValues<Of>;
  readonly positionals: readonly string[];
  readonly global: GlobalFlags;
}

export interface CliIo {
  /** Writes text as it is; a result for stdout ends with a newline of its own. */
  stdout(text: string): void;
  stderr(text: string): void;
  env(name: string): string | undefined;
  envNames(): readonly string[];
  readonly cwd: string;
  readonly isTerminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  /** Current width of the terminal in columns; 80 without a terminal. */
  columns(): number;
  /** Current height of the terminal in rows; 24 without a terminal. */
  rows(): number;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP; its reason is an `Interruption`. */
  readonly signal: AbortSignal;
  readStdin(): Promise<Uint8Array>;
  openTerminalInput(): TerminalInput;
  readonly onForcedExit: OnForcedExit;
  /** Who has started this process without a terminal, and for what; missing for a person's own command line. */
  readonly detached?: DetachedStart;
  /** Whether all is looked at that a run needs, and the run is begun by another process. @default {false} */
  readonly beginsLater?: boolean;
  /** Tells the runner of GitHub Actions something; missing elsewhere. */
  workflow?(command: WorkflowCommand): void;
}

export interface DetachedStart {
  readonly by: StartedBy;
  readonly request?: RunRequest;
  readonly onRecord: (record: { readonly type: string }) => void;
  /** Keeps the run's records with whoever has started it. */
  readonly mirror?: Mirror;
}

export interface TerminalInput extends Disposable {
  /** Until the result is disposed of, each key arrives at once and is not echoed; Ctrl-C still interrupts. */
  startRaw(): Disposable;
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

export interface Command {
  readonly arguments: readonly ArgumentSpec[];
  readonly flags: readonly FlagSpec[];
  /** Resolves to the exit code. The caller renders what it throws: message, hint and exit code. */
  run(parsed: ParsedCommand, io: CliIo): Promise<number>;
}

export interface CommandEntry {
  readonly name: string;
  /** What help lists it under; empty for one that it omits. */
  readonly group: string;
  /** Whether help and suggestions omit it: for commands that panewright itself calls. */
  readonly hidden?: boolean;
  load(): Promise<{ readonly command: Command }>;
}

interface CommandDefinition<Of extends Flags> {
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Of;
  run(parsed: ParsedCommand<Of>, io: CliIo): Promise<number>;
}

/** Defines a command, of which `help.json` has the words; the types of its flag values follow from the flags. */
export function defineCommand<const Of extends Flags>(definition: CommandDefinition<Of>): Command {
  const { arguments: args = [], flags = {}, run } = definition as CommandDefinition<Flags>;
  return { arguments: args, flags: Object.entries(flags).map(([name, flag]) => ({ name, ...flag })), run };
}

export function switchFlag(description: string, short?: string) {
  return { ...present({ short }), type: "switch" as const, description };
}

export const textFlag = flagOfType("string");
export const integerFlag = flagOfType("integer");
export const numberFlag = flagOfType("number");

export function choiceFlag<const Choices extends readonly string[]>(
  choices: Choices,
  description: string,
  more: { readonly placeholder?: string } = {},
) {
  return { type: "choice" as const, choices, ...more, description };
}

function flagOfType<const Type extends FlagType>(type: Type) {
  return <const More extends Pick<Flag, "short" | "repeatable" | "completes">>(
    placeholder: string,
    description: string,
    more?: More,
  ): Flag & { readonly type: Type } & More => {
    const { short, repeatable, completes } = more ?? {};
    const flag = { ...present({ short }), type, placeholder, ...present({ repeatable }), description };
    return { ...flag, ...present({ completes }) } as Flag & { readonly type: Type } & More;
  };
}
