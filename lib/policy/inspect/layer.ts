import {
  assignedName,
  builtinEffects,
  type CommandLayer,
  type ShellWord,
  type WordPart,
  wordStart,
  wordText,
} from "../../shell/mod.ts";
import { secretFound, SHOWS } from "../name_sources.ts";
import { ownCommand } from "../own_program.ts";
import { programTable, programUses } from "../programs/mod.ts";
import { isSecretVariable } from "../secret_variables.ts";
import { copiedFiles, fileTargets } from "../targets/file_targets.ts";
import { foundFiles } from "../targets/found_files.ts";
import type { FileTarget } from "../targets/target.ts";
import { checkFound, checkRead, checkTargets, checkTouched } from "./files.ts";
import { inspectInput, INTERPRETER, readsProgram, runsSubstitution } from "./input.ts";
import { doubt, type Here, type LayerPlace, noteNamed } from "./inspection.ts";
import { checkGiven, givenFileNames } from "./names.ts";
import { checkRepository } from "./repository.ts";
import { inspectVariable, valueOf } from "./variables.ts";

const OTHER_USER = new Set(["sudo", "doas", "su", "pkexec", "run0", "runuser", "sudoedit", "sudo-rs"]);

export function inspectLayer(
  layer: CommandLayer,
  place: LayerPlace,
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
    const name = assignedName(word) ?? "";
    // bash takes BASH_FUNC_ls%%=() {…} for a function.
    if (!/^\w+$/.test(name)) doubt(context, `it sets ${name}, which is not the name of a variable`);
    inspectVariable({ name, values: [valueOf(word)] }, { handed: true, unless }, context);
  }
  if (program === undefined) return;
  if (layer.opaque) context.doubts.push({ message: `${program} runs commands that are not followed`, unless });
  const effects = builtinEffects(words);
  if (effects?.unclear !== undefined) doubt(context, effects.unclear);
  context.arithmetic.push(...effects?.arithmetic ?? []);
  const sets = effects?.sets ?? [];
  const handed = exportsVariables(layer);
  for (const variable of sets) inspectVariable(variable, { handed, unless }, context);
  // What was set before is handed over by its name alone: X=a; export X
  for (const { value: name = "" } of handed ? words.slice(1) : []) {
    for (const value of context.values.get(name) ?? []) {
      inspectVariable(
        { name, values: value === undefined ? undefined : [literal(value)] },
        { handed, unless },
        context,
      );
    }
  }
  const names = new Set(sets.map(({ name }) => name));
  for (const word of names.size > 0 ? words : []) {
    const name = /^\w+/.exec(wordStart(word))?.[0] ?? "";
    if (names.has(name)) noteNamed(word, name.length, context);
  }
  const own = ownCommand(words);
  if (own !== undefined) {
    context.violations.push({ rule: "panewright", message: `tells panewright itself what to do: ${own}` });
  }
  if (showsVariables(layer, layers)) {
    context.doubts.push({ message: `${program} shows variables with secrets`, unless });
  }
  if (program === "git") checkRepository(words, place);
  if (OTHER_USER.has(program)) context.violations.push({ rule: "sudo", message: `acts as another user: ${program}` });
  if (layer.input !== undefined) inspectInput(layer.input, { ...place, layer, program });
  else if (INTERPRETER.test(program) && (runsSubstitution(words) || (here.readsPipe && readsProgram(words)))) {
    context.violations.push({ rule: "pipe_to_shell", message: `runs what comes out of a pipe: ${program}` });
  }
  const finder = layers.find((outer) => outer.program === "find" && outer !== layer);
  const found = finder !== undefined && !layers.some((outer) => outer.program === "xargs");
  if (!layer.transparent) {
    const given = layer.moreWords && !found;
    const names = found || (given && givenFileNames(place));
    inspectUses({ ...layer, moreWords: given }, { here, context, names, ...(found ? { finder } : {}) });
    if (given) checkGiven(layer, { ...place, names });
  }
  for (const word of copiedFiles(layer)) checkRead({ word }, program, place);
  const targets = found ? targetsOfFound(layer, finder.words) : fileTargets(layer);
  if (targets === undefined) doubt(context, `${program} changes files whose names it gets from another command`);
  else checkTargets(targets, program, place);
}

