import { resolve } from "@std/path/posix";
import { type CommandLayer, type ShellCommand, type ShellScript, type ShellWord, wordText } from "../shell/mod.ts";

/** The folders that a command may run in; `undefined` where that is not known. */
export type PossibleFolders = readonly string[] | undefined;

const MAX_FOLDERS = 16;

/** A folder that is further down counts as not known: each command in it is compared with all of its path. */
const MAX_DEPTH = 40;
const MAX_LENGTH = 4096;

interface State {
  current: PossibleFolders;
  /** Where one is if a `cd` of this chain failed, or was passed over. */
  otherwise: PossibleFolders;
}

export type FolderTracker = ReturnType<typeof trackFolders>;

/**
 * Follows the folder through a script's `cd` commands, as far as they can be known, also where one of them fails; from
 * the folders on that the script may be run in.
 */
export function trackFolders(script: ShellScript, start: PossibleFolders) {
  const states = new Map<number, State>();
  const stateOf = (scope: number): State => {
    const known = states.get(scope);
    if (known !== undefined) return known;
    const parent = script.scopes[scope];
    const above = parent === undefined ? undefined : stateOf(parent);
    const current = above === undefined ? start : union(above.current, above.otherwise);
    const state: State = { current, otherwise: [] };
    states.set(scope, state);
    return state;
  };
  return {
    /** Where a command may run. Commands are asked about in their order. */
    at({ scope, precededBy }: ShellCommand): PossibleFolders {
      const state = stateOf(scope);
      if (precededBy !== "&&") {
        state.current = union(state.current, state.otherwise);
        state.otherwise = [];
      }
      return state.current;
    },
    /** Notes that a command changed the folder; `undefined` for a folder that is not known. */
    change({ scope }: ShellCommand, folder: string | undefined): void {
      const state = stateOf(scope);
      const { current } = state;
      state.otherwise = union(state.otherwise, current);
      const reached = folder?.startsWith("/")
        ? [resolve(folder)]
        : folder === undefined
        ? undefined
        : current?.map((from) => resolve(from, folder));
      state.current = reached?.some(isFarDown) ? undefined : reached;
    },
  };
}

function isFarDown(path: string): boolean {
  return path.length > MAX_LENGTH || path.split("/").length > MAX_DEPTH;
}

function union(left: PossibleFolders, right: PossibleFolders): PossibleFolders {
  if (left === undefined || right === undefined) return undefined;
  const both = [...new Set([...left, ...right])];
  return both.length > MAX_FOLDERS ? undefined : both;
}

/**
 * The path that a word stands for, with name patterns left in it as if they were names; `undefined` where that cannot
 * be known without the shell.
 */
export function pathOf(word: ShellWord): string | undefined {
  if (word.value !== undefined) return word.value;
  // Braces that are still there are not followed.
  if (word.expansions.some((kind) => kind !== "pathname")) return undefined;
  const text = wordText(word);
  // `.*` may stand for `..`.
  if (/(?:^|\/)\.[^/]*[*?[]/.test(text)) return undefined;
  return text;
}

export function changesFolder(layers: readonly CommandLayer[]): boolean {
  const last = layers.at(-1);
  return /^(?:cd|pushd|popd|chdir)$/.test(last?.program ?? "") &&
    layers.slice(0, -1).every(({ program }) => program === "command" || program === "builtin");
}

/** Where `cd` leads; `undefined` for home, the folder before, and what is not known. */
export function newFolder(layer: CommandLayer | undefined): string | undefined {
  if (layer?.program !== "cd" && layer?.program !== "chdir") return undefined;
  const operands = layer.words.slice(1).filter(({ value }) => !/^-(?:[LPe@]+|-)$/.test(value ?? ""));
  const [folder] = operands;
  return operands.length !== 1 || folder?.value === "-" ? undefined : folder?.value;
}
