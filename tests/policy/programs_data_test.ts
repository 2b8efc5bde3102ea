import { assert, assertEquals } from "@std/assert";
import { z } from "zod";
import { operandRule } from "../../lib/policy/programs/operands.ts";
import PROGRAMS from "../../lib/policy/programs/programs.json" with { type: "json" };
import { otherNamesOf } from "../../lib/policy/programs/spellings.ts";
import NAME_SOURCES from "../../lib/policy/name_sources.json" with { type: "json" };
import PROTECTED_PATHS from "../../lib/policy/protected_paths.json" with { type: "json" };
import VARIABLES from "../../lib/policy/variables.json" with { type: "json" };
import FILE_PROGRAMS from "../../lib/policy/targets/file_programs.json" with { type: "json" };

const pattern = z.string().refine((text) => new RegExp(text) instanceof RegExp);
const optionsText = z.string().regex(/^-[^ ]*(?: -[^ ]*)*$/);
const options = z.union([optionsText, z.array(optionsText)]).optional();
const optionRow = {
  ...{
    runs: options,
    writes: options,
    empties: options,
    reads: options,
    enters: options,
    leaves: options,
    finds: options,
    valued: options,
  },
  harmless: z.record(z.string().startsWith("-"), pattern).optional(),
};
const flag = z.literal(true).optional();
const shared = {
  ...optionRow,
  about: z.string().optional(),
  ...{ words: flag, code: flag, optionsFirst: flag, globalsFirst: flag },
  spelling: z.string().refine((name) => typeof otherNamesOf(name, []) === "function").optional(),
};
const names = z.string().regex(/^[\w*-]+(?: [\w-]+)*$/);
const programs = z.strictObject({
  tasks: z.strictObject({ leaving: z.array(names), installing: z.array(names), preparing: z.array(names) }),
  shared: z.record(z.string(), z.strictObject(shared)),
  programs: z.array(z.strictObject({
    ...shared,
    programs: pattern,
    like: z.enum(Object.keys(PROGRAMS.shared)).optional(),
    subcommands: z.record(names, z.strictObject(optionRow)).optional(),
    inAllSubcommands: z.strictObject(optionRow).optional(),
    plainSubcommands: z.array(names).optional(),
    operands: z.string().refine((text) => typeof operandRule(text.split(" ")[0]!) === "function").optional(),
  })),
});
const filePrograms = z.record(
  z.string(),
  z.strictObject({
    operands: z.enum(["all", "last", "none"]),
    action: z.literal("remove").optional(),
    ...{ options: pattern.optional(), valued: pattern.optional(), only: pattern.optional(), empties: flag },
  }),
);
const namesText = z.string().regex(/^[^ ]+(?: [^ ]+)*$/);
const nameList = z.array(namesText);
const patternList = z.array(namesText.refine((text) => new RegExp(text) instanceof RegExp));
const variables = z.strictObject({
  ...{ names: nameList, handed: nameList, integers: nameList },
  ...{ beginnings: patternList, endings: patternList, carriers: patternList },
  harmless: z.array(z.strictObject({ names: pattern, values: pattern })),
});
const nameSources = z.strictObject({
  ...{ shows: nameList, filters: nameList, listers: nameList },
  ...{ hidden: z.record(z.string(), pattern), plain: z.record(z.string(), pattern) },
});
const protectedPaths = z.strictObject({
  protected: z.strictObject({ folders: nameList, pairs: nameList, files: nameList }),
  defining: z.strictObject({ folders: nameList, files: nameList }),
  secret: z.strictObject({
    folders: nameList,
    files: nameList,
    longNames: nameList,
    endings: nameList,
    shapes: patternList,
  }),
});
const TABLES = [
  ...[[programs, PROGRAMS], [filePrograms, FILE_PROGRAMS], [variables, VARIABLES]] as const,
  ...[[nameSources, NAME_SOURCES], [protectedPaths, PROTECTED_PATHS]] as const,
];

Deno.test("the tables of the policy say nothing that no one reads, and name only rules that there are", () => {
  for (const [schema, data] of TABLES) {
    const { error } = schema.safeParse(data);
    assertEquals(error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [], []);
  }
});

Deno.test("an option of a table that is harmless with some values is one that takes a value", () => {
  for (const row of [...Object.values(PROGRAMS.shared), ...PROGRAMS.programs]) {
    const { harmless = {} } = row as { harmless?: Record<string, string> };
    const text = JSON.stringify(row);
    for (const name of Object.keys(harmless)) assert(new RegExp(`[" ]${name}=`).test(text), name);
  }
});
