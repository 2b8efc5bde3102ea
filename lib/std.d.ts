// The npm package `deno-std` ships the JavaScript of the @std packages without types.
// Declared here is what this project uses of it, and nothing more.

declare module "@std/assert" {
  export class AssertionError extends Error {}
  export function assert(expr: unknown, msg?: string): asserts expr;
  export function assertEquals<T>(actual: T, expected: T, msg?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;
  export function assertStrictEquals<T>(actual: unknown, expected: T, msg?: string): asserts actual is T;
  export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T>;
  export function assertMatch(actual: string, expected: RegExp, msg?: string): void;
  export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void;
  export function assertStringIncludes(actual: string, expected: string, msg?: string): void;
  export function assertArrayIncludes<T>(actual: ArrayLike<T>, expected: ArrayLike<T>, msg?: string): void;
  export function assertGreater<T>(actual: T, expected: T, msg?: string): void;
  export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void;
  export function assertLess<T>(actual: T, expected: T, msg?: string): void;
  export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void;
  export function assertInstanceOf<T>(
    actual: unknown,
    // deno-lint-ignore no-explicit-any
    expected: abstract new (...args: any[]) => T,
    msg?: string,
  ): asserts actual is T;
  export function assertObjectMatch(actual: object, expected: object, msg?: string): void;
  export function assertThrows<E extends Error = Error>(
    fn: () => unknown,
    // deno-lint-ignore no-explicit-any
    errorClass?: abstract new (...args: any[]) => E,
    messageIncludes?: string,
    msg?: string,
  ): E;
  export function assertRejects<E extends Error = Error>(
    fn: () => PromiseLike<unknown>,
    // deno-lint-ignore no-explicit-any
    errorClass?: abstract new (...args: any[]) => E,
    messageIncludes?: string,
    msg?: string,
  ): Promise<E>;
  export function fail(msg?: string): never;
  export function unreachable(reason?: string): never;
}

declare module "@std/cli/parse-args" {
  export interface ParseArgsOptions {
    readonly boolean?: readonly string[];
    readonly string?: readonly string[];
    readonly collect?: readonly string[];
    readonly negatable?: readonly string[];
    readonly alias?: Readonly<Record<string, string | readonly string[]>>;
    readonly default?: Readonly<Record<string, unknown>>;
    readonly "--"?: boolean;
    readonly stopEarly?: boolean;
    readonly unknown?: (arg: string, key?: string, value?: unknown) => unknown;
  }
  export interface ParsedArgs {
    readonly _: (string | number)[];
    readonly "--"?: string[];
    readonly [key: string]: unknown;
  }
  export function parseArgs(args: readonly string[], options?: ParseArgsOptions): ParsedArgs;
}

declare module "@std/fs" {
  export interface WalkEntry {
    readonly path: string;
    readonly name: string;
    readonly isFile: boolean;
    readonly isDirectory: boolean;
    readonly isSymlink: boolean;
  }
  export interface WalkOptions {
    readonly maxDepth?: number;
    readonly includeDirs?: boolean;
    readonly includeFiles?: boolean;
    readonly includeSymlinks?: boolean;
    readonly exts?: readonly string[];
    readonly match?: readonly RegExp[];
    readonly skip?: readonly RegExp[];
  }
  export function walk(root: string | URL, options?: WalkOptions): AsyncIterableIterator<WalkEntry>;
  export function ensureDir(path: string | URL): Promise<void>;
  export function emptyDir(path: string | URL): Promise<void>;
  export function exists(
    path: string | URL,
    options?: { readonly isFile?: boolean; readonly isDirectory?: boolean; readonly isReadable?: boolean },
  ): Promise<boolean>;
}

declare module "@std/path/posix" {
  export function basename(path: string, suffix?: string): string;
  export function dirname(path: string): string;
  export function relative(from: string, to: string): string;
  export function resolve(...pathSegments: string[]): string;
}

declare module "@std/streams" {
  export class TextLineStream extends TransformStream<string, string> {
    constructor(options?: { readonly allowCR?: boolean });
  }
  export function toText(stream: ReadableStream): Promise<string>;
}

declare module "@std/testing/time" {
  /** Replaces Date, setTimeout and setInterval (not performance.now) until it is disposed of. */
  export class FakeTime implements Disposable {
    constructor(start?: number | string | Date | null, options?: { readonly advanceRate?: number });
    readonly start: number;
    now: number;
    tick(ms?: number): void;
    tickAsync(ms?: number): Promise<void>;
    next(): boolean;
    nextAsync(): Promise<boolean>;
    runMicrotasks(): Promise<void>;
    delay(ms: number, options?: { readonly signal?: AbortSignal }): Promise<void>;
    restore(): void;
    [Symbol.dispose](): void;
  }
}
