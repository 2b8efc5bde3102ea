import type { ShellCommand, ShellWord } from "../../shell/mod.ts";
import type { FileTarget } from "./target.ts";

/**
 * The files that a command's redirections write.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "../../shell/mod.ts";
 * const [command] = parseShellCommand("make > out.txt 2>&1 < in.txt").commands;
 * assertEquals(redirectionTargets(command!).map(({ word }) => word.value), ["out.txt"]);
 * assertEquals(readTargets(command!).map(({ value }) => value), ["in.txt"]);
 * ```
 */
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
