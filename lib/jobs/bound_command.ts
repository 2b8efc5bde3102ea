import { basename, dirname, resolve } from "@std/path/posix";
import { type Contract, contractKey, readContractText } from "../run/contract.ts";
import { errorText } from "../base/text/error_text.ts";
import { namedScripts } from "../shell/named_scripts.ts";
import { shellJoin } from "../shell/quote.ts";
import type { TestCommand } from "./test_command.ts";

/** A command whose scripts are those that its run began with. */
export interface BoundCommand extends Disposable {
  readonly command: TestCommand;
  /** What keeps it from being run so. */
  readonly problem?: string;
  /** What of its scripts is not any more what it was when the command was started. */
  changedMeanwhile(): string | undefined;
}

interface Place {
  readonly workdir: string;
  readonly contract: Contract;
}

/**
 * Makes sure that a command runs the scripts that its run began with. One that was changed since is left as it is: its
 * text of then is run, from a file beside it, so that it finds its neighbours.
 */
export function bindCommand(command: TestCommand, { workdir, contract }: Place): BoundCommand {
  const text = typeof command === "string" ? command : shellJoin(command);
  const isScript = (path: string) => contract[contractKey(workdir, resolve(workdir, path))]?.kind === "script";
  const files: { readonly path: string; readonly text: string; readonly made: boolean }[] = [];
  let bound = command;
  let problem: string | undefined;
  for (const { name, path } of namedScripts(text, isScript)) {
    const file = resolve(workdir, path);
    const before = contract[contractKey(workdir, file)]?.text ?? "";
    if (readContractText(file) === before) {
      files.push({ path: file, text: before, made: false });
      continue;
    }
    const other = besideName(name);
    const changed = replaceName(bound, name, other);
    try {
      if (changed === undefined) throw new Error("the command does not name it in a way that can be changed");
      const copy = `${dirname(file)}/${basename(other)}`;
      Deno.writeTextFileSync(copy, before, { createNew: true, mode: 0o700 });
      files.push({ path: copy, text: before, made: true });
      bound = changed;
    } catch (error) {
      problem = `${path} is not what it was when the run began, and what it was then cannot be run: ${
        errorText(error)
      }`;
    }
  }
  return {
    command: bound,
    ...(problem === undefined ? {} : { problem }),
    changedMeanwhile: () => files.find((file) => readContractText(file.path) !== file.text)?.path,
    [Symbol.dispose]() {
      for (const { path, made } of files) {
        try {
          if (made) Deno.removeSync(path);
        } catch { /* it is gone already */ }
      }
    },
  };
}

function besideName(name: string): string {
  const extension = /\.[^./]+$/.exec(basename(name).slice(1))?.[0] ?? "";
  const other = `.${basename(name).slice(0, -extension.length || undefined)}-${
    crypto.randomUUID().slice(0, 8)
  }${extension}`;
  return name.includes("/") ? `${name.slice(0, name.lastIndexOf("/"))}/${other}` : other;
}

/** Undefined where the name does not stand there as it is, or the other one would need quotes. */
function replaceName(command: TestCommand, name: string, other: string): TestCommand | undefined {
  const named = new RegExp(`(?<![\\w./~-])${RegExp.escape(name)}(?![\\w./-])`, "g");
  const isBare = shellJoin([other]) === other;
  const change = (text: string) => isBare ? text.replaceAll(named, other) : text;
  const changed = typeof command === "string"
    ? change(command)
    : command.map((word) => word === name ? other : change(word)) as [string, ...string[]];
  return String(changed) === String(command) ? undefined : changed;
}
