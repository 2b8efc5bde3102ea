/**
 * Shell commands as data: parsed, never run.
 *
 * @module
 */
export { arithmeticNames, valueNames } from "./arithmetic.ts";
export { expandBraces } from "./braces.ts";
export { type BuiltinEffects, builtinEffects } from "./builtins.ts";
export { parseShellCommand } from "./parse.ts";
export { shellJoin, shellQuote } from "./quote.ts";
export { type CommandLayer, commandLayers, findCommands, type FoundCommand, MAX_SCRIPT_DEPTH } from "./layers.ts";
export { namesIn } from "./name_list.ts";
export { isShell, type ShellInput } from "./shells.ts";
export { wordStart, wordText } from "./word_text.ts";
export { assignedName } from "./wrappers.ts";
export type {
  ExpansionKind,
  ListOperator,
  RedirectionOperator,
  ShellAssignment,
  ShellCommand,
  ShellNote,
  ShellRedirection,
  ShellScript,
  ShellVariable,
  ShellWord,
  WordPart,
} from "./syntax.ts";
