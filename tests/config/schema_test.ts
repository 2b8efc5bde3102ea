import { assert, assertEquals } from "@std/assert";
import { ENVIRONMENT_KEYS } from "../../lib/config/env.ts";
import { CONFIG_FLAGS } from "../../lib/config/flags.ts";
import { configJsonSchema } from "../../lib/config/schema.ts";

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
    if (key.properties !== undefined) assertEquals(key.additionalProperties, false, path);
  }
  assertEquals(schema.additionalProperties, false);
});

Deno.test("every variable and every flag stands for a key of the schema, and no two for the same", () => {
  const keys = visit(configJsonSchema() as JsonSchema, "", new Map());
  const byVariable = ENVIRONMENT_KEYS.map(({ path }) => path.join("."));
  const byFlag = CONFIG_FLAGS.map(({ key }) => key);
  for (const paths of [byVariable, byFlag]) {
    assertEquals(paths.filter((path) => !keys.has(path)), []);
    assertEquals(new Set(paths).size, paths.length);
  }
});
