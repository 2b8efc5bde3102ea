import type { CommandSource } from "./ask_ledger.ts";
import type { FailureClass } from "../failure.ts";
import type { TokenUsage, Usage } from "../usage.ts";
import type { HeadlessFact } from "./seam.ts";

/** A shell command that a record tells of. */
export interface ToldCommand {
  /** Shell text, or an argv array. */
  readonly command: string | readonly string[];
  /** Whether it is run for sure; a program of code mode may decide otherwise. */
  readonly isCertain: boolean;
}

/** What a record of a session log, or a line of a CLI's own report, comes to. */
export type Observation =
  | HeadlessFact
  | {
    readonly type: "called";
    readonly source: CommandSource;
    readonly id: string;
    readonly commands: readonly ToldCommand[];
    /** Whether a tool of the CLI writes files by itself. */
    readonly writesFiles?: true;
  }
  | {
    readonly type: "ended";
    readonly source: CommandSource;
    readonly id: string;
    /** `undefined` while it still runs. */
    readonly exitCode: number | undefined;
    readonly output: string;
  }
  /** What one reply of the model cost. */
  | { readonly type: "spent"; readonly model: string; readonly tokens: TokenUsage }
  /** What all of the attempt cost, as the CLI itself sums it up. */
  | {
    readonly type: "cost";
    readonly usage: Usage;
    /** Whether what single replies cost is known better, as far as it is known. */
    readonly isRough: boolean;
  }
  | TurnEnd
  /** The calls that the CLI did not permit, as lines that tell about them. */
  | { readonly type: "denied"; readonly calls: readonly string[] }
  /** The account's limit is used up. */
  | { readonly type: "limit"; readonly resetsAt?: Date }
  /** Requests are let through, whatever was told of a limit before. */
  | { readonly type: "limit_lifted" };

/** The end of a turn. */
export interface TurnEnd {
  readonly type: "turn_end";
  readonly outcome: "completed" | "failed";
  readonly finalText?: string;
  readonly error?: string;
  /** The CLI's own name of the error, as its table of failures has it. */
  readonly code?: string;
  /** Of what kind the failure is, where that was read already; a table of failures says it otherwise. */
  readonly failure?: FailureClass;
  /** When the account's limit ends that has ended the turn. */
  readonly resetsAt?: Date;
}

/** Reads what one attempt's CLI reports and logs, line by line. It keeps what later lines need. */
export interface SessionReader {
  /** A line that the CLI printed. */
  readReport(line: string): readonly Observation[];
  /** A line of its session log. */
  readLog(line: string): readonly Observation[];
}
