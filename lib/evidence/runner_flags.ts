/** A runner as it is called by itself, and a flag of its own. */
type RunnerFlag = readonly [runner: RegExp, flag: string];

const VITEST = /^(?:npx (?:--\S+ )*)?vitest run\b/;
const JEST = /^(?:npx (?:--\S+ )*)?jest\b/;

const SHUFFLED: readonly RunnerFlag[] = [
  [/^deno test\b/, "--shuffle"],
  [/^go test\b/, "-shuffle=on"],
  [VITEST, "--sequence.shuffle"],
  [JEST, "--randomize"],
];

const NAMED: readonly RunnerFlag[] = [
  [/^python(?:3(?:\.\d+)?)? (?:-[a-zA-Z] )*-m unittest(?: discover)?(?= |$)/, "-v"],
  [VITEST, "--reporter=verbose"],
  [JEST, "--verbose"],
];

/** What says already how much a runner tells. */
const TOLD = /^(?:-[a-z]*[vq]|--(?:verbose|quiet|silent|reporters?|json)\b.*)$/;

/** A command as it is run. */
type Command = string | readonly [string, ...string[]];

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
export function inAnotherOrder<Called extends Command>(command: Called): Called | undefined {
  return withFlag(command, SHUFFLED);
}

/**
 * A test command that names each test that it runs; as it was where it does by itself, or where no way to that is known.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(namingTests("python3 -m unittest discover tests"), "python3 -m unittest discover -v tests");
 * assertEquals(namingTests("npm test"), "npm test");
 * ```
 */
export function namingTests<Called extends Command>(command: Called): Called {
  const words: readonly string[] = typeof command === "string" ? command.split(" ") : command;
  return words.some((word) => TOLD.test(word)) ? command : withFlag(command, NAMED) ?? command;
}

function withFlag<Called extends Command>(command: Called, flags: readonly RunnerFlag[]): Called | undefined {
  const isText = typeof command === "string";
  const text = isText ? command : command.join(" ");
  // Of a text that is more than one command, nobody knows where its flags belong.
  if (isText && /[;&|<>$`"'\\\n(){}*?]/.test(text)) return undefined;
  const [pattern, flag] = flags.find(([runner]) => runner.test(text)) ?? [];
  const [start] = pattern?.exec(text) ?? [];
  if (start === undefined || flag === undefined) return undefined;
  if (isText) return `${start} ${flag}${text.slice(start.length)}` as Called;
  const words = start.split(" ").length;
  return [...command.slice(0, words), flag, ...command.slice(words)] as unknown as Called;
}
