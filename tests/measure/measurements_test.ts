import { assertEquals } from "@std/assert";
import { withTables } from "../support/document_tables.ts";
import { MEASUREMENTS, TESTED_TABLES } from "./tables.ts";

Deno.test("the tables of docs/measurements.md that rules and recordings decide are up to date (deno task measure)", async () => {
  const document = await Deno.readTextFile(MEASUREMENTS);
  assertEquals(document, await withTables(document, { task: "measure", tables: TESTED_TABLES }));
});
