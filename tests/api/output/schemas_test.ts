import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs";
import * as z from "zod";
import { RECORD_TEXTS, recordTexts } from "../../../.ci/record_texts.ts";
import { EVENTS_DOCUMENT, schemaFiles, SCHEMAS_FOLDER, withEvents } from "../../../.ci/schemas.ts";
import { COMMANDS } from "../../../lib/cli/command_table.ts";
import { OUTPUT_SCHEMAS, outputJsonSchema } from "../../../lib/api/output/schemas.ts";
import { callCli } from "../../support/call_cli.ts";

const ROOT = new URL("../../../", import.meta.url);

Deno.test("schemas/, docs/events.md and the texts of records are as deno task schemas writes them", async () => {
  assertEquals(await Deno.readTextFile(RECORD_TEXTS), await recordTexts());
  const files = schemaFiles();
  assertEquals(Array.from(Deno.readDirSync(SCHEMAS_FOLDER), ({ name }) => name).sort(), [...files.keys()].sort());
  for (const [name, text] of files) {
    assertEquals(await Deno.readTextFile(new URL(name, SCHEMAS_FOLDER)), text, `${name}: deno task schemas`);
  }
  const document = await Deno.readTextFile(EVENTS_DOCUMENT);
  assertEquals(document, withEvents(document));
  // What an agent does is told by objects of several kinds.
  assertStringIncludes(document, '\n| `fact.text` | string | Of `"said"`, `"reasoned"`, `"trouble"`. |\n');
});

Deno.test("each type of object says what it tells, and no field of it is left open by mistake", () => {
  const open: string[] = [];
  for (const [name, { objects }] of Object.entries(OUTPUT_SCHEMAS)) {
    for (const [type, fields] of Object.entries(objects)) {
      assert((fields.description ?? "").endsWith("."), `${name}, ${type} has no description`);
      for (const [field, schema] of Object.entries(fields.shape)) {
        if (schema instanceof z.ZodUnknown) open.push(`${type}.${field}`);
      }
    }
  }
  assertEquals(open, ["run_started.settings", "run_resumed.settings", "trust_item.value"]);
});

Deno.test("each command has a schema of what it prints, but for ask, which waits until it is stopped, and what speaks a protocol or works for others", () => {
  const names = COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  const told = new Set(Object.values(OUTPUT_SCHEMAS).flatMap(({ commands }) => commands));
  assertEquals(names.filter((name) => !told.has(name)), ["worker", "mcp", "ask"]);
  assertEquals([...told].filter((name) => !names.includes(name)), []);
});

Deno.test("what --json prints is made in one place, which puts type and version on it", async () => {
  const others: string[] = [];
  for await (const { path } of walk(new URL("lib", ROOT), { exts: [".ts"], includeDirs: false })) {
    if (/\bjsonLine\b/.test(await Deno.readTextFile(path))) others.push(path.slice(ROOT.pathname.length));
  }
  // The activity file is kept, not printed; what is told over MCP and HTTP are messages of these protocols.
  assertEquals(others.sort(), [
    "lib/api/follow/event_stream.ts",
    "lib/api/http/app.ts",
    "lib/api/mcp/stdio_transport.ts",
    "lib/api/output/line.ts",
    "lib/base/text/sanitize.ts",
    "lib/run/activity_file.ts",
  ]);
});

Deno.test("the JSON Schemas take what was recorded, and neither another version nor a wrong field", async () => {
  for (const name of ["run", "exec"] as const) {
    const schema = z.fromJSONSchema(outputJsonSchema(name, OUTPUT_SCHEMAS[name]!));
    const text = await Deno.readTextFile(new URL(`fixtures/journals/records/${name}.ndjson`, ROOT));
    const records = text.trimEnd().split("\n").map((line) => JSON.parse(line));
    assert(records.length > 30);
    for (const record of records) {
      assertEquals(schema.safeParse({ v: 1, ...record }).success, true, JSON.stringify(record));
      assertEquals(schema.safeParse({ ...record, v: 2 }).success, false);
      assertEquals(schema.safeParse({ ...record, v: 1, at: 3 }).success, false);
    }
  }
});

Deno.test("schema lists the schemas, and prints the one that is named", async () => {
  const listed = (await callCli(["schema", "--json"])).stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(listed.map(({ name }) => name), ["config", "agent-pack", ...Object.keys(OUTPUT_SCHEMAS)]);
  assertStringIncludes((await callCli(["schema"])).stdout, "  exec         what is printed by exec, run of a folder");
  for (const { name } of listed) {
    const { code, stdout } = await callCli(["schema", name]);
    assertEquals([code, stdout], [0, await Deno.readTextFile(new URL(`${name}.schema.json`, SCHEMAS_FOLDER))]);
  }
  for (const name of ["doctr", "__proto__"]) {
    const { code, stdout, stderr } = await callCli(["schema", name]);
    assertEquals([code, stdout], [2, ""]);
    assertStringIncludes(stderr, `Cannot print the schema "${name}": there is none`);
  }
});

Deno.test("help --json tells the commands, and one of them with its arguments and flags", async () => {
  const all = (await callCli(["--help", "--json"])).stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(all.map(({ name }) => name), COMMANDS.filter(({ hidden }) => hidden !== true).map(({ name }) => name));
  for (const { name } of all) assertEquals((await callCli(["help", name, "--json"])).code, 0);
  for (const args of [["help", "stop", "--json"], ["stop", "--help", "--json"], ["--json", "stop", "-h"]]) {
    const { type, name, flags } = JSON.parse((await callCli(args)).stdout);
    assertEquals([type, name, flags[0].name], ["command", "stop", "force"]);
  }
});
