import { MEASUREMENTS, TABLES, withTables } from "./tables.ts";

// Makes the tables of docs/measurements.md anew that a program can make.
await Deno.writeTextFile(MEASUREMENTS, await withTables(await Deno.readTextFile(MEASUREMENTS), TABLES));
