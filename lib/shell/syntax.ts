/** The kinds of expansion that a shell performs before the command sees a word. */
export type ExpansionKind =
  | "variable"
  | "command_substitution"
  | "process_substitution"
  | "arithmetic"
  | "pathname"
  | "brace"
  | "tilde";

/** A part of a word: literal text, or an expansion as it was written. */
export interface WordPart {
  /** For `literal`, `text` is without quotes. Otherwise `text` is the source of the expansion. */
  readonly type: "literal" | "variable" | "command_substitution" | "process_substitution" | "arithmetic";
  readonly text: string;
  /** Whether it stood in quotes: an unquoted expansion may become several words, or none. */
  readonly quoted: boolean;
}

export interface ShellWord {
  /** What the command receives, if nothing in the word is expanded. */
  readonly value: string | undefined;
  readonly parts: readonly WordPart[];
  /** Each kind once, in order of appearance. A name pattern (`*.ts`), `{a,b}` and `~` are literal in `parts`. */
  readonly expansions: readonly ExpansionKind[];
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
  readonly elements?: readonly ShellWord[];
}

/** A variable that is set in another way than by {@linkcode ShellAssignment}: `for NAME in …`, `${NAME:=…}`. */
export interface ShellVariable {
  readonly name: string;
  /** What it is set to, each time; `undefined` where that is not known. */
  readonly values: readonly (readonly WordPart[])[] | undefined;
  /** The name patterns among the words of `for NAME in …`. */
  readonly patterns?: readonly (readonly WordPart[])[];
}

/** Operators that redirect input or output, longer ones first. */
export const REDIRECTIONS = ["&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">"] as const;

export type RedirectionOperator = typeof REDIRECTIONS[number];

export interface ShellRedirection {
  readonly operator: RedirectionOperator;
  /** The number before the operator. */
  readonly descriptor: number | undefined;
  /** The file, the descriptor, the delimiter of a here-document, or the text of a here-string. */
  readonly target: ShellWord;
  /** The text of a here-document, if nothing in it is expanded. */
  readonly hereDocument?: string;
  /** The parts of a here-document in which something is expanded. */
  readonly hereParts?: readonly WordPart[];
  readonly start: number;
  readonly end: number;
}

/** The operator before a command in its list: none for the first one, and `;` for a newline. */
export type ListOperator = "&&" | "||" | "|" | ";" | "&";

/**
 * A simple command at any depth. Redirections of a group are in a command without words, after the group's own
 * commands.
 */
export interface ShellCommand {
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly ShellWord[];
  readonly redirections: readonly ShellRedirection[];
  readonly precededBy: ListOperator | undefined;
  /** Whether it reads from a pipe, its own or that of an enclosing group. */
  readonly readsPipe: boolean;
  readonly inLoop: boolean;
  /** The shell that runs it, as an index into {@linkcode ShellScript.scopes}. */
  readonly scope: number;
  readonly start: number;
  readonly end: number;
}

export interface ShellNote {
  readonly message: string;
  readonly start: number;
  readonly end: number;
}

export interface ShellScript {
  /** Every simple command in source order; those of a substitution come before the command that contains it. */
  readonly commands: readonly ShellCommand[];
  /** The shells and subshells by number, each with its parent: `cd` in a subshell does not affect its parent. */
  readonly scopes: readonly (number | undefined)[];
  /** What makes the meaning of other commands uncertain, such as the definition of a function. */
  readonly undecidable: readonly ShellNote[];
  /** Expressions that the shell evaluates: of `$((…))` and `((…))`, subscripts, operands of `-eq`. */
  readonly arithmetic: readonly string[];
  readonly variables: readonly ShellVariable[];
  /** What a POSIX shell, such as dash, reads in another way than bash does. */
  readonly notPosix: readonly ShellNote[];
  /** Why the text is not understood; `commands` are then those before that position. */
  readonly problem: ShellNote | undefined;
}
