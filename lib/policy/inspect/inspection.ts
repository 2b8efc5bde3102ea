import type { CommandLayer, ShellCommand, ShellScript, ShellVariable, ShellWord } from "../../shell/mod.ts";
import type { DialogKind } from "../../screen/dialog.ts";
import type { FolderTracker, PossibleFolders } from "../folders.ts";
import type { KnownValues } from "../known_values.ts";
import type { Ground } from "../places.ts";
import type { BuiltinRule } from "../rules.ts";

interface Violation {
  readonly rule: BuiltinRule;
  readonly message: string;
}

export interface Doubt {
  readonly message: string;
  /** The built-in rule that it may be against; where that is lifted, it does not matter. */
  readonly about?: BuiltinRule;
  /** The command that it is about: where an entry of `allow` names just this command, it does not matter. */
  readonly unless?: {
    readonly words: readonly ShellWord[];
    readonly folders: PossibleFolders;
    /** A text that the entry must have in it, such as `PATH=`: `export **` names no variable. */
    readonly naming?: string;
  };
}

export interface InspectedCommand {
  readonly command: ShellCommand;
  readonly layers: readonly CommandLayer[];
  readonly folders: PossibleFolders;
  /** Whether all it does is in the shell, and touches nothing else: `set -e`, `[ -f x ]`, `x=1`. */
  readonly harmless: boolean;
}

export interface InspectedWrite {
  /** The absolute paths that it may come down to. */
  readonly paths: readonly string[];
  readonly message: string;
  readonly by: "command" | "redirection" | ShellWord;
  /** Whether it replaces a file that says what other commands run, with what is not shown: an entry must name it. */
  readonly defines: boolean;
}

export interface InspectedRead {
  readonly message: string;
  /** The word that names it; missing for a redirection. */
  readonly word?: ShellWord;
}

export interface Inspection {
  readonly kind: DialogKind;
  readonly ground: Ground;
  readonly files: string[];
  readonly commands: InspectedCommand[];
  readonly violations: Violation[];
  readonly doubts: Doubt[];
  /** What only a person may allow: writing to settings and hooks of tools, reading secrets. */
  readonly guarded: string[];
  readonly writes: InspectedWrite[];
  readonly reads: InspectedRead[];
  /** How much of a word an entry of `allow` must spell out, where the word asks for what is not harmless. */
  readonly named: Map<ShellWord, number>;
  readonly variables: ShellVariable[];
  readonly arithmetic: string[];
  readonly values: KnownValues;
}

export function newInspection(kind: DialogKind, ground: Ground): Inspection {
  const found = { files: [], commands: [], violations: [], doubts: [], guarded: [], writes: [], reads: [] };
  return { kind, ground, ...found, named: new Map(), variables: [], arithmetic: [], values: new Map() };
}

export function doubt(context: Inspection, message: string): void {
  context.doubts.push({ message });
}

export interface Surroundings {
  readonly folders: PossibleFolders;
  readonly readsPipe: boolean;
  /** Whether a shell runs it that reads no more than POSIX says, such as dash. */
  readonly posix: boolean;
  readonly depth: number;
}

export interface Here {
  readonly here: Surroundings;
  readonly context: Inspection;
}

type InspectScript = (script: ShellScript, around: Surroundings, context: Inspection) => void;

export interface LayerPlace extends Here {
  readonly command: ShellCommand;
  readonly layers: readonly CommandLayer[];
  readonly tracker: FolderTracker;
  readonly inspectScript: InspectScript;
  readonly before: readonly ShellCommand[];
}

/** Notes how much of a word an entry of `allow` must spell out. */
export function noteNamed(word: ShellWord, length: number, { named }: Inspection): void {
  named.set(word, Math.max(length, named.get(word) ?? 0));
}
