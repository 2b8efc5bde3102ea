export interface Position {
  readonly line: number;
  readonly column: number;
}

export type Source =
  | { readonly kind: "flag"; readonly name: string }
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "file"; readonly file: string; readonly line: number }
  | { readonly kind: "default" };

export type KeyPath = readonly (string | number)[];

export function describeSource(source: Source): string {
  switch (source.kind) {
    case "flag":
      return `flag --${source.name}`;
    case "environment":
      return `env ${source.name}`;
    case "file":
      return `${source.file}:${source.line}`;
    case "default":
      return "default";
  }
}

export function dotted(path: KeyPath): string {
  return path.map((part, index) => typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`).join("");
}

export function valueAt(data: unknown, path: KeyPath): unknown {
  let value = data;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

export function isKeyed(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
