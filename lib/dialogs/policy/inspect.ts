import { hiddenCharacter } from "../../text/hidden_characters.ts";
import {
  builtinEffects,
  type CommandLayer,
  commandLayers,
  MAX_SCRIPT_DEPTH,
  parseShellCommand,
  type ShellCommand,
  type ShellInput,
  type ShellScript,
  type ShellVariable,
  type ShellWord,
} from "../../shell/mod.ts";
import { unprovenArithmetic } from "./evaluation.ts";
import {
  copiedFiles,
  type FileTarget,
  fileTargets,
  foundFiles,
  readTargets,
  redirectionTargets,
} from "./file_targets.ts";
import { type FolderTracker, pathOf, type PossibleFolders, trackFolders } from "./folders.ts";
import { setsKnownVariables, withKnownVariables } from "./known_variables.ts";
import { type Ground, whereto } from "./places.ts";
import { programTable, programUses } from "./programs/mod.ts";
import { beginning } from "./programs/table.ts";
import { protectedPart, secretPart } from "./protected_paths.ts";
import type { BuiltinRule } from "./rules.ts";
import { changesCommands } from "./variables.ts";

/** Something that a built-in rule denies. */
export interface Violation {
  readonly rule: BuiltinRule;
  /** What the command does, as the rest of a sentence. */
  readonly message: string;
}

