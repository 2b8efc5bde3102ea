import { type ShellWord, wordStart } from "../../shell/mod.ts";

/** A word that is neither an option nor the value of one. */
export interface Operand {
  readonly word: ShellWord;
  /** Its place in the command's words. */
  readonly at: number;
}

/** What stands besides the operands. */
export interface Given {
  /** The options, each as its table spells it or as it was written. */
  readonly options: ReadonlySet<string>;
  /** The values of options, by the options' names. */
  readonly values: ReadonlyMap<string, readonly Operand[]>;
}

/** One option of a program. */
export interface OptionSpec {
  readonly name: string;
  readonly kind: "runs" | "writes" | "reads" | "enters" | "finds" | "valued";
  /** How many values it takes. */
  readonly takes: 0 | 1 | 2;
  /** Values with which it is harmless. */
  readonly harmless?: RegExp;
}

/** What a rule about operands is told of the program. */
export interface RuleContext {
  readonly options: readonly OptionSpec[];
  /** Whether it is known what a subcommand does. */
  knows(subcommand: string): boolean;
  /** What its row says besides the rule's name. */
  readonly told: readonly string[];
}

/** What the words of a program that are no options do. */
export type OperandRule = (operands: readonly Operand[], given: Given, context: RuleContext) => readonly Use[];

/** One thing that a program does because of a word. */
export interface Use {
  /** Whether it is the program's very purpose, so that a rule for the program means it. @default {false} */
  readonly purpose?: true;
  /**
   * `touches`: it may be a path, which matters only where that is protected. `finds`: it is a pattern of names that are
   * read. `unknown`: it may be any option.
   */
  readonly kind: "runs" | "writes" | "reads" | "enters" | "touches" | "finds" | "unknown";
  /** The place of the word that asks for it. */
  readonly at: number;
  /** How much of that word names it. */
  readonly length: number;
  /** For files: the word that names it, and the path where it is a part of the word. */
  readonly word: ShellWord;
  readonly path?: string;
}

/** A use of a whole word. */
export function useOf(kind: Use["kind"], { word, at }: Operand): Use {
  return { kind, at, length: wordStart(word).length, word };
}

/** The same use of several words. */
export function usesOf(kind: Use["kind"], operands: readonly Operand[]): readonly Use[] {
  return operands.map((operand) => useOf(kind, operand));
}

/** Whether a word is known and fits. */
export function fits(pattern: RegExp, operand: Operand | undefined): boolean {
  return pattern.test(operand?.word.value ?? "");
}
