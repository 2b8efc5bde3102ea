import { hiddenCharacter } from "../../base/text/hidden_characters.ts";
import {
  builtinEffects,
  type CommandLayer,
  commandLayers,
  expandBraces,
  parseShellCommand,
  type ShellCommand,
  type ShellScript,
  type ShellWord,
} from "../../shell/mod.ts";
import { unprovenArithmetic } from "../evaluation.ts";
import { changesFolder, newFolder, trackFolders } from "../folders.ts";
import { noteValues } from "../known_values.ts";
import { setsKnownVariables, withKnownVariables } from "../known_variables.ts";
import { whereto } from "../places.ts";
import { readTargets, redirectionTargets } from "../targets/redirected_files.ts";
import { ALWAYS_FINE, checkRead, checkTargets } from "./files.ts";
import { doubt, type Inspection, type Surroundings } from "./inspection.ts";
import { inspectLayer } from "./layer.ts";
import { inspectNames, inspectShown, pipedInto } from "./names.ts";
import { checkAssigned, inspectAssignments, inspectVariable, valueOf } from "./variables.ts";

export function inspectShellText(text: string, context: Inspection): void {
  const { workdir, cwd = workdir } = context.ground;
  const hidden = hiddenCharacter(text);
  if (hidden !== undefined) doubt(context, `it has a character that is not shown (${hidden})`);
  const around = { folders: [cwd], readsPipe: false, posix: false, depth: 0 };
  inspectScript(parseShellCommand(text), around, context);
  for (const source of unprovenArithmetic(context)) {
    doubt(context, `it evaluates ${source}, which may do more than count`);
  }
}

function inspectScript(script: ShellScript, around: Surroundings, context: Inspection): void {
  if (script.problem) doubt(context, `it cannot be understood: ${script.problem.message}`);
  for (const { message } of script.undecidable) doubt(context, message);
  if (around.posix) {
    for (const { message } of script.notPosix) {
      doubt(context, `sh may read ${message} in another way`);
    }
  }
  context.arithmetic.push(...script.arithmetic);
  for (const variable of script.variables) inspectVariable(variable, { handed: false }, context);
  noteValues(context.values, script);
  inspectNames(script, context);
  const all = script.commands.map((command) => ({ command, layers: commandLayers(command) }));
  // A folder that changes in a loop may have changed before the loop's first command is run again.
  const lost = all.some(({ command, layers }) => command.inLoop && changesFolder(layers)) ||
    script.commands.some(({ assignments }) => assignments.some(({ name }) => name === "CDPATH"));
  const tracker = trackFolders(script, lost ? undefined : around.folders);
  const setsFolders = setsKnownVariables(script);
  for (const [index, { command: written, layers: asWritten }] of all.entries()) {
    const folders = lost ? undefined : tracker.at(written);
    const here = { ...around, folders, readsPipe: around.readsPipe || written.readsPipe };
    const [pwd] = folders?.length === 1 ? folders : [];
    const known = setsFolders ? written : withKnownVariables(written, { pwd, home: context.ground.home });
    const command = withBraces(known);
    const layers = command === written ? asWritten : commandLayers(command);
    inspectAssignments(command, { here, context });
    inspectShown(command, context);
    const likeness = command.words.find(looksLikeOperator);
    if (likeness !== undefined) doubt(context, `${likeness.source} has a character that looks like one of the shell's`);
    const effects = layers.filter(({ transparent }) => !transparent).map(({ words }) => builtinEffects(words));
    const replaced = wordsOf(command).find(isReplaced);
    if (replaced !== undefined) doubt(context, `some shells put a program's path in place of ${replaced.source}`);
    const writes = layers.length > 0 &&
      redirectionTargets(command).some(({ word }) => !ALWAYS_FINE.test(word.value ?? ""));
    const harmless = !writes && (effects.every((one) => one !== undefined) || staysInside(layers, here, context));
    context.commands.push({ command, layers, folders: here.folders, harmless });
    checkTargets(redirectionTargets(command), "a redirection", { here, context, by: "redirection" });
    for (const word of readTargets(command)) checkRead({ word }, "a redirection", { here, context });
    for (const { word } of command.assignments) checkAssigned(word, { here, context });
    const before = pipedInto(script.commands, index);
    for (const layer of layers) inspectLayer(layer, { command, layers, here, context, tracker, inspectScript, before });
    if (changesFolder(layers)) tracker.change(command, newFolder(layers.at(-1)));
  }
}

function withBraces(command: ShellCommand): ShellCommand {
  const [program, ...rest] = command.words;
  if (program === undefined || !rest.some(({ expansions }) => expansions.includes("brace"))) return command;
  return { ...command, words: [program, ...rest.flatMap((word) => expandBraces(word) ?? [word])] };
}

function wordsOf({ words, assignments, redirections }: ShellCommand): readonly ShellWord[] {
  const values = assignments.map(({ word }) => ({ ...word, parts: valueOf(word) }));
  return [...words.slice(1), ...values, ...redirections.map(({ target }) => target)];
}

/** Whether it is zsh's `=name`. */
function isReplaced({ parts: [first] }: ShellWord): boolean {
  return first?.type === "literal" && !first.quoted && /^=[\w.]/.test(first.text);
}

function looksLikeOperator({ parts }: ShellWord): boolean {
  return parts.some(({ type, text, quoted }) =>
    type === "literal" && !quoted &&
    /[\u00a0\u2000-\u200a\u2024\u202f\u205f\u2800\u3000\uff01-\uff5e\u037e\u01c3]/.test(text)
  );
}

/** Whether it is a `cd` to a folder in the working directory. */
function staysInside(layers: readonly CommandLayer[], { folders }: Surroundings, { ground }: Inspection): boolean {
  const folder = layers.length === 1 && layers[0]?.program === "cd" ? newFolder(layers[0]) : undefined;
  return folder !== undefined && whereto(folder, { folders, does: "read" }, ground).place === "inside";
}
