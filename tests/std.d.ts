// What tests and examples use of the npm package `deno-std`, besides what lib/base/std.d.ts declares.

declare module "@std/assert" {
  export class AssertionError extends Error {}
  export function assert(expr: unknown, msg?: string): asserts expr;
  export function assertEquals<T>(actual: T, expected: T, msg?: string): void;
  export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;
  export function assertMatch(actual: string, expected: RegExp, msg?: string): void;
  export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void;
  export function assertStringIncludes(actual: string, expected: string, msg?: string): void;
  export function assertArrayIncludes<T>(actual: ArrayLike<T>, expected: ArrayLike<T>, msg?: string): void;
  export function assertGreater<T>(actual: T, expected: T, msg?: string): void;
  export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void;
  export function assertLess<T>(actual: T, expected: T, msg?: string): void;
  export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void;
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
}

declare module "@std/fs" {
  export interface WalkEntry {
    readonly isFile: boolean;
  }
  export interface WalkOptions {
    readonly maxDepth?: number;
    readonly skip?: readonly RegExp[];
  }
  export function ensureDir(path: string | URL): Promise<void>;
  export function exists(
    path: string | URL,
    options?: { readonly isFile?: boolean; readonly isDirectory?: boolean; readonly isReadable?: boolean },
  ): Promise<boolean>;
}

declare module "@std/path/posix" {
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

declare module "@std/yaml" {
  export function parse(content: string): unknown;
}

declare module "@std/streams" {
  export class TextLineStream extends TransformStream<string, string> {}
}