function exportsVariables({ program = "", words }: CommandLayer): boolean {
  return program === "export" ||
    (/^(?:declare|typeset|local|readonly)$/.test(program) && words.some(({ value }) => /^-\w*x/.test(value ?? "")));
}

function literal(text: string): readonly WordPart[] {
  return [{ type: "literal", text, quoted: true }];
}

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

/** A word with a name of a file in place of `{}`: it may be any, but is not an option. */
function withNames(word: ShellWord): ShellWord {
  const put: WordPart = { type: "variable", text: "{}", quoted: true };
  const parts = word.value?.includes("{}")
    ? word.value.split("{}").flatMap((text, index): WordPart[] => [
      ...(index === 0 ? [] : [put]),
      ...(text === "" ? [] : [{ type: "literal", text, quoted: true } as const]),
    ])
    : word.parts;
  const [first] = parts;
  if (parts === word.parts && (first?.type !== "variable" || first.text.startsWith("$"))) return word;
  const folder: WordPart = { type: "literal", text: "./", quoted: true };
  return { ...word, value: undefined, parts: first?.type === "variable" ? [folder, ...parts] : parts };
}

/** Whether `env` or `printenv` shows all variables, or one that is a secret by its name. */
function showsVariables({ program, words }: CommandLayer, layers: readonly CommandLayer[]): boolean {
  if (program === "env") return layers.at(-1)?.words === words;
  const names = words.slice(1).filter(({ value }) => !/^-/.test(value ?? ""));
  return program === "printenv" && (names.length === 0 || names.some(({ value = "KEY" }) => isSecretVariable(value)));
}

function inspectUses(
  layer: CommandLayer,
  { here, context, finder, names }: Here & { readonly finder?: CommandLayer; readonly names: boolean },
): void {
  const { program, words, moreWords } = layer;
  if (program === undefined) return;
  const filled = names ? words.map(withNames) : words;
  const found = finder === undefined ? undefined : secretFound(finder.words.slice(1), SHOWS.has(program));
  const unless = { words, folders: here.folders };
  for (const use of programUses(program, filled, moreWords)) {
    const { kind, at, length } = use;
    const word = words[filled.indexOf(use.word)] ?? use.word;
    const path = use.path === undefined ? {} : { path: use.path };
    switch (kind) {
      case "writes":
      case "empties": {
        if (kind === "empties") noteNamed(words[at] ?? word, Infinity, context);
        const by = use.purpose === true ? "command" : words[at] ?? word;
        checkTargets([{ word, ...path, action: "write" }], program, { here, context, by });
        break;
      }
      case "enters":
        checkTouched({ word, ...path }, program, { here, context });
        checkRead({ word, ...path, asks: words[at] ?? word }, program, { here, context });
        break;
      case "reads":
        if (found !== undefined && word.value?.includes("{}")) {
          context.guarded.push(`${program} reads what find finds, and ${found} may be secret`);
        }
        checkRead({ word, ...path, asks: words[at] ?? word }, program, { here, context });
        break;
      case "finds":
        checkFound(use.path ?? wordText(word), program, context);
        break;
      case "touches":
        checkTouched({ word, ...path }, program, { here, context });
        break;
      case "leaves":
        noteNamed(word, length, context);
        break;
      case "runs":
      case "unknown":
        noteNamed(words[at] ?? word, kind === "unknown" ? Infinity : length, context);
        if (programTable(program)?.code === true || kind === "unknown") break;
        context.doubts.push({ message: `${program} may run code or throw work away with ${word.source}`, unless });
    }
  }
}
