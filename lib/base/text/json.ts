import { isObject } from "../schema.ts";

/** A JSON object whose fields are not known. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The object that a line of NDJSON holds; `undefined` for anything else. */
export function parseJsonObject(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The value as an object, an empty one where it is none. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** The value as an array, an empty one where it is none. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a text. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value if it is a number. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
