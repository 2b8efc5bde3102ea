/** A JSON object whose fields are not known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; anything that is none becomes an empty one. */
export function asObject(value: unknown): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as JsonObject : {};
}

/** The value as an array; anything that is none becomes an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a string; anything that is none becomes an empty one. */
export function asString(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Parses a JSON object; text that is none becomes an empty one. */
export function parseObject(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}
