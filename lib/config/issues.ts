import * as z from "zod";
import { type ConfigForm, unwrapSchema } from "./schema.ts";
import { GROUPS } from "./settings_table.ts";
import { dotted, isKeyed, type KeyPath, valueAt } from "./source.ts";
import { nearest } from "../text/suggest.ts";

/** A mistake in one value or key. */
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
 * import { configFormFor } from "./schema.ts";
 * assertEquals(findProblems({ limits: { max_rounds: "8" } }, configFormFor(["codex"])), [
 *   { path: ["limits", "max_rounds"], message: '% must be a number, but is the string "8"' },
 * ]);
 * ```
 */
export function findProblems(raw: unknown, form: ConfigForm): ValueProblem[] {
  const result = form.schema.safeParse(raw);
  return result.success ? [] : result.error.issues.flatMap((issue) => describeIssue(issue, { raw, form }));
}

/** What was read, and what it should be. */
interface Context {
  readonly raw: unknown;
  readonly form: ConfigForm;
}

function describeIssue(issue: z.core.$ZodIssue, context: Context): ValueProblem[] {
  const path = issue.path.map((part) => typeof part === "number" ? part : String(part));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownKey(key, path, context) }));
  }
  const branch = issue.code === "invalid_union" ? branchMeant(issue) : undefined;
  if (branch !== undefined) {
    return branch.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, context));
  }
  return [{ path, message: `% ${expectation(issue, valueAt(context.raw, path))}` }];
}

/** The mistakes in a value that may be of several kinds, judged as the only kind that it resembles. */
function branchMeant(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const fitting = issue.errors.filter((inner) =>
    !inner.some(({ code, path }) => code === "invalid_type" && path.length === 0)
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function expectation(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) {
        return typeof issue.path.at(-1) === "number"
          ? "must not be empty: the first item is the program"
          : "is missing";
      }
      return `must be ${typeName(issue.expected)}, but ${is(value)}`;
    case "too_small":
      if (issue.origin === "string" || issue.origin === "array") return "must not be empty";
      return `must be ${issue.inclusive === false ? "greater than" : "at least"} ${issue.minimum}, but ${is(value)}`;
    case "too_big":
      return `must be at most ${issue.maximum}, but ${is(value)}`;
    case "invalid_value":
      return oneOf(issue.values, value);
    case "invalid_key":
      if (issue.path[0] === "pipelines") {
        return "is not a name of a pipeline: it must be 1 to 64 letters, digits, _ . or -, and begin with a letter";
      }
      return "is not a name of an environment variable: it must be letters, digits and _, and not begin with a digit";
    case "invalid_union":
      if (value === undefined) return "is missing";
      if (issue.discriminator !== undefined) {
        return oneOf((issue as { options?: readonly unknown[] }).options ?? [], value);
      }
      if (issue.path.at(-1) === "check") return `must be an object or an array of objects, but ${is(value)}`;
      return value === "" || (Array.isArray(value) && value.length === 0)
        ? "must not be empty"
        : `must be a string or ${hasObject(issue.errors) ? "an object" : "an array of strings"}, but ${is(value)}`;
    case "custom":
      return issue.message;
    default:
      return `${issue.message}, but ${is(value)}`;
  }
}

/** Whether an object is one of the kinds that a value may be of. */
function hasObject(branches: readonly (readonly z.core.$ZodIssue[])[]): boolean {
  return branches.flat().some((issue) => issue.code === "invalid_type" && issue.expected === "object");
}

function oneOf(options: readonly unknown[], value: unknown): string {
  const allowed = options.map(String);
  const near = typeof value === "string" ? nearest(value, allowed) : undefined;
  const suggestion = near === undefined ? "" : `; did you mean "${near}"?`;
  return `must be one of ${allowed.join(", ")}, but ${is(value)}${suggestion}`;
}

function unknownKey(key: string, path: KeyPath, context: Context): string {
  const noun = path.length !== 1 ? "key" : path[0] === "roles" ? "role" : path[0] === "providers" ? "provider" : "key";
  const place = path.length === 0 ? "" : ` in ${dotted(path)}`;
  const allowed = keysAt(path, context);
  return `unknown ${noun} "${key}"${place}${meant(key, allowed, context.form)} Allowed here: ${allowed.join(", ")}`;
}

/** The rest of a sentence about an unknown key: where that very key belongs, or which one is near. */
function meant(key: string, allowed: readonly string[], { settings }: ConfigForm): string {
  const keyPaths = [...Object.keys(GROUPS), ...settings.map((setting) => setting.key)].map((each) => each.split("."));
  const sameName = keyPaths.find((path) => path.at(-1) === key);
  if (sameName !== undefined) return `; its place is ${dotted(sameName)}.`;
  const near = nearest(key, allowed);
  if (near !== undefined) return `; did you mean "${near}"?`;
  const nearName = nearest(key, keyPaths.map((path) => String(path.at(-1))));
  const nearPath = keyPaths.find((path) => path.at(-1) === nearName);
  return nearPath === undefined ? "." : `; did you mean "${dotted(nearPath)}"?`;
}

/** The keys that the schema has at a path; the data decides where there are several kinds of object. */
function keysAt(path: KeyPath, { raw, form }: Context): string[] {
  let schema: unknown = form.schema;
  path.forEach((part, index) => schema = schemaBelow(schema, part, valueAt(raw, path.slice(0, index))));
  const object = objectSchema(schema, valueAt(raw, path));
  return object === undefined ? [] : Object.keys(object.shape).filter((key) => !key.startsWith("$"));
}

function schemaBelow(schema: unknown, part: string | number, data: unknown): unknown {
  const kind = unwrapSchema(schema);
  if (kind instanceof z.ZodRecord) return kind.valueType;
  if (typeof part === "number") return arraySchema(kind)?.element;
  return objectSchema(kind, data)?.shape[part];
}

function arraySchema(schema: unknown): z.ZodArray | undefined {
  if (schema instanceof z.ZodUnion) return schema.options.map(arraySchema).find((option) => option !== undefined);
  return schema instanceof z.ZodArray ? schema : undefined;
}

function objectSchema(schema: unknown, data: unknown): z.ZodObject | undefined {
  const kind = unwrapSchema(schema);
  if (kind instanceof z.ZodUnion) {
    const options = kind.options.map((option) => objectSchema(option, data));
    const [only, ...others] = options.filter((option) => option !== undefined);
    if (others.length === 0) return only;
    return options.find((option) => option?.shape["type"]?.safeParse(valueAt(data, ["type"])).success);
  }
  return kind instanceof z.ZodObject ? kind : undefined;
}

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
