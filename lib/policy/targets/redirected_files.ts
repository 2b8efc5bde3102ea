import type { ShellCommand, ShellWord } from "../../shell/mod.ts";
import type { FileTarget } from "./target.ts";

/** The files that a command's redirections write. */
export function redirectionTargets({ redirections }: ShellCommand): readonly FileTarget[] {
  return redirections
    .filter(({ operator, target }) =>
      operator.includes(">") && !(operator === ">&" && /^(?:\d+-?|-)$/.test(target.value ?? ""))
    )
    .map(({ target }) => ({ word: target, action: "write" as const }));
}

/** The files that a command's redirections read. */
export function readTargets({ redirections }: ShellCommand): readonly ShellWord[] {
  return redirections.filter(({ operator }) => operator === "<" || operator === "<>").map(({ target }) => target);
}
