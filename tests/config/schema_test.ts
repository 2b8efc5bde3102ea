import { assert, assertEquals } from "@std/assert";
import { findProblems } from "../../lib/config/issues.ts";
import { configFormFor, configJsonSchema, parseConfig } from "../../lib/config/schema.ts";
import { PROVIDER_IDS } from "../../lib/agents/mod.ts";
import { SETTINGS } from "../../lib/config/settings_table.ts";

type JsonSchema = { description?: string; properties?: Record<string, JsonSchema>; additionalProperties?: unknown };

function visit(schema: JsonSchema, path: string, found: Map<string, JsonSchema>): Map<string, JsonSchema> {
  for (const [key, inner] of Object.entries(schema.properties ?? {})) {
    const innerPath = path === "" ? key : `${path}.${key}`;
    found.set(innerPath, inner);
    visit(inner, innerPath, found);
  }
  return found;
}

Deno.test("the JSON Schema explains every key and allows no other", () => {
  const schema = configJsonSchema() as JsonSchema;
  const keys = visit(schema, "", new Map());
  assert(keys.size > 60, `${keys.size} keys`);
  for (const [path, key] of keys) {
    assert((key.description ?? "").endsWith("."), `${path} needs a description that is a sentence`);
    // Roles of a configuration's own have names of its own.
    if (key.properties === undefined || path === "roles") continue;
    assertEquals(key.additionalProperties, false, path);
  }
  assertEquals(schema.additionalProperties, false);
});

Deno.test("the schema has every key of the table, with its variable, and no two settings share a source", () => {
  const keys = visit(configJsonSchema() as JsonSchema, "", new Map());
  for (const { key, variables: [env] } of SETTINGS) {
    const description = keys.get(key)?.description ?? "";
    assertEquals(/ Variable: (\S+)\.$/.exec(description)?.[1], env, key);
  }
  const sources = [
    SETTINGS.map(({ key }) => key),
    SETTINGS.flatMap(({ variables }) => variables),
    SETTINGS.map(({ flag }) => flag?.name),
  ];
  for (const names of sources.map((list) => list.filter((name) => name !== undefined))) {
    assertEquals(new Set(names).size, names.length);
  }
});

Deno.test("a schema of what some data has finds in it what the schema of all finds, and gives the same configuration", () => {
  const form = configFormFor(PROVIDER_IDS);
  const all = form.schemaFor();
  const given = SETTINGS.flatMap(({ key, value, example }) =>
    [example, "default" in value ? value.default : undefined, null, ["\0"], { unknown: 1 }].flatMap((set) => {
      const [name = "", group] = key.split(".").toReversed();
      return set === undefined ? [] : [group === undefined ? { [name]: set } : { [group]: { [name]: set } }];
    })
  );
  const odd = [undefined, {}, [], "x", { limits: 1, unknown: {} }, { limits: { unknown: 1 } }, { limits: undefined }];
  let right = 0;
  for (const data of [...given, ...odd]) {
    const problems = findProblems(data, form);
    assertEquals(problems, findProblems(data, { ...form, schemaFor: () => all }), JSON.stringify(data));
    if (problems.length > 0) continue;
    right++;
    const [parsed, wanted] = [parseConfig(data, form), all.parse(data)];
    assertEquals(parsed, wanted as typeof parsed);
    assertEquals(JSON.stringify(parsed), JSON.stringify(wanted));
  }
  assert(right > 100, `${right} without a problem`);
});