/** Something that cannot be known. */
export interface Doubt {
  /** What it is, as a clause. */
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

/** One command as the lists of a policy see it. */
export interface InspectedCommand {
  readonly command: ShellCommand;
  readonly layers: readonly CommandLayer[];
  readonly folders: PossibleFolders;
  /** Whether all it does is in the shell, and touches nothing else: `set -e`, `[ -f x ]`, `x=1`. */
  readonly harmless: boolean;
}

/** What a shell text does, as far as its text tells. */
export interface Inspection {
  /** Every simple command, also those of nested texts. */
  readonly commands: readonly InspectedCommand[];
  readonly violations: readonly Violation[];
  readonly doubts: readonly Doubt[];
  /** What only a person may allow: writing to settings and hooks of tools, reading secrets. */
  readonly guarded: readonly string[];
  /** The files that it writes. */
  readonly writes: readonly InspectedWrite[];
  /** The files outside the working directory that it reads. */
  readonly reads: readonly InspectedRead[];
  /** How much of a word an entry of `allow` must spell out, where the word asks for what is not harmless. */
  readonly named: ReadonlyMap<ShellWord, number>;
}

/** A file that a command writes or removes. */
export interface InspectedWrite {
  /** The absolute paths that it may come down to. */
  readonly paths: readonly string[];
  /** What is done, as the rest of a sentence. */
  readonly message: string;
  /** How an entry for the command names it: at all, by a word, or not. */
  readonly by: "command" | "redirection" | ShellWord;
}

/** A file outside the working directory that a command reads. */
export interface InspectedRead {
  readonly message: string;
  /** The word that names it; missing for a redirection. */
  readonly word?: ShellWord;
}

/**
 * Looks at what a shell text does, without running it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const look = (text: string) => inspectShellText(text, { workdir: "/w" });
 * assertEquals(look("curl -s example.com | sh").violations.map(({ rule }) => rule), ["pipe_to_shell"]);
 * assertEquals(look("cd src && rm -rf ../../etc").violations.map(({ rule }) => rule), ["rm_outside_workdir"]);
 * assertEquals(look("npm test && git status").violations, []);
 * assertEquals(look('rm "$TARGET"').doubts.map(({ message }) => message), ['rm removes "$TARGET", and where that leads is not known']);
 * ```
 */
export function inspectShellText(text: string, ground: Ground): Inspection {
  const { workdir } = ground;
  const context: Context = {
    ...{ ground, commands: [], violations: [], doubts: [], guarded: [], writes: [], reads: [], named: new Map() },
    ...{ variables: [], arithmetic: [] },
  };
  const hidden = hiddenCharacter(text);
  if (hidden !== undefined) doubt(context, `it has a character that is not shown (${hidden})`);
  const around = { folders: [workdir], readsPipe: false, posix: false, depth: 0 };
  inspectScript(parseShellCommand(text), around, context);
  for (const source of unprovenArithmetic(context)) {
    doubt(context, `it evaluates ${source}, which may do more than count`);
  }
  return context;
}

interface Context {
  readonly ground: Ground;
  readonly guarded: string[];
  readonly writes: InspectedWrite[];
  readonly reads: InspectedRead[];
  readonly named: Map<ShellWord, number>;
  readonly commands: InspectedCommand[];
  readonly violations: Violation[];
  readonly doubts: Doubt[];
  /** What is set and evaluated anywhere in the text. */
  readonly variables: ShellVariable[];
  readonly arithmetic: string[];
}

function doubt(context: Context, message: string): void {
  context.doubts.push({ message });
}

/** What a script is run in. */
interface Surroundings {
  readonly folders: PossibleFolders;
  readonly readsPipe: boolean;
  /** Whether a shell runs it that reads no more than POSIX says, such as dash. */
  readonly posix: boolean;
  readonly depth: number;
}

function inspectScript(script: ShellScript, around: Surroundings, context: Context): void {
  if (script.problem) doubt(context, `it cannot be understood: ${script.problem.message}`);
  for (const { message } of script.undecidable) doubt(context, message);
  if (around.posix) {
    for (const { message } of script.notPosix) {
      doubt(context, `sh may read ${message} in another way`);
    }
  }
  context.arithmetic.push(...script.arithmetic);
  for (const variable of script.variables) inspectVariable(variable, { handed: false }, context);
  const all = script.commands.map((command) => ({ command, layers: commandLayers(command) }));
  // A folder that changes in a loop may have changed before the loop's first command is run again.
  const lost = all.some(({ command, layers }) => command.inLoop && changesFolder(layers)) ||
    script.commands.some(({ assignments }) => assignments.some(({ name }) => name === "CDPATH"));
  const tracker = trackFolders(script, lost ? undefined : around.folders);
  const setsFolders = setsKnownVariables(script);
  for (const { command: written, layers: asWritten } of all) {
    const folders = lost ? undefined : tracker.at(written);
    const here = { ...around, folders, readsPipe: around.readsPipe || written.readsPipe };
    const [pwd] = folders?.length === 1 ? folders : [];
    const command = setsFolders ? written : withKnownVariables(written, { pwd, home: context.ground.home });
    const layers = command === written ? asWritten : commandLayers(command);
    inspectAssignments(command, { here, context });
    const likeness = command.words.find(looksLikeOperator);
    if (likeness !== undefined) doubt(context, `${likeness.source} has a character that looks like one of the shell's`);
    const effects = layers.filter(({ transparent }) => !transparent).map(({ words }) => builtinEffects(words));
    const writes = layers.length > 0 &&
      redirectionTargets(command).some(({ word }) => !ALWAYS_FINE.test(word.value ?? ""));
    const harmless = !writes && (effects.every((one) => one !== undefined) || staysInside(layers, here, context));
    context.commands.push({ command, layers, folders: here.folders, harmless });
    checkTargets(redirectionTargets(command), "a redirection", { here, context, by: "redirection" });
    for (const word of readTargets(command)) checkRead({ word }, "a redirection", { here, context });
    for (const { word } of command.assignments) checkAssigned(word, { here, context });
    for (const layer of layers) inspectLayer(layer, { command, layers, here, context, tracker });
    if (changesFolder(layers)) tracker.change(command, newFolder(layers.at(-1)));
  }
}

/** Whether it has, outside of quotes, a full-width character, a blank or a dot that shells take for a letter. */
function looksLikeOperator({ parts }: ShellWord): boolean {
  return parts.some(({ type, text, quoted }) =>
    type === "literal" && !quoted && /[\u00a0\u2000-\u200a\u2024\u202f\u205f\u3000\uff01-\uff5e]/.test(text)
  );
}

/** Whether it is a `cd` to a folder in the working directory. */
function staysInside(layers: readonly CommandLayer[], { folders }: Surroundings, { ground }: Context): boolean {
  const folder = layers.length === 1 && layers[0]?.program === "cd" ? newFolder(layers[0]) : undefined;
  return folder !== undefined && whereto(folder, { folders, does: "read" }, ground).place === "inside";
}

function inspectAssignments(command: ShellCommand, { here, context }: Here): void {
  const { assignments, words } = command;
  const unless = { words: [...assignments.map(({ word }) => word), ...words], folders: here.folders };
  for (const { name, word, elements = [] } of assignments) {
    const values = [valueOf(word), ...elements.map(({ parts }) => parts)];
    inspectVariable({ name, values }, { handed: words.length > 0, unless }, context);
  }
}

/** The parts of `NAME=value` after the `=`. */
function valueOf({ parts: [first, ...rest] }: ShellWord): ShellWord["parts"] {
  return first === undefined ? rest : [{ ...first, text: first.text.slice(first.text.indexOf("=") + 1) }, ...rest];
}

function inspectVariable(
  variable: ShellVariable,
  { handed, unless }: { readonly handed: boolean; readonly unless?: Doubt["unless"] },
  { variables, doubts }: Context,
): void {
  variables.push(variable);
  const { name, values } = variable;
  const [value] = values ?? [];
  const literal = values?.length === 1 && value?.every(({ type }) => type === "literal");
  const text = literal ? value?.map((part) => part.text).join("") : undefined;
  if (!changesCommands({ name, value: text, handed })) return;
  doubts.push({
    message: `it sets ${name}, which changes what other commands do`,
    ...(unless === undefined ? {} : { unless: { ...unless, naming: `${name}=` } }),
  });
}

interface Here {
  readonly here: Surroundings;
  readonly context: Context;
}

const OTHER_USER = new Set(["sudo", "doas", "su", "pkexec", "run0", "runuser", "sudoedit", "sudo-rs"]);

function inspectLayer(
  layer: CommandLayer,
  place: Here & {
    readonly command: ShellCommand;
    readonly layers: readonly CommandLayer[];
    readonly tracker: FolderTracker;
  },
): void {
  const { here, context, layers } = place;
  const { program, words } = layer;
  if (words[0]?.expansions.some((kind) => kind.endsWith("_substitution"))) {
    context.violations.push({
      rule: "command_substitution",
      message: `runs what comes out of another command: ${words[0].source}`,
    });
  } else if (layer.unclear !== undefined) doubt(context, layer.unclear);
  const unless = { words, folders: here.folders };
  for (const word of layer.assignments ?? []) {
    const name = word.source.slice(0, word.source.indexOf("="));
    inspectVariable({ name, values: [valueOf(word)] }, { handed: true, unless }, context);
  }
  if (program === undefined) return;
  if (layer.opaque) context.doubts.push({ message: `${program} runs commands that are not followed`, unless });
  const effects = builtinEffects(words);
  if (effects?.unclear !== undefined) doubt(context, effects.unclear);
  context.arithmetic.push(...effects?.arithmetic ?? []);
  const sets = effects?.sets ?? [];
  for (const variable of sets) inspectVariable(variable, { handed: program === "export", unless }, context);
  const names = new Set(sets.map(({ name }) => name));
  for (const word of names.size > 0 ? words : []) {
    const name = /^\w+/.exec(beginning(word))?.[0] ?? "";
    if (names.has(name)) noteNamed(word, name.length, context);
  }
  if (OTHER_USER.has(program)) context.violations.push({ rule: "sudo", message: `acts as another user: ${program}` });
  if (layer.input !== undefined) inspectInput(layer.input, { ...place, layer, program });
  else if (INTERPRETER.test(program) && (runsSubstitution(words) || (here.readsPipe && readsProgram(words)))) {
    context.violations.push({ rule: "pipe_to_shell", message: `runs what comes out of a pipe: ${program}` });
  }
  const finder = layers.find((outer) => outer.program === "find" && outer !== layer);
  const found = finder !== undefined && !layers.some((outer) => outer.program === "xargs");
  if (!layer.transparent) inspectUses({ ...layer, moreWords: layer.moreWords && !found }, { here, context });
  for (const word of copiedFiles(layer)) checkRead({ word }, program, place);
  const targets = found ? targetsOfFound(layer, finder.words) : fileTargets(layer);
  if (targets === undefined) doubt(context, `${program} changes files whose names it gets from another command`);
  else checkTargets(targets, program, place);
}

/** What a program does to the files that find gives it, and to others. */
function targetsOfFound(layer: CommandLayer, finder: readonly ShellWord[]): readonly FileTarget[] {
  const own = fileTargets({ ...layer, moreWords: false }) ?? [];
  return own.flatMap((target) =>
    target.word.value === "{}" && target.path === undefined
      ? foundFiles(finder, target.action === "remove" ? "remove" : target.action).map((one) => ({
        ...one,
        purpose: true as const,
      }))
      : (target.path ?? target.word.value)?.includes("{}") === true
      ? foundFiles(finder, target.action)
      : [target]
  );
}

/** What a program's table says of its words. */
function inspectUses(layer: CommandLayer, { here, context }: Here): void {
  const { program, words, moreWords } = layer;
  if (program === undefined) return;
  const unless = { words, folders: here.folders };
  for (const use of programUses(program, words, moreWords)) {
    const { kind, word, at, length } = use;
    const path = use.path === undefined ? {} : { path: use.path };
    switch (kind) {
      case "writes":
        checkTargets([{ word, ...path, action: "write" }], program, { here, context, by: words[at] ?? word });
        break;
      case "reads":
      case "enters":
        checkRead({ word, ...path, asks: words[at] ?? word }, program, { here, context });
        break;
      case "touches":
        checkTouched(use.path ?? pathOf(word), program, { here, context });
        break;
      case "runs":
      case "unknown":
        noteNamed(words[at] ?? word, kind === "unknown" ? Infinity : length, context);
        if (programTable(program)?.code === true || kind === "unknown") break;
        context.doubts.push({ message: `${program} is told to run commands or code (${word.source})`, unless });
    }
  }
}

function noteNamed(word: ShellWord, length: number, { named }: Context): void {
  named.set(word, Math.max(length, named.get(word) ?? 0));
}

function inspectInput(
  input: ShellInput,
  { here, context, tracker, command, layer, program }: Here & {
    readonly command: ShellCommand;
    readonly tracker: FolderTracker;
    readonly layer: CommandLayer;
    readonly program: string;
  },
): void {
  const piped = () =>
    context.violations.push({ rule: "pipe_to_shell", message: `runs what comes out of a pipe: ${program}` });
  switch (input.from) {
    case "stdin":
      return void (here.readsPipe ? piped() : doubt(context, `${program} runs what it reads, and that is not known`));
    case "file": {
      const { value, expansions } = input.word;
      if (expansions.includes("process_substitution")) piped();
      else if (here.readsPipe && /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(value ?? "-")) piped();
      return;
    }
    case "expansion":
      if (input.words.some(({ expansions }) => expansions.some((kind) => kind.endsWith("_substitution")))) {
        context.violations.push({
          rule: "command_substitution",
          message: `runs what comes out of another command: ${program}`,
        });
      } else if (here.readsPipe && layer.moreWords) piped();
      else doubt(context, `${program} runs a text that is not known`);
      return;
    case "text": {
      if (here.depth >= MAX_SCRIPT_DEPTH) return void doubt(context, "too many texts inside of texts");
      const script = parseShellCommand(input.text);
      const posix = input.sameShell ? here.posix : !/^(?:bash|zsh|rbash)$/.test(program);
      inspectScript(script, { ...here, posix, depth: here.depth + 1 }, context);
      const moves = script.commands.some((inner) => changesFolder(commandLayers(inner)));
      if (input.sameShell && moves) tracker.change(command, undefined);
    }
  }
}

const INTERPRETER =
  /^(?:python[\d.]*|node|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|bun|deno|osascript|tclsh|Rscript)$/;

/** Whether an interpreter's first operand is what another command writes. */
function runsSubstitution(words: readonly ShellWord[]): boolean {
  const operand = words.slice(1).find(({ value }) => value === undefined || !value.startsWith("-"));
  return operand?.expansions.includes("process_substitution") === true;
}

/** Whether an interpreter gets its program from its input: nothing but options, and none that gives the program. */
function readsProgram(words: readonly ShellWord[]): boolean {
  const rest = words.slice(1).map(({ value }) => value);
  return rest.every((text) =>
    text === "-" || text === "/dev/stdin" || /^-(?!-?(?:[cempEnV]|\w*[ec]$|help))/.test(text ?? "")
  );
}

function changesFolder(layers: readonly CommandLayer[]): boolean {
  const last = layers.at(-1);
  return /^(?:cd|pushd|popd|chdir)$/.test(last?.program ?? "") &&
    layers.slice(0, -1).every(({ program }) => program === "command" || program === "builtin");
}

/** Where `cd` leads; `undefined` for home, the folder before, and what is not known. */
function newFolder(layer: CommandLayer | undefined): string | undefined {
  if (layer?.program !== "cd" && layer?.program !== "chdir") return undefined;
  const operands = layer.words.slice(1).filter(({ value }) => !/^-(?:[LPe@]+|-)$/.test(value ?? ""));
  const [folder] = operands;
  return operands.length !== 1 || folder?.value === "-" ? undefined : folder?.value;
}

const ALWAYS_FINE = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/;

/** Whether zsh may take a word for a pattern of names that others are: `^x`, `*~x`, `x#`, and `***` follows links. */
function isExtendedPattern({ parts }: ShellWord): boolean {
  return parts.some(({ type, text, quoted }) => type === "literal" && !quoted && /[\^#]|.~|\*{3}/.test(text));
}

const DOES = { write: "writes to", remove: "removes", remove_tree: "removes" } as const;

function checkTargets(
  targets: readonly FileTarget[],
  who: string,
  { here, context, by = "command" }: Here & { readonly by?: InspectedWrite["by"] },
): void {
  const { ground } = context;
  for (const target of targets) {
    const { action, word } = target;
    const extended = action !== "write" && isExtendedPattern(word);
    const path = extended ? undefined : target.path ?? pathOf(word) ?? tildePath(word);
    if (path !== undefined && ALWAYS_FINE.test(path)) continue;
    const what = `${who} ${DOES[action]} ${path ?? word.source}`;
    const rule = action === "remove_tree" ? "rm_outside_workdir" : "write_outside_workdir";
    if (path === undefined) {
      context.doubts.push({ message: `${what}, and where that leads is not known`, about: rule });
      if (word.parts.some(({ type, text }) => type === "literal" && protectedPart(text) !== undefined)) {
        context.guarded.push(what);
      }
      continue;
    }
    const { place, paths, everything, protected: kept } = whereto(
      path,
      { folders: here.folders, does: action === "write" ? "write" : "remove" },
      ground,
    );
    context.writes.push({
      paths,
      message: what,
      by: by !== "command" ? by : target.purpose === true ? "command" : word,
    });
    if (everything && action !== "write") {
      if (action === "remove_tree" && place !== "unknown") {
        context.violations.push({ rule: "rm_outside_workdir", message: `${what}, all of the working directory` });
      } else context.doubts.push({ message: `${what}, which may be all of the working directory` });
    }
    if (kept !== undefined) context.guarded.push(`${what}, and ${kept} is protected`);
    if (place === "unknown") {
      context.doubts.push({ message: `${what}, and where that leads is not known`, about: rule });
    } else if (place === "outside") {
      context.violations.push({ rule, message: `${what}, outside the working directory` });
    }
  }
}

/** `~/x`, which {@linkcode whereto} resolves. */
function tildePath(word: ShellWord): string | undefined {
  const [only] = word.parts;
  const plain = word.parts.length === 1 && only?.type === "literal" &&
    word.expansions.every((kind) => kind === "tilde");
  return plain && /^~(?:\/|$)/.test(only.text) && !/[:=]~/.test(only.text) ? only.text : undefined;
}

function checkRead(
  { word, path: part, asks }: { readonly word: ShellWord; readonly path?: string; readonly asks?: ShellWord },
  who: string,
  { here, context }: Here,
): void {
  const path = part ?? pathOf(word) ?? tildePath(word);
  if (path === undefined) {
    const secret = word.parts.map(({ type, text }) => type === "literal" ? secretPart(text) : undefined).find(Boolean);
    const hidden = word.parts.some(({ type, text }) => type === "literal" && /(?:^|\/)\.[^/.]*[*?[{]/.test(text));
    if (secret !== undefined) context.guarded.push(`${who} reads ${word.source}, and ${secret} is secret`);
    else if (hidden) context.guarded.push(`${who} reads ${word.source}, which may be a secret`);
    else if (/^(?:\/|~|\.\.)/.test(beginning(word))) {
      context.reads.push({ message: `${who} reads ${word.source}`, ...asked(asks) });
    }
    return;
  }
  if (path === "-") return;
  const { place, secret } = whereto(path, { folders: here.folders, does: "read" }, context.ground);
  if (secret !== undefined) context.guarded.push(`${who} reads ${path}, and ${secret} is secret`);
  else if (place !== "inside") context.reads.push({ message: `${who} reads ${path}`, ...asked(asks) });
}

function checkTouched(path: string | undefined, who: string, { here, context }: Here): void {
  // The revision; the folder above it has a .git, which git looks for first.
  if (path === undefined || path === "HEAD") return;
  const { secret, protected: kept } = whereto(path, { folders: here.folders, does: "read" }, context.ground);
  const part = secret ?? kept;
  if (part !== undefined) context.guarded.push(`${who} is given ${path}, and ${part} is protected`);
}

function asked(word: ShellWord | undefined): Pick<InspectedRead, "word"> {
  return word === undefined ? {} : { word };
}

/** A path in a variable is read or written by what uses the variable. */
function checkAssigned(word: ShellWord, { here, context }: Here): void {
  const value = word.value?.slice(word.value.indexOf("=") + 1);
  if (value === undefined) return;
  const secret = secretPart(value);
  if (secret !== undefined) context.guarded.push(`it names ${value}, and ${secret} is secret`);
  else if (/^(?:\/|~\/|\.\.(?:\/|$))/.test(value)) checkRead({ word, path: value }, "a variable", { here, context });
}
