import { assertEquals } from "@std/assert";
import { z } from "zod";
import ASKS from "../../lib/shell/asks/names.json" with { type: "json" };
import BUILTINS from "../../lib/shell/builtins.json" with { type: "json" };
import PROGRAMS from "../../lib/shell/programs.json" with { type: "json" };

const names = z.string().regex(/^[^ ]+(?: [^ ]+)*$/);
const pattern = z.string().refine((text) => new RegExp(text) instanceof RegExp);
const flag = z.literal(true).optional();
const wrapper = z.strictObject({
  ...{ flags: pattern.optional(), valued: pattern.optional(), operands: z.int().optional() },
  ...{ assignments: flag, adds: flag, acts: flag },
});
const programs = z.strictObject({
  wrappers: z.record(names, wrapper),
  ...{ shells: names, otherShells: names, opaque: z.array(names) },
  unclear: z.record(z.string(), z.string()),
});

/** What each rule for commands of the shell needs besides their names. */
const builtin = z.union([
  ...["harmless", "condition", "printf", "getopts", "declares", "print", "changesMeaning"].map((rule) =>
    z.strictObject({ names, rule: z.literal(rule) })
  ),
  ...["set", "unset", "waits"].map((rule) => z.strictObject({ names, rule: z.literal(rule), words: pattern })),
  z.strictObject({ names, rule: z.literal("evaluates"), only: z.int().optional() }),
  z.strictObject({ names, rule: z.literal("only"), words: pattern, otherwise: z.string() }),
  z.strictObject({ names, rule: z.literal("sets"), flags: pattern, valued: pattern, unnamed: z.string() }),
]);
const asks = z.strictObject({
  ...{ runners: z.array(names), switches: names, harmless: names, leaving: names },
  scripted: z.strictObject({
    ...{ tools: names, keys: names, typing: z.string(), typed: z.string(), conditions: names },
    escapes: z.record(z.string(), z.string()),
  }),
});

Deno.test("the tables of the shell say nothing that no one reads, and name only rules that there are", () => {
  for (const [schema, data] of [[programs, PROGRAMS], [z.array(builtin), BUILTINS], [asks, ASKS]] as const) {
    const { error } = schema.safeParse(data);
    assertEquals(error?.issues.map(({ path, message }) => `${path.join(".")}: ${message}`) ?? [], []);
  }
});

Deno.test("a command of the shell is in one row only", () => {
  const all = BUILTINS.flatMap((row) => row.names.split(" "));
  assertEquals(all.length, new Set(all).size);
});
