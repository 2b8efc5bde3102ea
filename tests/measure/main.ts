import { MEASUREMENTS, withTables } from "./tables.ts";

// Makes the tables of docs/measurements.md anew that a test can make.
await Deno.writeTextFile(MEASUREMENTS, await withTables(await Deno.readTextFile(MEASUREMENTS)));
