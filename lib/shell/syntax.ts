/** What a shell puts in a word's place before the command sees it. */
export type ExpansionKind =
  | "variable"
  | "command_substitution"
  | "process_substitution"
  | "arithmetic"
  | "pathname"
  | "brace"
  | "tilde";

/** A stretch of a word: text that stays as it is, or an expansion as it was written. */
export interface WordPart {
  /** `literal`: `text` has no quotes in it any more. Otherwise `text` is the source of the expansion. */
  readonly type: "literal" | "variable" | "command_substitution" | "process_substitution" | "arithmetic";
  readonly text: string;
  /** Whether it stood in quotes: an unquoted expansion may become several words, or none. */
  readonly quoted: boolean;
}

/** One word of a command, quotes removed as far as the shell would. */
export interface ShellWord {
  /** What the command gets, where nothing in the word is expanded. */
  readonly value: string | undefined;
  readonly parts: readonly WordPart[];
  /** Each kind once, in order of appearance. A name pattern (`*.ts`), `{a,b}` and `~` are literal in `parts`. */
  readonly expansions: readonly ExpansionKind[];
  /** The word as it was written. */
  readonly source: string;
  /** Offsets into the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** `NAME=value` in front of a command, or alone. */
export interface ShellAssignment {
  readonly name: string;
  /** The whole word, `NAME=` included. */
  readonly word: ShellWord;
}

/** Operators that redirect input or output. */
export type RedirectionOperator =
  | "<"
  | ">"
  | ">>"
  | ">|"
  | "<>"
  | "<&"
  | ">&"
  | "&>"
  | "&>>"
  | "<<"
  | "<<-"
  | "<<<";

/** A redirection of a simple command, or of a group. */
export interface ShellRedirection {
  readonly operator: RedirectionOperator;
  /** The number before the operator. */
  readonly descriptor: number | undefined;
  /** The file, the descriptor, the delimiter of a here-document, or the text of a here-string. */
  readonly target: ShellWord;
  /** The text of a here-document, where nothing in it is expanded. */
  readonly hereDocument?: string;
  readonly start: number;
  readonly end: number;
}

/** What stands before a command in its list: nothing for the first one, a newline counts as `;`. */
export type ListOperator = "&&" | "||" | "|" | ";" | "&";

/**
 * A simple command, wherever it stands. Redirections of a group stand in a command without words, after the group's own.
 */
export interface ShellCommand {
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
  readonly precededBy: ListOperator | undefined;
  /** Whether its input is a pipe, its own or that of a group around it. */
  readonly readsPipe: boolean;
  /** Whether it may run several times. */
  readonly inLoop: boolean;
  /** The shell that runs it, as an index into {@linkcode ShellScript.scopes}. */
  readonly scope: number;
  readonly start: number;
  readonly end: number;
}

/** A place in the text, and what is there. */
export interface ShellNote {
  /** Half a sentence: what it is. */
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

/** A shell text, taken apart. */
export interface ShellScript {
  /** Every simple command in source order; those of a substitution stand before the command that it is a part of. */
  readonly commands: readonly ShellCommand[];
  /** The (sub)shells by number, each with its parent: what one of them does to its folder does not reach the parent. */
  readonly scopes: readonly (number | undefined)[];
  /** What makes the meaning of other commands uncertain, such as the definition of a function. */
  readonly undecidable: readonly ShellNote[];
  /** Why the text is no shell text that is understood here; `commands` are then those before that place. */
  readonly problem: ShellNote | undefined;
}
