import { type ShellWord, wordStart } from "../../shell/mod.ts";

export interface Operand {
  readonly word: ShellWord;
  readonly at: number;
}

export interface Given {
  readonly options: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, readonly Operand[]>;
}

export interface OptionSpec {
  readonly name: string;
  readonly kind: "runs" | "writes" | "empties" | "reads" | "enters" | "leaves" | "finds" | "valued";
  readonly takes: 0 | 1 | 2;
  readonly harmless?: RegExp;
}

export interface RuleContext {
  readonly options: readonly OptionSpec[];
  knows(subcommand: string): boolean;
  readonly told: readonly string[];
}

export type OperandRule = (operands: readonly Operand[], given: Given, context: RuleContext) => readonly Use[];

/** One thing that a program does because of a word. */
export interface Use {
  /** Whether it is the program's very purpose, so that a rule for the program means it. @default {false} */
  readonly purpose?: true;
  /**
   * `empties`: what is in a folder is removed. `touches`: it may be a path, which matters only where that is protected. `finds`: it is a pattern of names that are
   * read. `leaves`: it acts beyond the project, which an entry must name. `unknown`: it may be any option.
   */
  readonly kind: "runs" | "writes" | "empties" | "reads" | "enters" | "touches" | "finds" | "leaves" | "unknown";
  readonly at: number;
  readonly length: number;
  readonly word: ShellWord;
  readonly path?: string;
}

export function useOf(kind: Use["kind"], { word, at }: Operand): Use {
  return { kind, at, length: wordStart(word).length, word };
}

export function usesOf(kind: Use["kind"], operands: readonly Operand[]): readonly Use[] {
  return operands.map((operand) => useOf(kind, operand));
}

export function fits(pattern: RegExp, operand: Operand | undefined): boolean {
  return pattern.test(operand?.word.value ?? "");
}
