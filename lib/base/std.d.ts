// The npm package `deno-std` ships the JavaScript of the @std packages without types.
// Declared here is what lib uses of it; tests/std.d.ts declares the rest.

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
  }
  export interface ExpandGlobOptions {
    readonly root?: string;
    readonly includeDirs?: boolean;
    readonly followSymlinks?: boolean;
  }
  export function expandGlob(glob: string, options?: ExpandGlobOptions): AsyncIterableIterator<WalkEntry>;
  export interface WalkOptions {
    readonly includeDirs?: boolean;
    readonly includeSymlinks?: boolean;
    readonly exts?: readonly string[];
  }
  export function copy(from: string | URL, to: string | URL, options?: { readonly overwrite?: boolean }): Promise<void>;
  export function walk(root: string | URL, options?: WalkOptions): AsyncIterableIterator<WalkEntry>;
}

declare module "@std/path/posix" {
  export function basename(path: string, suffix?: string): string;
  export function dirname(path: string): string;
  export function globToRegExp(glob: string): RegExp;
  export function relative(from: string, to: string): string;
  export function resolve(...pathSegments: string[]): string;
}

declare module "@std/streams" {
  export function toText(stream: ReadableStream): Promise<string>;
}

declare module "@std/toml" {
  export function parse(text: string): Record<string, unknown>;
}

declare module "sax" {
  interface Parser {
    onerror: (error: Error) => void;
    onopentag: (tag: { readonly name: string; readonly attributes: Readonly<Record<string, string>> }) => void;
    onclosetag: (name: string) => void;
    write(text: string): Parser;
    close(): void;
  }
  const sax: { readonly parser: (isStrict: boolean) => Parser };
  export default sax;
}
