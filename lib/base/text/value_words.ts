/**
 * What a value is, after its name: for messages about one that cannot be used. Long strings are shortened.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals([8, "8", [8], undefined].map(valueWords), ["is 8", 'is the string "8"', "is an array", "is missing"]);
 * ```
 */
export function valueWords(value: unknown): string {
  if (value === null || typeof value === "boolean") return `is ${value}`;
  if (typeof value === "number") return `is ${value}`;
  if (typeof value === "string") return `is the string ${JSON.stringify(shorten(value))}`;
  if (Array.isArray(value)) return "is an array";
  return typeof value === "object" ? "is an object" : "is missing";
}

/**
 * What a value must be, by the name of a type as a schema has it.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(["int", "record", "string"].map(typeWords), ["a whole number", "an object", "a string"]);
 * ```
 */
export function typeWords(type: string): string {
  switch (type) {
    case "int":
      return "a whole number";
    case "boolean":
      return "true or false";
    case "array":
      return "an array";
    case "tuple":
      return "an array of strings";
    case "record":
    case "object":
      return "an object";
    default:
      return `a ${type}`;
  }
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
