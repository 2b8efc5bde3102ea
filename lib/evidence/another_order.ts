/** The runners that take a flag by which tests run in another order, as they are called by themselves. */
const FLAGS: readonly (readonly [RegExp, string])[] = [
  [/^deno test\b/, "--shuffle"],
  [/^go test\b/, "-shuffle=on"],
  [/^(?:npx (?:--\S+ )*)?vitest run\b/, "--sequence.shuffle"],
  [/^(?:npx (?:--\S+ )*)?jest\b/, "--randomize"],
];

/**
 * A test command that runs its tests in another order; `undefined` for one of which that is not known.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(inAnotherOrder("go test ./..."), "go test -shuffle=on ./...");
 * assertEquals(inAnotherOrder("npm test"), undefined);
 * ```
 */
export function inAnotherOrder<Command extends string | readonly [string, ...string[]]>(
  command: Command,
): Command | undefined {
  const isText = typeof command === "string";
  const text = isText ? command : command.join(" ");
  // Of a text that is more than one command, nobody knows where its flags belong.
  if (isText && /[;&|<>$`"'\\\n(){}*?]/.test(text)) return undefined;
  const [pattern, flag] = FLAGS.find(([runner]) => runner.test(text)) ?? [];
  const [start] = pattern?.exec(text) ?? [];
  if (start === undefined || flag === undefined) return undefined;
  if (isText) return `${start} ${flag}${text.slice(start.length)}` as Command;
  const words = start.split(" ").length;
  return [...command.slice(0, words), flag, ...command.slice(words)] as unknown as Command;
}
