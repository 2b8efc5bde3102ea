import { z } from "zod";
import { configSchema, unwrapSchema } from "./schema.ts";
import { dotted, isKeyed, type KeyPath, valueAt } from "./source.ts";
import { nearest } from "./suggest.ts";

/** What is wrong with one value or key, in words that follow its name. */
export interface ValueProblem {
  /** The value, or the key where the key itself is what is wrong. */
  readonly path: KeyPath;
  /** A sentence without a full stop; `%` stands for the name of the value, which depends on where it came from. */
  readonly message: string;
}

/**
 * Everything that is wrong with raw configuration data by the schema, in words of ours.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(findProblems({ limits: { max_rounds: "8" } }), [
 *   { path: ["limits", "max_rounds"], message: '% must be a number, but is the string "8"' },
 * ]);
 * ```
 */
export function findProblems(raw: unknown): ValueProblem[] {
  const result = configSchema.safeParse(raw);
  return result.success ? [] : result.error.issues.flatMap((issue) => describeIssue(issue, raw));
}

function describeIssue(issue: z.core.$ZodIssue, raw: unknown): ValueProblem[] {
  const path = issue.path.map((part) => typeof part === "number" ? part : String(part));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(path, key) }));
  }
  return [{ path, message: `% ${expectation(issue, valueAt(raw, path))}` }];
}

function expectation(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) return "must not be empty: the first item is the program";
      return `must be ${typeName(issue.expected)}, but ${is(value)}`;
    case "too_small":
      if (issue.origin === "string" || issue.origin === "array") return "must not be empty";
      return `must be ${issue.inclusive === false ? "greater than" : "at least"} ${issue.minimum}, but ${is(value)}`;
    case "too_big":
      return `must be at most ${issue.maximum}, but ${is(value)}`;
    case "invalid_value": {
      const allowed = issue.values.map(String);
      const near = typeof value === "string" ? nearest(value, allowed) : undefined;
      const suggestion = near === undefined ? "" : `; did you mean "${near}"?`;
      return `must be one of ${allowed.join(", ")}, but ${is(value)}${suggestion}`;
    }
    case "invalid_key":
      return "is no name of an environment variable: letters, digits and _ only, no digit at the start";
    case "invalid_union":
      return value === "" || (Array.isArray(value) && value.length === 0)
        ? "must not be empty"
        : `must be a string or an array of strings, but ${is(value)}`;
    default:
      return `${issue.message}, but ${is(value)}`;
  }
}

function unknownKey(path: KeyPath, key: string): string {
  const noun = path.length !== 1 ? "key" : path[0] === "roles" ? "role" : path[0] === "providers" ? "provider" : "key";
  const place = path.length === 0 ? "" : ` in ${dotted(path)}`;
  const allowed = keysAt(path);
  return `unknown ${noun} "${key}"${place}${meant(key, allowed)} Allowed here: ${allowed.join(", ")}`;
}

/** The rest of a sentence about an unknown key: where that very key belongs, or which one is near. */
function meant(key: string, allowed: readonly string[]): string {
  const sameName = KEY_PATHS.find((path) => path.at(-1) === key);
  if (sameName !== undefined) return `; its place is ${dotted(sameName)}.`;
  const near = nearest(key, allowed);
  if (near !== undefined) return `; did you mean "${near}"?`;
  const nearName = nearest(key, KEY_PATHS.map((path) => String(path.at(-1))));
  const nearPath = KEY_PATHS.find((path) => path.at(-1) === nearName);
  return nearPath === undefined ? "." : `; did you mean "${dotted(nearPath)}"?`;
}

/** The keys that the schema has at a path. */
function keysAt(path: KeyPath): string[] {
  let schema: unknown = configSchema;
  for (const part of path) {
    const object = unwrapSchema(schema);
    schema = object instanceof z.ZodObject ? object.shape[part] : undefined;
  }
  const object = unwrapSchema(schema);
  return object instanceof z.ZodObject ? Object.keys(object.shape).filter((key) => !key.startsWith("$")) : [];
}

/** The paths of all keys that stand in one place only: not those of every role and provider. */
const KEY_PATHS: readonly KeyPath[] = Object.keys(configSchema.shape)
  .filter((group) => group !== "roles" && group !== "providers")
  .flatMap((group) => [[group], ...keysAt([group]).map((key) => [group, key])]);

function typeName(expected: string): string {
  switch (expected) {
    case "int":
      return "a whole number";
    case "boolean":
      return "true or false";
    case "array":
    case "tuple":
      return "an array of strings";
    case "record":
    case "object":
      return "an object";
    default:
      return `a ${expected}`;
  }
}

function is(value: unknown): string {
  if (value === null || typeof value === "boolean") return `is ${value}`;
  if (typeof value === "number") return `is ${value}`;
  if (typeof value === "string") return `is the string ${JSON.stringify(shorten(value))}`;
  if (Array.isArray(value)) return "is an array";
  return isKeyed(value) ? "is an object" : "is missing";
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
