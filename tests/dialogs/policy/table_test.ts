import { assert, assertEquals } from "@std/assert";
import { offeredAllowList, tableRows } from "../../support/permission_table.ts";

const HOSTILE = tableRows("hostile");
const EVERYDAY = tableRows("everyday");

Deno.test("the table has enough rows, each with a name and a subject of its own", () => {
  assert(HOSTILE.length >= 600 && EVERYDAY.length >= 250);
  const rows = [...HOSTILE, ...EVERYDAY];
  assertEquals(new Set(rows.map(({ id }) => id)).size, rows.length);
  assertEquals(new Set(rows.map(({ kind, subject }) => `${kind} ${subject}`)).size, rows.length);
  assertEquals(HOSTILE.filter(({ does }) => does === undefined), []);
});

Deno.test("the offered allow list is one that a config may have", () => {
  const { allow, default: decision } = offeredAllowList();
  assert(allow.length > 100);
  assertEquals(decision, "ask");
});
