import {
  type CommandLayer,
  commandLayers,
  MAX_SCRIPT_DEPTH,
  parseShellCommand,
  type ShellInput,
  type ShellWord,
} from "../../shell/mod.ts";
import { changesFolder } from "../folders.ts";
import { doubt, type LayerPlace } from "./inspection.ts";

export function inspectInput(
  input: ShellInput,
  { here, context, tracker, command, layer, program, inspectScript }: LayerPlace & {
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

export const INTERPRETER =
  /^(?:python[\d.]*|node|perl[\d.]*|ruby[\d.]*|php[\d.]*|lua[\d.]*|bun|deno|osascript|tclsh|Rscript)$/;

export function runsSubstitution(words: readonly ShellWord[]): boolean {
  const operand = words.slice(1).find(({ value }) => value === undefined || !value.startsWith("-"));
  return operand?.expansions.includes("process_substitution") === true;
}

export function readsProgram(words: readonly ShellWord[]): boolean {
  const rest = words.slice(1).map(({ value }) => value);
  return rest.every((text) =>
    text === "-" || text === "/dev/stdin" || /^-(?!-?(?:[cempEnV]|\w*[ec]$|help))/.test(text ?? "")
  );
}
