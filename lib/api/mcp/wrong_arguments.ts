import type * as z from "zod";
import { didYouMean } from "../../base/text/suggest.ts";
import { typeWords, valueWords } from "../../base/text/value_words.ts";

const MAX_TOLD = 5;
const MAX_NAME_CHARS = 60;

export function wrongArguments(schema: z.ZodObject, given: unknown, { issues }: z.ZodError): string {
  const names = Object.keys(schema.shape);
  const told = issues.flatMap((issue) => {
    const [name] = issue.path;
    if (issue.code === "unrecognized_keys") {
      return issue.keys.slice(0, MAX_TOLD).map((key) =>
        `there is no argument ${JSON.stringify(key.slice(0, MAX_NAME_CHARS))}${didYouMean(key, names)}`
      );
    }
    if (name === undefined) return `its arguments must be an object, but ${valueWords(given).replace(/^is/, "are")}`;
    const value = (given as Readonly<Record<PropertyKey, unknown>>)[name];
    return `${String(name)} ${expectation(issue, value)}`;
  });
  return told.slice(0, MAX_TOLD).join("; ");
}

function expectation(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return "is missing";
  const but = `but ${valueWords(value)}`;
  switch (issue.code) {
    case "invalid_type":
      return `must be ${typeWords(issue.expected)}, ${but}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}, ${but}`;
    case "too_big":
      return issue.origin === "string"
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}, ${but}`;
    case "invalid_value":
      return `must be one of ${issue.values.join(", ")}, ${but}`;
    default:
      return `cannot be used: ${issue.message}, ${but}`;
  }
}
