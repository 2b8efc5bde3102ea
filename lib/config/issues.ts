import * as z from "zod";
import { type FileForm, ONCE, unwrapSchema } from "./schema.ts";
import { dotted, type KeyPath, valueAt } from "./source.ts";
import { OFFERED_PROVIDER_IDS, PROVIDER_IDS } from "../agents/mod.ts";
import { nearest } from "../base/text/suggest.ts";
import { typeWords, valueWords } from "../base/text/value_words.ts";

export interface ValueProblem {
  readonly path: KeyPath;
  /** A sentence without a full stop; `%` stands for the name of the value, which depends on where it came from. */
  readonly message: string;
  /** Of a key that is not known: the path of the one that was meant. */
  readonly meant?: KeyPath;
  readonly allowed?: readonly string[];
  readonly isMissing?: boolean;
}

const MAX_PROBLEMS = 100;

/** What is wrong with raw configuration data by the schema, in words of ours: at most 100 mistakes. */
export function findProblems(raw: unknown, form: FileForm): ValueProblem[] {
  const found: ValueProblem[] = [];
  for (const issue of form.schemaFor(raw).safeParse(raw, ONCE).error?.issues ?? []) {
    if (found.length >= MAX_PROBLEMS) break;
    found.push(...describeIssue(issue, { raw, form }));
  }
  // Of a number that is far too large, the schema tells twice; what it tells last is the limit of ours.
  const last = new Map(found.map((problem) => [dotted(problem.path), problem]));
  return found.filter((problem) => last.get(dotted(problem.path)) === problem).slice(0, MAX_PROBLEMS);
}

interface Context {
  readonly raw: unknown;
  readonly form: FileForm;
}

function describeIssue(issue: z.core.$ZodIssue, context: Context): ValueProblem[] {
  const path = issue.path.map((part) => typeof part === "number" ? part : String(part));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.slice(0, MAX_PROBLEMS).map((key) => unknownKey(key, path, context));
  }
  const branch = issue.code === "invalid_union" ? branchMeant(issue) : undefined;
  if (branch !== undefined) {
    return branch.flatMap((inner) => describeIssue({ ...inner, path: [...issue.path, ...inner.path] }, context));
  }
  const value = valueAt(context.raw, path);
  return [{
    path,
    message: `% ${expectation(issue, { value, form: context.form })}`,
    ...(value === undefined ? { isMissing: true } : {}),
  }];
}

function branchMeant(issue: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const fitting = issue.errors.filter((inner) =>
    !inner.some(({ code, path }) => code === "invalid_type" && path.length === 0)
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function expectation(
  issue: z.core.$ZodIssue,
  { value, form }: { readonly value: unknown; readonly form: FileForm },
): string {
  switch (issue.code) {
    case "invalid_type":
      if (value === undefined) {
        return typeof issue.path.at(-1) === "number"
          ? "must not be empty: the first item is the program"
          : "is missing";
      }
      return `must be ${typeWords(issue.expected)}, but ${valueWords(value)}`;
    case "too_small":
      if (issue.origin === "string" || issue.origin === "array") return "must not be empty";
      return `must be ${issue.inclusive === false ? "greater than" : "at least"} ${issue.minimum}, but ${
        valueWords(value)
      }`;
    case "too_big":
      return `must be at most ${issue.maximum}, but ${valueWords(value)}`;
    case "invalid_value":
      return oneOf(issue.values, { value, form });
    case "invalid_key":
      if (issue.path[0] === "pipelines") {
        return "is not a name of a pipeline: it must be 1 to 64 letters, digits, _ . or -, and begin with a letter";
      }
      if (issue.path[0] === "agents") {
        const form = "1 to 64 small letters, digits, _ or -, and begin with a letter";
        return `is not a name of an agent: it must be ${form}, and not "constructor"`;
      }
      return "is not a name of an environment variable: it must be letters, digits and _, and not begin with a digit";
    case "invalid_union":
      if (value === undefined) return "is missing";
      if (issue.discriminator !== undefined) {
        return oneOf((issue as { options?: readonly unknown[] }).options ?? [], { value, form });
      }
      if (issue.path.at(-1) === "check") return `must be an object or an array of objects, but ${valueWords(value)}`;
      return value === "" || (Array.isArray(value) && value.length === 0)
        ? "must not be empty"
        : `must be a string or ${hasObject(issue.errors) ? "an object" : "an array of strings"}, but ${
          valueWords(value)
        }`;
    case "custom":
      return issue.message;
    default:
      return `${issue.message}, but ${valueWords(value)}`;
  }
}

function hasObject(branches: readonly (readonly z.core.$ZodIssue[])[]): boolean {
  return branches.flat().some((issue) => issue.code === "invalid_type" && issue.expected === "object");
}

function oneOf(
  options: readonly unknown[],
  { value, form }: { readonly value: unknown; readonly form: FileForm },
): string {
  const allowed = offered(options.map(String), form);
  const near = typeof value === "string" ? nearest(value, allowed) : undefined;
  const suggestion = near === undefined ? "" : `; did you mean "${near}"?`;
  return `must be one of ${allowed.join(", ")}, but ${valueWords(value)}${suggestion}`;
}

/** Of a list of providers those that a person may want; any other list as it is. */
function offered(options: readonly string[], { providerIds }: FileForm): readonly string[] {
  if (!options.every((option) => providerIds.includes(option))) return options;
  return options.filter((option) => OFFERED_PROVIDER_IDS.includes(option) || !PROVIDER_IDS.includes(option));
}

function unknownKey(key: string, path: KeyPath, context: Context): ValueProblem {
  const noun = path.length !== 1 ? "key" : path[0] === "roles" ? "role" : path[0] === "providers" ? "provider" : "key";
  const place = path.length === 0 ? "" : ` in ${dotted(path)}`;
  const allowed = offered(keysAt(path, context), context.form);
  const meant = keyMeant(key, { path, allowed, form: context.form });
  return {
    path: [...path, key],
    message: `unknown ${noun} ${JSON.stringify(key)}${place}${meant === undefined ? "" : `; ${meant.words}`}`,
    allowed,
    ...(meant === undefined ? {} : { meant: meant.path }),
  };
}

/** What an unknown key was meant to be: that very key where it belongs, or one that is near. */
function keyMeant(
  key: string,
  { path, allowed, form }: { readonly path: KeyPath; readonly allowed: readonly string[]; readonly form: FileForm },
): { readonly words: string; readonly path: KeyPath } | undefined {
  const keyPaths = form.keys.map((each) => each.split("."));
  const sameName = keyPaths.find((each) => each.at(-1) === key);
  if (sameName !== undefined) return { words: `its place is ${dotted(sameName)}`, path: sameName };
  const near = nearest(key, allowed);
  if (near !== undefined) return { words: `did you mean "${near}"?`, path: [...path, near] };
  const nearName = nearest(key, keyPaths.map((each) => String(each.at(-1))));
  const nearPath = keyPaths.find((each) => each.at(-1) === nearName);
  return nearPath === undefined ? undefined : { words: `did you mean "${dotted(nearPath)}"?`, path: nearPath };
}

/** The keys that the schema has at a path; the data decides where there are several kinds of object. */
function keysAt(path: KeyPath, { raw, form }: Context): string[] {
  let schema: unknown = form.schemaFor();
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
    const key = kind instanceof z.ZodDiscriminatedUnion ? kind.def.discriminator : "type";
    return options.find((option) => option?.shape[key]?.safeParse(valueAt(data, [key])).success);
  }
  return kind instanceof z.ZodObject ? kind : undefined;
}
