import { resolve } from "@std/path/posix";
import { changesFolder, newFolder, type PossibleFolders, trackFolders } from "../../policy/folders.ts";
import { fileTargets } from "../../policy/targets/file_targets.ts";
import { redirectionTargets } from "../../policy/targets/redirected_files.ts";
import type { FileTarget } from "../../policy/targets/target.ts";
import { patchedFiles } from "../../agents/hook_payload.ts";
import {
  type CommandLayer,
  commandLayers,
  MAX_SCRIPT_DEPTH,
  parseShellCommand,
  type ShellCommand,
} from "../../shell/mod.ts";

interface CommandWrite {
  readonly name: string;
  /** The absolute paths that it may come down to: several where a `cd` before it may have failed. Never empty. */
  readonly paths: readonly string[];
  readonly action: FileTarget["action"];
}

export function certainWrites(command: string, cwd: string): readonly CommandWrite[] {
  return writesOf(command, { folders: [cwd], depth: 0 });
}

interface Place {
  readonly folders: PossibleFolders;
  readonly depth: number;
}

function writesOf(text: string, { folders: start, depth }: Place): readonly CommandWrite[] {
  const script = parseShellCommand(text);
  // A function may have the name of any program.
  if (script.problem !== undefined || script.undecidable.length > 0) return [];
  const all = script.commands.map((command) => ({ command, layers: commandLayers(command) }));
  const isLost = all.some(({ command, layers }) => command.inLoop && changesFolder(layers)) ||
    script.commands.some(({ assignments }) => assignments.some(({ name }) => name === "CDPATH"));
  const tracker = trackFolders(script, isLost ? undefined : start);
  return all.flatMap(({ command, layers }) => {
    const folders = isLost ? undefined : tracker.at(command);
    const found = [
      ...redirectionTargets(command).flatMap(targetOf),
      ...layers.flatMap((layer) => targetsOf(layer, command)),
    ].flatMap(({ name, action }) => {
      const from = name.startsWith("/") ? ["/"] : folders;
      return from === undefined ? [] : [{ name, action, paths: from.map((folder) => resolve(folder, name)) }];
    });
    const inner = layers.flatMap(({ input }) =>
      input?.from === "text" && depth < MAX_SCRIPT_DEPTH ? writesOf(input.text, { folders, depth: depth + 1 }) : []
    );
    if (changesFolder(layers)) tracker.change(command, newFolder(layers.at(-1)));
    return [...found, ...inner];
  });
}

type Named = Pick<CommandWrite, "name" | "action">;

const WRITING = new Set("cp dd mv rm shred tee touch truncate unlink".split(" "));

function targetsOf(layer: CommandLayer, command: ShellCommand): readonly Named[] {
  const { program = "", words } = layer;
  if (/^apply_?patch$/.test(program)) return patchesOf(layer, command);
  const targets = fileTargets(layer) ?? [];
  if (program === "sed") {
    // Without such an option its first operand is the script.
    const hasScript = words.some(({ value }) => /^(?:-[nErsuz]*[ef]|--(?:expression|file))/.test(value ?? ""));
    return targets.slice(hasScript ? 0 : 1).flatMap(targetOf);
  }
  // With the folder as an option, the last operand is no target.
  const isInto = program === "cp" && words.some(({ value }) => /^(?:-[a-zA-Z]*t|--t)/.test(value ?? ""));
  if (!WRITING.has(program) || isInto) return [];
  // Only the file system tells whether `cp a b` writes `b` or `b/a`.
  return targets.filter(({ path }) => path === undefined || program === "dd").flatMap(targetOf);
}

function patchesOf({ words }: CommandLayer, { redirections }: ShellCommand): readonly Named[] {
  const texts = [...words.slice(1).map(({ value }) => value), ...redirections.map(({ hereDocument }) => hereDocument)];
  return texts.flatMap((text) => patchedFiles(text ?? "")).map((name) => ({ name, action: "write" }));
}

/** What leaves nothing behind. */
const DEVICE = /^\/dev\/(?!shm\/)/;

function targetOf({ word, path = word.value, action }: FileTarget): readonly Named[] {
  if (path === undefined || path === "" || DEVICE.test(path)) return [];
  return [{ name: path, action }];
}
