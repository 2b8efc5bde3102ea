import { assertEquals } from "@std/assert";
import { MEASUREMENTS, withTables } from "./tables.ts";

Deno.test("the tables of docs/measurements.md are up to date (deno task measure)", async () => {
  const document = await Deno.readTextFile(MEASUREMENTS);
  assertEquals(document, await withTables(document));
});
