import { commandLayers, type ShellCommand, type ShellWord } from "../../shell/mod.ts";
import type { FileTarget } from "./target.ts";

/** Programs that write what is in a file as it is, or what comes from elsewhere. */
const COPIES = /^(?:cat|bat|head|tail|tac|rev|base(?:32|64)|xxd|od|curl|wget|gunzip|zcat)$/;

export function redirectionTargets(command: ShellCommand): readonly FileTarget[] {
  const { redirections } = command;
  const { program = "", words } = commandLayers(command).at(-1) ?? { words: [] };
  const files = [
    ...words.slice(1).filter(({ value }) => !/^-/.test(value ?? "")),
    ...redirections.filter(({ operator }) => operator === "<").map(({ target }) => target),
  ];
  const from = COPIES.test(program) && files.length > 0 ? { from: files } : {};
  return redirections
    .filter(({ operator, target }) =>
      operator.includes(">") && !(operator === ">&" && /^(?:\d+-?|-)$/.test(target.value ?? ""))
    )
    .map(({ target }) => ({ word: target, action: "write" as const, ...from }));
}

export function readTargets({ redirections }: ShellCommand): readonly ShellWord[] {
  return redirections.filter(({ operator }) => operator === "<" || operator === "<>").map(({ target }) => target);
}
