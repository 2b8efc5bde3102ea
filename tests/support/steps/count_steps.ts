import { assert } from "@std/assert";
import inspector from "node:inspector";
import { countMatchSteps, TooManySteps } from "./regexp_steps.ts";

/**
 * How much work a call takes, in steps that do not depend on the machine or on what else it does: blocks of code that
 * are entered, steps of searches for regular expressions, and characters, bytes and elements that built-in functions
 * pass.
 *
 * It is called twice, and must do the same each time. What the engine does natively and cheaply, such as joining two
 * strings, is not counted. Nothing that it calls may have been called before this module was imported.
 *
 * @param limit more steps are not counted any more
 */
export async function countSteps(run: () => unknown, limit = Infinity): Promise<number> {
  return countNativeSteps(run, limit) + await countBlocks(run);
}

/** Options of {@linkcode assertProportional}. */
export interface ProportionalOptions {
  /** The smaller size. @default {250} */
  readonly size?: number;
  /** For the message. */
  readonly what?: string;
}

/**
 * How many times the steps four times the size may take: 4 in proportion, some more with a logarithm, 16 with a square.
 */
const MOST_FOR_FOUR_TIMES = 6;

/**
 * Checks that the work of a call grows no faster than what it is given.
 *
 * @param run is called with the size, and with four times the size
 * @throws {AssertionError} with the steps that both took
 */
export async function assertProportional(
  run: (size: number) => unknown,
  { size = 250, what = "it" }: ProportionalOptions = {},
): Promise<void> {
  const once = await countSteps(() => run(size));
  const most = MOST_FOR_FOUR_TIMES * once;
  const fourTimes = await countSteps(() => run(4 * size), most);
  assert(fourTimes <= most, `${what} takes ${once} steps at size ${size}, and ${fourTimes} or more at ${4 * size}`);
}

interface FunctionCoverage {
  readonly functionName: string;
  readonly isBlockCoverage: boolean;
  readonly ranges: readonly { readonly count: number }[];
}

interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly FunctionCoverage[] }[];
}

/** One for each test file. It counts from here to the end: what was compiled before has no counters in it. */
const session = new inspector.Session();
session.connect();
// Not awaited: modules beside this one, whose tables call functions, would be evaluated meanwhile.
const started = [post("Profiler.enable"), post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })];

function post(method: string, params = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error, result) => error ? reject(error) : resolve(result));
  });
}

/** The functions of our own code that were entered since the last call. */
async function takeCounts(): Promise<readonly FunctionCoverage[]> {
  await Promise.all(started);
  const { result } = await post("Profiler.takePreciseCoverage") as Coverage;
  return result.filter(({ url }) => url.startsWith("file:") && url !== import.meta.url).flatMap(({ functions }) =>
    functions
  );
}

/** How often the blocks of our own code were entered, by the profiler of the engine. */
async function countBlocks(run: () => unknown): Promise<number> {
  await takeCounts();
  run();
  const entered = (await takeCounts()).filter(({ ranges }) => ranges.some(({ count }) => count > 0));
  const unknown = entered.find(({ isBlockCoverage, functionName }) =>
    !isBlockCoverage && !functionName.startsWith("<")
  );
  assert(unknown === undefined, `${unknown?.functionName} was called before the counting began: it has no counters`);
  return entered.flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}

type Method = (this: unknown, ...args: unknown[]) => unknown;

function lengthOf(value: unknown): number {
  return (value as { readonly length?: number } | undefined)?.length ?? 0;
}

/** A search from a place, given or the start, to what it found or the end. */
function searched(self: unknown, [, from]: readonly unknown[], result: unknown): number {
  const start = typeof from === "number" ? Math.max(0, from) : 0;
  return typeof result === "number" && result >= 0 ? Math.abs(result - start) : Math.max(0, lengthOf(self) - start);
}

const whole = (self: unknown): number => lengthOf(self);
const one = (): number => 1;

const IteratorPrototypes = [[][Symbol.iterator](), ""[Symbol.iterator](), new Map().keys(), new Set().keys()]
  .map((iterator) => Object.getPrototypeOf(iterator));
const TypedArrayPrototype = Object.getPrototypeOf(Uint8Array.prototype);

/** What the built-in functions pass that do more than a constant amount of work. */
const COUNTED: readonly (readonly [
  prototype: object,
  names: readonly string[],
  count: (self: unknown, args: readonly unknown[], result: unknown) => number,
])[] = [
  [String.prototype, ["indexOf", "lastIndexOf"], searched],
  [String.prototype, ["includes", "split", "replaceAll", "trim", "toLowerCase", "toUpperCase", "normalize"], whole],
  [
    String.prototype,
    ["codePointAt", "charCodeAt", "charAt", "at", "slice", "substring", "startsWith", "endsWith"],
    one,
  ],
  [String.prototype, ["trimStart", "trimEnd"], (self, _, result) => lengthOf(self) - lengthOf(result)],
  [Array.prototype, ["indexOf", "lastIndexOf"], searched],
  [
    Array.prototype,
    ["includes", "join", "splice", "toSpliced", "concat", "sort", "toSorted", "reverse", "with"],
    whole,
  ],
  [Array.prototype, ["slice"], (_self, _args, result) => lengthOf(result)],
  [Array.prototype, ["unshift"], whole],
  [TypedArrayPrototype, ["indexOf", "lastIndexOf"], searched],
  [TypedArrayPrototype, ["set"], (_, [from]) => lengthOf(from)],
  [TypedArrayPrototype, ["slice"], (_self, _args, result) => lengthOf(result)],
  [TextDecoder.prototype, ["decode"], (_, [bytes]) => lengthOf(bytes)],
  [TextEncoder.prototype, ["encode"], (_self, _args, result) => lengthOf(result)],
  ...IteratorPrototypes.map((prototype) => [prototype, ["next"], one] as const),
];

function countNativeSteps(run: () => unknown, limit: number): number {
  let steps = 0;
  let counting = true;
  using undo = new DisposableStack();
  const replace = (prototype: object, name: string, make: (real: Method) => Method) => {
    const real = Reflect.get(prototype, name) as Method;
    Object.assign(prototype, { [name]: make(real) });
    undo.defer(() => void Object.assign(prototype, { [name]: real }));
  };
  for (const [prototype, names, count] of COUNTED) {
    for (const name of names) {
      replace(prototype, name, (real) =>
        function (...args) {
          const result = real.apply(this, args);
          if (counting) steps += count(this, args, result);
          return result;
        });
    }
  }
  replace(RegExp.prototype, "exec", (real) =>
    function (this: unknown, ...args) {
      const pattern = this as RegExp;
      if (!counting) return real.apply(this, args);
      const from = pattern.global || pattern.sticky ? pattern.lastIndex : 0;
      const text = String(args[0]);
      const found = real.call(pattern, text) as RegExpExecArray | null;
      counting = false;
      try {
        steps += countMatchSteps(pattern, { text, from, found, limit: limit - steps });
      } finally {
        counting = true;
      }
      return found;
    });
  try {
    run();
  } catch (error) {
    if (error instanceof TooManySteps) return Infinity;
    throw error;
  }
  return steps;
}
