import { assert, assertEquals } from "@std/assert";
import type * as z from "zod";
import { COMMANDS } from "../../lib/cli/command_table.ts";
import { OUTPUT_SCHEMAS, withHead } from "../../lib/api/output/schemas.ts";
import { canonicalJson } from "../../lib/base/text/json.ts";

/** Each type of object, with the commands that print it. */
const OBJECTS = Object.values(OUTPUT_SCHEMAS).flatMap(({ commands, objects }) =>
  Object.entries(objects).map(([type, fields]) => ({ type, commands, schema: withHead(type, fields) }))
);

/** Commands that print a document, or what a program asks for, also with `--json`. */
const PRINTS_OTHERS = [["config", "schema"], ["rules", "show"], ["schema"], ["hook"]];

/**
 * Holds what a command line has printed with `--json` to the schemas of its command: an object a line, each with
 * `type` and `v`, and with no field that its schema does not have.
 */
export function checkOutput(args: readonly string[], stdout: string): void {
  if (!args.includes("--json")) return;
  const words = args.filter((arg) => !arg.startsWith("-"));
  if (PRINTS_OTHERS.some((others) => others.every((word, index) => words[index] === word)) && words.length > 1) return;
  const has = (...flags: readonly string[]) => flags.some((flag) => args.includes(flag));
  const command = has("--help", "-h") ? "help" : has("--version", "-V") ? "version" : commandOf(words);
  for (const line of stdout.split("\n").slice(0, -1)) checkObject(JSON.parse(line), command);
}

/** The first word that is a command: the value of a flag may stand before it. */
function commandOf(words: readonly string[]): string | undefined {
  return words.find((word) => COMMANDS.some(({ name }) => name === word));
}

/** Holds one object to the schema of its type, among those of a command where it is known. */
export function checkObject(value: Readonly<Record<string, unknown>>, command?: string): void {
  const { type, passable, v } = value;
  const schemas: readonly z.ZodObject[] = OBJECTS
    .filter((object) => object.type === type && (command === undefined || object.commands.includes(command)))
    .map(({ schema }) => schema);
  if (schemas.length === 0) {
    // Journals may have records of later versions.
    return assert(passable === true && v === 1, `No schema of ${command} has ${JSON.stringify(value)}`);
  }
  const found = schemas.map((schema) => schema.safeParse(value));
  const taken = found.filter(({ success }) => success).map(({ data }) => data);
  const problems = found.map(({ error }) => error?.message).join("\n");
  assert(taken.length > 0, `Its schema does not take ${JSON.stringify(value)}:\n${problems}`);
  // A field that a schema does not have is missing from what it gives.
  if (taken.some((data) => canonicalJson(data) === canonicalJson(value))) return;
  assertEquals(value, taken[0], "A field is not in the schema");
}
