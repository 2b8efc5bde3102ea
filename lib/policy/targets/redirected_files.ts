import type { ShellCommand, ShellWord } from "../../shell/mod.ts";
import type { FileTarget } from "./target.ts";

export function redirectionTargets({ redirections }: ShellCommand): readonly FileTarget[] {
  return redirections
    .filter(({ operator, target }) =>
      operator.includes(">") && !(operator === ">&" && /^(?:\d+-?|-)$/.test(target.value ?? ""))
    )
    .map(({ target }) => ({ word: target, action: "write" as const }));
}

export function readTargets({ redirections }: ShellCommand): readonly ShellWord[] {
  return redirections.filter(({ operator }) => operator === "<" || operator === "<>").map(({ target }) => target);
}
