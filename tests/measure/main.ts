import { withTables } from "../support/document_tables.ts";
import { MEASUREMENTS, TABLES } from "./tables.ts";

// Makes the tables of docs/measurements.md anew that a program can make.
await Deno.writeTextFile(
  MEASUREMENTS,
  await withTables(await Deno.readTextFile(MEASUREMENTS), { task: "measure", tables: TABLES }),
);
