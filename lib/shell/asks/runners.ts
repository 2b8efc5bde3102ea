import type { ShellWord } from "../mod.ts";
import NAMES from "./names.json" with { type: "json" };

const RUNNERS = NAMES.runners.map((runner) => runner.split(" "));

/**
 * The words that a runner of packages, such as `npx`, runs; `undefined` for any other program. An option of the runner
 * is taken to have no value.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { parseShellCommand } from "../mod.ts";
 * const { words } = parseShellCommand("npx --yes panewright@1 ask q").commands[0]!;
 * assertEquals(afterRunner(words)?.map(({ value }) => value), ["panewright@1", "ask", "q"]);
 * assertEquals(afterRunner(words.slice(2)), undefined);
 * ```
 */
export function afterRunner<Word extends Pick<ShellWord, "value">>(
  words: readonly Word[],
): readonly Word[] | undefined {
  const values = words.map(({ value }) => value);
  const program = values[0]?.replace(/^.*\//, "");
  const runner = RUNNERS.find(([name, ...rest]) =>
    name === program && rest.every((word, index) => values[index + 1] === word)
  );
  if (runner === undefined) return undefined;
  const from = values.findIndex((value, index) => index >= runner.length && value?.startsWith("-") !== true);
  return from === -1 ? undefined : words.slice(from);
}
