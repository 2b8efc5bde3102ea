import type { ShellWord } from "../../shell/mod.ts";

export interface FileTarget {
  readonly word: ShellWord;
  /** Present where the path is only this part of the word, as in `of=disk`. */
  readonly path?: string;
  /** `remove_tree`: a folder and all in it. */
  readonly action: "write" | "remove" | "remove_tree";
  readonly empties?: true;
  /** Where its content comes from, which the text does not show. */
  readonly from?: readonly ShellWord[];
  /**
   * Whether it is the program's purpose to do so; otherwise a rule must name the file, or the word that asks for it.
   */
  readonly purpose?: true;
}
